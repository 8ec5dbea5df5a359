"""The law of signatures for users: if a number changes, its signature changes; if nothing that counts changes, it does not.

Small corpora are made from a seed. One thing is changed at a time: a setting of the rules, a field of the profile, an entry of
the value map, a part of a goal, the reader of text, the settings of the intervals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict, replace

from dialmeter.errors import DialmeterError
from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from dialmeter.users.profile import Profile
from dialmeter.users.profile import load as load_profile
from dialmeter.users.profile import named as profile_named
from dialmeter.users.rules import UserRules, settings
from dialmeter.users.rules import named as rules_named
from dialmeter.users.scorer import UserScorer
from dialmeter.users.text.rules import RuleMaker
from dialmeter.values.maps import ValueMap

from ..users.scoring import score_user

SLOTS = {
    "hotel": ("area", "stars", "name", "day", "type"),
    "restaurant": ("area", "food", "name", "people"),
    "train": ("leaveAt", "day", "destination"),
    "taxi": ("leaveAt", "departure"),
}
FORMS: dict[str, dict[str, list[str]]] = {
    "area": {"centre": ["centre", "town", "middle of town"], "city": ["city", "town"], "north": ["north", "town end"]},
    "stars": {"3": ["3", "three stars"], "4": ["4", "four stars"]},
    "name": {"the inn": ["the inn", "inn"], "old inn": ["old inn", "inn"], "lodge": ["lodge"]},
    "day": {"monday": ["monday", "mon"], "friday": ["friday", "fri"]},
    "food": {"thai": ["thai", "asian"], "indian": ["indian", "asian"]},
    "leaveat": {"09:00": ["09:00", "9"], "21:00": ["21:00", "9"]},
    "people": {"2": ["2", "two"], "3": ["3"]},
    "type": {"hotel": ["hotel"], "guesthouse": ["guesthouse", "guest house"]},
    "destination": {"cambridge": ["cambridge"], "ely": ["ely"]},
    "departure": {"lodge": ["lodge"], "the inn": ["inn"]},
}
REQUESTS = ("phone", "address", "ref", "postcode")
SYSTEM_ACTS = ("Inform", "Recommend", "NoOffer", "Request", "Select")
Numbers = dict[tuple[str, str], tuple[object, str]]
"""Measure and domain → value with its interval, and signature."""


class Experiment(msgspec.Struct, frozen=True):
    """All that a number depends on."""

    conversations: tuple[Conversation, ...]
    rules: UserRules
    profile: Profile
    value_map: dict[str, Any] | None
    from_text: bool = False
    ci: float = 0.9
    resamples: int = 30
    seed: int = 1

    def numbers(self) -> Numbers:
        result = score_user(
            self.conversations,
            self.rules,
            self.profile,
            None if self.value_map is None else ValueMap(self.value_map),
            from_text=self.from_text,
            ci=self.ci,
            resamples=self.resamples,
            seed=self.seed,
            keep=False,
        )
        return {
            (each.measure, str(each.group["domain"])): ((each.value, each.ci), each.signature) for each in result.scores
        }


def make_goal(random: Random) -> dict[str, DomainGoal]:
    goal = {}
    for domain in random.sample(sorted(SLOTS), random.randint(1, 3)):
        slots = random.sample(SLOTS[domain], random.randint(1, len(SLOTS[domain])))
        info = {slot: random.choice(sorted(FORMS[slot.lower()])) for slot in slots}
        fail = {slot: random.choice(sorted(FORMS[slot.lower()])) for slot in slots if random.random() < 0.4}
        book = {"day": "monday"} if random.random() < 0.4 else {}
        requests = tuple(random.sample(REQUESTS, random.randint(0, 2)))
        goal[domain] = DomainGoal(info=info, fail_info=fail, book=book, requests=requests)
    return goal


def make_act(random: Random, speaker: str, goal: dict[str, DomainGoal]) -> Act:
    domain = random.choice([*goal, *goal, *SLOTS])
    wanted = [pair for part in goal[domain].parts.values() for pair in part.items()] if domain in goal else []
    if speaker == USER and random.random() < 0.25:
        return Act(f"{domain.title()}-Request", domain, random.choice(REQUESTS), ("?",))
    if speaker == SYSTEM and random.random() < 0.2:
        name = random.choice(["Book", "NoBook", "Inform"])
        return Act(f"Booking-{name}", "booking", "ref" if name == "Book" else "day", ("7",))
    slot, value = random.choice(wanted or [(slot, "lodge") for slot in SLOTS[domain]])
    value = random.choice(FORMS.get(slot.lower(), {}).get(value, [value]))
    kind = "Inform" if speaker == USER else random.choice(SYSTEM_ACTS)
    answer = random.choice(["?", "#PHONE#", value])
    return Act(f"{domain.title()}-{kind}", domain, slot, (answer if speaker == SYSTEM else value,))


def make_conversation(random: Random, number: int) -> Conversation:
    goal = make_goal(random)
    moves: list[Move] = []
    for place in range(2 * random.randint(2, 6)):
        speaker = (USER, SYSTEM)[place % 2]
        acts = tuple(make_act(random, speaker, goal) for _ in range(random.randint(0, 3)))
        text = " ".join(f"I want a {act.service} with {act.slot} {' '.join(act.values)}." for act in acts)
        heard = tuple(act for act in (moves[-1].acts or ()) if random.random() < 0.8) if moves else None
        is_read = speaker == USER and random.random() < 0.2
        moves.append(Move(speaker, text, None if is_read else acts, heard if speaker == SYSTEM else None))
    task = "You want the " + random.choice(["centre", "city", "lodge"]) + "."
    return Conversation(f"d{number}", tuple(moves), goal, task=task if random.random() < 0.5 else "")


def make_experiment(seed: int) -> Experiment:
    random = Random(seed)
    return Experiment(
        conversations=tuple(make_conversation(random, number) for number in range(6)),
        rules=rules_named(("dialmeter", "gcdf1-repo")[seed % 2]),
        profile=profile_named("multiwoz"),
        value_map=FORMS if seed % 3 else None,
        from_text=seed % 4 < 2,
    )


def other_value(random: Random, value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(0, value + random.choice([-2, -1, 1]))
    if isinstance(value, float):
        return min(1.0, max(0.0, value + random.choice([-0.3, -0.1, -1e-9])))
    if isinstance(value, list | tuple):
        items = list(value)
        return random.choice([items[1:], [*items, "a|b+"], ["hotel", *items], list(reversed(items)), [""]])
    return value


def change_rules(random: Random, base: Experiment) -> Experiment:
    name = random.choice(sorted(settings(base.rules)))
    part, _, setting = name.partition(".")
    whole = msgspec.to_builtins(base.rules)
    old = whole[part][setting]
    choices = {"goals.alternatives": ["as_needed", "all"], "values.collisions": ["merge", "keep"]}
    whole[part][setting] = random.choice(choices[name]) if name in choices else other_value(random, old)
    return replace(base, rules=msgspec.convert({**whole, "base": base.rules.base or base.rules.name}, UserRules))


def change_profile(random: Random, base: Experiment) -> Experiment:
    whole = msgspec.to_builtins(base.profile)
    holder = random.choice(
        [whole, whole, whole["acts"], whole["taxi"], whole["fine"], whole["words"], whole["entity_slots"]]
    )
    key = random.choice(sorted(holder.keys() - {"name", "acts", "taxi", "fine", "words"}))
    old = holder[key]
    if isinstance(old, str):
        holder[key] = random.choice(["", old + "x", f"{old}|Select"])
    elif isinstance(old, dict):
        holder[key] = {name: each for name, each in old.items() if random.random() < 0.5}
    else:
        holder[key] = other_value(random, old)
    return replace(base, profile=msgspec.convert(whole, Profile))


def change_map(random: Random, base: Experiment) -> Experiment:
    values = {slot: {key: list(forms) for key, forms in inside.items()} for slot, inside in FORMS.items()}
    slot = random.choice(sorted(values))
    inside: dict[str, Any] = values[slot]
    key = random.choice(sorted(inside))
    match random.choice(["reverse", "forms", "drop", "add", "rename", "outside", "split", "none"]):
        case "reverse":
            values[slot] = dict(reversed(inside.items()))
        case "forms":
            inside[key].reverse()
        case "drop":
            inside[key] = inside[key][1:]
        case "add":
            inside[key] = [*inside[key], random.choice(["lodge", "town", "inn", "9"])]
        case "rename":
            inside[f"{key} x"] = inside.pop(key)
        case "outside":
            inside["special_keys"] = {"not_in_goal": {"elsewhere": [random.choice(["lodge", "asian", "tow"])]}}
        case "split":
            values[slot] = {random.choice(sorted(SLOTS)): inside}
        case "none":
            return replace(base, value_map=None)
    return replace(base, value_map=values)


def change_goal(random: Random, base: Experiment) -> Experiment:
    place = random.randrange(len(base.conversations))
    conversation = base.conversations[place]
    goal = dict(conversation.goal or {})
    domain = random.choice(sorted(goal))
    parts = {name: dict(part) for name, part in asdict(goal[domain]).items() if name != "requests"}
    requests = list(goal[domain].requests)
    part = parts[random.choice(sorted(parts))]
    match random.choice(["value", "slot", "case", "move", "request", "domain", "task", "copy"]):
        case "value":
            part.update({slot: random.choice(sorted(FORMS[slot.lower()])) for slot in list(part)[:1]})
        case "slot":
            part[random.choice(["stars", "area", "notes"])] = "3"
        case "case":
            part = {slot.swapcase(): value.upper() for slot, value in part.items()}
            parts["info"] = part
        case "move":
            parts["fail_info"], parts["info"] = parts["info"], parts["fail_info"]
        case "request":
            requests = requests[1:] if random.random() < 0.5 else [*requests, random.choice(REQUESTS)]
        case "domain":
            goal[random.choice(sorted(SLOTS))] = DomainGoal()
        case "task":
            conversation = replace(
                conversation, task=random.choice(["", "You want the lodge.", "You want the north end of town."])
            )
        case "copy":
            part |= {slot.upper(): random.choice(sorted(FORMS[slot.lower()])) for slot in part}
    if domain in goal:
        goal[domain] = DomainGoal(**parts, requests=tuple(requests))
    conversations = list(base.conversations)
    conversations[place] = replace(conversation, goal=goal)
    return replace(base, conversations=tuple(conversations))


def change_other(random: Random, base: Experiment) -> Experiment:
    return random.choice(
        [
            replace(base, from_text=not base.from_text),
            replace(base, seed=base.seed + 1),
            replace(base, resamples=base.resamples + 1),
            replace(base, ci=base.ci + 0.0001),
            replace(base, ci=0.0),
            replace(base, rules=rules_named("gcdf1-repo" if base.rules.name == "dialmeter" else "dialmeter")),
            replace(base, profile=profile_named("town")),
        ]
    )


CHANGES: tuple[Callable[[Random, Experiment], Experiment], ...] = (
    change_rules,
    change_rules,
    change_profile,
    change_map,
    change_goal,
    change_other,
)


def mutations(seed: int, count: int) -> Iterator[tuple[str, Experiment]]:
    random = Random(seed)
    base = make_experiment(seed)
    for _ in range(count):
        change = random.choice(CHANGES)
        yield change.__name__, change(random, base)


@pytest.mark.parametrize("seed", range(8))
def test_changed_number_changes_signature(seed: int) -> None:
    before = make_experiment(seed).numbers()
    moved = 0
    for name, experiment in mutations(seed, 45):
        try:
            after = experiment.numbers()
        except DialmeterError:
            continue
        for key in before.keys() & after.keys():
            (old, old_signature), (new, new_signature) = before[key], after[key]
            moved += old != new
            assert old == new or old_signature != new_signature, (name, key, old, new, new_signature)
    assert moved > 20


@pytest.mark.parametrize("seed", range(4))
def test_invisible_changes(seed: int, tmp_path: Path) -> None:
    base = make_experiment(seed)
    before = base.numbers()
    turned = {slot: dict(reversed(inside.items())) for slot, inside in reversed(FORMS.items())}
    plain = {slot: {key: forms[:1] for key, forms in inside.items()} for slot, inside in FORMS.items()}
    unseen = [
        (base, replace(base, conversations=tuple(reversed(base.conversations)))),
        (
            base,
            replace(base, conversations=tuple(replace(each, goal=_reversed_goal(each)) for each in base.conversations)),
        ),
        (base, replace(base, rules=replace(base.rules, about="other words", evidence="none"))),
        (base, replace(base, profile=replace(base.profile, about="other words"))),
        (replace(base, value_map=plain), replace(base, value_map=dict(reversed(plain.items())))),
        (
            replace(base, value_map=plain),
            replace(
                base, value_map={slot: {**each, "special_keys": {"about": "a remark"}} for slot, each in plain.items()}
            ),
        ),
    ]
    for one, other in unseen:
        assert one.numbers() == other.numbers()
    assert base.numbers() == before
    # Here the order decides what "town" and "inn" mean.
    assert ValueMap(turned).digest != ValueMap(FORMS).digest


def _reversed_goal(conversation: Conversation) -> dict[str, DomainGoal]:
    return {
        domain: DomainGoal(
            info=dict(reversed(each.info.items())),
            fail_info={slot: value.upper() for slot, value in reversed(each.fail_info.items())},
            book=each.book,
            requests=(*reversed(each.requests), *each.requests),
        )
        for domain, each in reversed((conversation.goal or {}).items())
    }


def test_merged_signature() -> None:
    base = make_experiment(1)
    whole, first, second = (UserScorer(base.rules, base.profile, ValueMap(FORMS), from_text=True) for _ in range(3))
    for place, conversation in enumerate(base.conversations):
        whole.add(conversation)
        (first, second)[place % 2].add(conversation)
    first.score_table.merge(second.score_table)
    assert first.result().to_dicts() == whole.result().to_dicts()


def test_profile_named_by_content(tmp_path: Path) -> None:
    """A remark in a file changes nothing. A profile that was changed in Python has another name in signatures."""
    (tmp_path / "one").mkdir()
    one, other = tmp_path / "mine.toml", tmp_path / "one" / "mine.toml"
    text = Path(profile_file("multiwoz")).read_text(encoding="utf-8")
    one.write_text(text, encoding="utf-8")
    other.write_text(f"# a remark\n{text}", encoding="utf-8")
    assert load_profile(str(one)).shown == load_profile(str(other)).shown
    changed = replace(profile_named("multiwoz"), choice_slots=())
    assert changed.shown.startswith("multiwoz@")
    assert profile_named("multiwoz").shown == "multiwoz"


def profile_file(name: str) -> str:
    from importlib.resources import files

    return str(files("dialmeter.users").joinpath("profiles", f"{name}.toml"))


def test_text_settings_of_scorer() -> None:
    profile = profile_named("multiwoz")
    UserScorer(profile=profile, value_map=ValueMap(FORMS), from_text=RuleMaker(profile, ValueMap(FORMS)))
    with pytest.raises(DialmeterError, match="need the profile and the value map of the scorer"):
        UserScorer(profile=profile, from_text=RuleMaker(profile, ValueMap(FORMS)))


def test_ambiguous_form_in_signature() -> None:
    """The same dialogue, two maps with the same entries: 100 and 0."""
    said = Move(USER, "", (Act("Hotel-Inform", "hotel", "area", ("town",)),))
    conversation = Conversation("d", (said, Move(SYSTEM, "", (), ())), {"hotel": DomainGoal(info={"area": "centre"})})
    maps = [{"area": {"centre": ["town"], "city": ["town"]}}, {"area": {"city": ["town"], "centre": ["town"]}}]
    scores = [
        score_user([conversation], value_map=ValueMap(json.loads(json.dumps(each))), ci=0)["I-GCDF1"] for each in maps
    ]
    assert [each.value for each in scores] == [1.0, 0.0]
    assert scores[0].signature != scores[1].signature
