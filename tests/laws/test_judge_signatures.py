"""The law of signatures for judges: if a number changes, its signature changes; if nothing that counts changes, it does not.

A mutation changes one thing: a text, a label, an order, a parameter, a direction, a setting.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from dialmeter.judges.ask import ScorePair
from dialmeter.judges.cases import Case, Place
from dialmeter.judges.judge import Item, Judge
from dialmeter.judges.people.study import judge_people
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move
from dialmeter.readers.ratings.rated_item import RatedItem

Numbers = dict[Any, tuple[tuple[Any, ...], str]]
"""The name of a score → its numbers and its signature."""

WORDS = ["the", "inn", "has", "two", "rooms", "for", "you", "and", "one", "garden", "near", "old", "mill", "lane"]
ATTACKS = {
    "speaker": ("lower", "coherence"),
    "repetition": ("lower", "naturalness"),
    "entrainment": ("at-most", "naturalness"),
}


class Weighted:
    """A judge without an identity: the length of the reply, and a weight for each word that the context has."""

    scale: tuple[float, float] | None = None

    def __init__(
        self,
        weight: float = 1.0,
        higher_is_better: bool = True,
        facets: Sequence[str] | None = None,
        noise: float = 0.1,
    ) -> None:
        self.name = "mine"
        self.higher_is_better = higher_is_better
        self.facets = None if facets is None else frozenset(facets)
        self._weight, self._noise = weight, noise

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        times: Counter[tuple[Sequence[Move], str]] = Counter()
        scores = []
        for context, reply in items:
            heard = {word for move in context for word in move.text.split()}
            shared = sum(word in heard for word in reply.split())
            scores.append(len(reply) / 7 - self._weight * shared + self._noise * times[context, reply] * len(reply))
            times[context, reply] += 1
        return scores


def sentence(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(2, 7)))


def made_cases(draw: random.Random) -> list[Case]:
    made = []
    for attack, (expected, facet) in ATTACKS.items():
        for number in range(7):
            context = (Move("user", sentence(draw)), Move("system", sentence(draw)))
            reply, other = sentence(draw), sentence(draw)
            place = Place(f"d{number // 2}", 2)
            made.append(Case(attack, "v", context, reply, f"{other} {reply}", expected, facet, place, corpus="town"))
    asked = (Move("user", sentence(draw)),)
    for number in range(3):
        same = f"{sentence(draw)} {number}"
        made.append(
            Case("identical", "", asked, same, same, "similar", "coherence", Place("d1", number), corpus="town")
        )
    return made


def score(cases: Sequence[Case], seed: int = 3, pairs: Sequence[ScorePair] = (), **options: Any) -> Numbers:
    mine = {key: options.pop(key) for key in ("weight", "higher_is_better", "facets", "noise") if key in options}
    judges: list[str | Judge] = [Weighted(**mine), f"chance=random(seed={seed})", "ngram-fluency"]
    result = score_judge(cases, judges, scores={"file": pairs} if pairs else None, **options)
    found: Numbers = {}
    for cell in result.scores:
        numbers = (cell.value, cell.ci, cell.n, cell.unscored, cell.higher, cell.similar, cell.lower, cell.threshold)
        more = (cell.difference, cell.difference_ci, cell.facet, cell.expected)
        found[cell.judge, cell.attack, cell.corpus] = ((*numbers, *more), cell.signature)
    for group in ("facet", "judge"):
        for each in result.by(group):
            found[tuple(each.group.values())] = ((each.value, each.n, each.unscored), each.signature)
    return found


def rounded(numbers: Any) -> Any:
    """Numbers that differ only by rounding are the same number."""
    if isinstance(numbers, tuple):
        return tuple(map(rounded, numbers))
    return round(numbers, 9) if isinstance(numbers, float) else numbers


def check(before: Numbers, after: Numbers, what: str) -> bool:
    """Check every number that both have. Return whether one of them changed."""
    changed = False
    for name in before.keys() & after.keys():
        (old, signature), (new, other) = before[name], after[name]
        if rounded(old) != rounded(new):
            changed = True
            assert signature != other, f"{what}: {name} changed from {old} to {new} under {signature}"
    return changed


CASE_MUTATIONS: dict[str, Callable[[Case, random.Random], Case]] = {
    "reply": lambda case, draw: replace(case, reply=f"{case.reply} {draw.choice(WORDS)}"),
    "adversarial": lambda case, draw: replace(case, adversarial=sentence(draw)),
    "context": lambda case, draw: replace(case, context=(*case.context, Move("system", sentence(draw)))),
    "context of the adversarial reply": lambda case, draw: replace(case, adversarial_context=(Move("user", sentence(draw)),)),
    "speaker of a turn": lambda case, draw: replace(case, context=(replace(case.context[0], speaker="b"), *case.context[1:])),
    "expectation": lambda case, draw: replace(case, expected=draw.choice(["lower", "similar", "at-most"])),
    "facet": lambda case, draw: replace(case, facet=draw.choice(["coherence", "naturalness", "interest"])),
    "attack": lambda case, draw: replace(case, attack=draw.choice([*ATTACKS, "identical"])),
    "variant": lambda case, draw: replace(case, attack="pronoun", variant="number"),
    "corpus": lambda case, draw: replace(case, corpus="village"),
    "dialogue": lambda case, draw: replace(case, source=Place(f"d{draw.randint(0, 9)}", 2)),
}  # fmt: skip

IGNORED: dict[str, Callable[[Case], Case]] = {
    "turn": lambda case: replace(case, source=Place(case.source.dialogue, 9)),
    "seed": lambda case: replace(case, seed=case.seed + 1),
    "resources": lambda case: replace(case, resources=("other",)),
    "spans": lambda case: replace(case, spans=((0, 1),)),
}


@pytest.mark.parametrize("threshold", ["paper", "noise", "sd"])
def test_mutations_of_case(threshold: str) -> None:
    draw = random.Random(threshold)
    cases = made_cases(draw)
    before = score(cases, threshold=threshold)
    changed: Counter[str] = Counter()
    for name, mutate in CASE_MUTATIONS.items():
        for _ in range(6):
            place = draw.randrange(len(cases))
            after = [*cases[:place], mutate(cases[place], draw), *cases[place + 1 :]]
            changed[name] += check(before, score(after, threshold=threshold), f"{name} of case {place}")
    for place in range(0, len(cases), 3):
        fewer, more = [*cases[:place], *cases[place + 1 :]], [*cases, cases[place]]
        changed["case"] += check(before, score(fewer, threshold=threshold), f"without case {place}")
        changed["case"] += check(before, score(more, threshold=threshold), f"case {place} twice")
    # Every kind of mutation reached a number, so that the check is not empty.
    assert {name for name in (*CASE_MUTATIONS, "case") if not changed[name]} <= {
        "variant",
        "corpus",
        "speaker of a turn",
    }


def test_what_does_not_count() -> None:
    draw = random.Random(5)
    cases = made_cases(draw)
    pairs = {id(case): ScorePair(draw.random(), draw.random()) for case in cases}
    for threshold in ("paper", "noise"):
        before = score(cases, pairs=[pairs[id(case)] for case in cases], threshold=threshold)
        for _ in range(10):
            order = draw.sample(cases, len(cases))
            after = score(order, pairs=[pairs[id(case)] for case in order], threshold=threshold)
            assert {name: (rounded(numbers), signature) for name, (numbers, signature) in before.items()} == {
                name: (rounded(numbers), signature) for name, (numbers, signature) in after.items()
            }
        for name, mutate in IGNORED.items():
            after = score(list(map(mutate, cases)), pairs=[pairs[id(case)] for case in cases], threshold=threshold)
            assert before == after, name
    assert score(cases) == score(cases)


@pytest.mark.parametrize(
    "options",
    [
        {"weight": 2.0}, {"weight": -1.0}, {"higher_is_better": False}, {"facets": ["coherence"]}, {"facets": []},
        {"noise": 3.0, "threshold": "noise"}, {"seed": 4}, {"ci": 0.9}, {"ci": 0}, {"verdict": "published"},
        {"threshold": "sd"}, {"threshold": "sd=0.2"}, {"threshold": "noise"}, {"threshold": "noise=0.5"},
        {"threshold": "fixed=0"}, {"threshold": "fixed=0.7"}, {"threshold": "paper=0.5"}, {"dialogues": [["two rooms"], ["old inn"]]},
    ],
)  # fmt: skip
def test_settings_and_parameters(options: dict[str, Any]) -> None:
    for seed in range(4):
        cases = made_cases(random.Random(seed))
        assert check(score(cases), score(cases, **options), str(options))


def test_scores_of_file() -> None:
    draw = random.Random(2)
    cases = made_cases(draw)
    pairs = [ScorePair(draw.randint(1, 5), draw.randint(1, 5)) for _ in cases]
    before = score(cases, pairs=pairs)
    assert check(before, score(cases, pairs=pairs, lower_is_better=["file"]), "direction")
    changed = 0
    for place, pair in enumerate(pairs):
        for other in (ScorePair(pair.human, 9.0), ScorePair(0.5, pair.adversarial), ScorePair(None, pair.adversarial)):
            after = [*pairs[:place], other, *pairs[place + 1 :]]
            changed += check(before, score(cases, pairs=after), f"{pair} of case {place} is now {other}")
    assert changed > len(pairs)
    first, second = ([*pairs[:place], ScorePair(None, None), *pairs[place + 1 :]] for place in (0, 1))
    check(score(cases, pairs=first), score(cases, pairs=second), "another case is unscored")


def rated(draw: random.Random) -> list[RatedItem]:
    return [
        RatedItem(
            f"{context}.{place}",
            "reply",
            (Move("user", f"{WORDS[context]} {context}"),),
            sentence(draw),
            f"s{place}",
            "",
            {"overall": (draw.randint(1, 5), draw.randint(1, 5))},
            {},
            {"given": draw.random()},
        )
        for context in range(6)
        for place in range(4)
    ]


def people(items: Sequence[RatedItem], **options: Any) -> Numbers:
    mine = {key: options.pop(key) for key in ("weight", "higher_is_better") if key in options}
    options = {"resamples": 60, **options}
    results = [
        judge_people(list(items), {"mine": Weighted(**mine)}, **{"carried": ["*"], **options}),
        judge_people(list(items), **options),  # without a judge, the measures of references are judges
    ]
    return {
        name: ((each.value, each.ci, each.n, each.unscored), each.signature)
        for result in results
        for name, each in result.named_scores.items()
    }


ITEM_MUTATIONS: dict[str, Callable[[RatedItem, random.Random], RatedItem]] = {
    "rating": lambda item, draw: replace(item, ratings={"overall": (draw.randint(1, 9),)}),
    "no rating": lambda item, draw: replace(item, ratings={}),
    "reply": lambda item, draw: replace(item, reply=sentence(draw)),
    "context": lambda item, draw: replace(item, moves=(Move("user", sentence(draw)),)),
    "system": lambda item, draw: replace(item, system=f"s{draw.randint(0, 5)}"),
    "group": lambda item, draw: replace(item, group="g"),
    "score in the file": lambda item, draw: replace(item, scores={"given": draw.random()}),
    "no score in the file": lambda item, draw: replace(item, scores={}),
    "reference": lambda item, draw: replace(item, references=(sentence(draw),)),
}


def test_ratings_of_people() -> None:
    draw = random.Random(8)
    items = [replace(item, references=(sentence(draw),)) for item in rated(draw)]
    before = people(items)
    for name, mutate in ITEM_MUTATIONS.items():
        changed = 0
        for _ in range(4):
            place = draw.randrange(len(items))
            changed += check(before, people([*items[:place], mutate(items[place], draw), *items[place + 1 :]]), name)
        assert changed, name
    options: list[dict[str, Any]] = [
        {"weight": 2.0}, {"higher_is_better": False}, {"lower_is_better": ["given"]}, {"resamples": 61}, {"seed": 3},
        {"ci": 0.8}, {"ci": 0}, {"resample": "items"},
    ]  # fmt: skip
    for each in options:
        assert check(before, people(items, **each), str(each))
    after = people(draw.sample(items, len(items)))
    assert {name: (rounded(numbers), signature) for name, (numbers, signature) in before.items()} == {
        name: (rounded(numbers), signature) for name, (numbers, signature) in after.items()
    }
