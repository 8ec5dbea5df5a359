"""Generated text is parsed back into the same acts: every phrasing, and unknown values."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from dialmeter.model import SYSTEM, USER, Act
from dialmeter.simulation.grammar import BOOKING, GENERAL, Phrase, act, grammar, say
from dialmeter.simulation.understand import noisy, understand
from dialmeter.simulation.world import town

# Values that neither the town nor its phrases know.
STRANGE = {
    "area": ["undercroft", "far moon quarter"],
    "food": ["martian", "deep fried cloud"],
    "pricerange": ["absurd", "next to nothing"],
    "stars": ["9", "eleven"],
    "type": ["submarine", "tree house"],
    "internet": ["patchy"],
    "parking": ["vertical"],
    "name": ["zorbleck and sons", "the last of the inns", "q"],
    "day": ["doomsday", "the 3rd of june"],
    "people": ["37", "nine"],
    "stay": ["40", "nineteen"],
    "time": ["03:37", "half past never"],
    "leaveat": ["03:37"],
    "arriveby": ["23:59"],
    "departure": ["zanzaville", "upper north of nowhere"],
    "destination": ["quexport on sea"],
    "trainid": ["zz99999"],
    "address": ["1 nowhere to be found"],
    "phone": ["12-34-56 ext. 9"],
    "postcode": ["xx1 1xx"],
    "entrance fee": ["three goats"],
    "duration": ["a fortnight"],
    "price": ["0.37 ducats"],
    "car type": ["hovercraft"],
    "colour": ["ultraviolet"],
    "ref": ["000aaa"],
    "choice": ["4711"],
}  # fmt: skip
ROUNDS = 12


def test_strange_values_are_strange() -> None:
    known = {form for entry in _entries() for value, said in entry.items() for form in (value, *said)}
    assert not known & {value for values in STRANGE.values() for value in values}


def _entries() -> list[dict[str, list[str]]]:
    found = []
    for entry in town().spellings.values():
        for each in [entry] if "special_keys" in entry else entry.values():
            found += [
                each["special_keys"]["not_in_goal"],
                {key: said for key, said in each.items() if key != "special_keys"},
            ]
    return found


def test_four_phrasings_per_act() -> None:
    for speaker in (USER, SYSTEM):
        conversation = grammar(town(), speaker)
        assert min(len(frames) for frames in conversation.frames.values()) >= 4
        for clauses in conversation.clauses.values():
            assert min(Counter((clause.slot, clause.value) for clause in clauses).values()) >= 4


def _filled(frame: Phrase, clause: str = "", word: str = "", value: str = "") -> str:
    return frame.text.replace("{clauses}", clause).replace("{word}", word).replace("{v}", value)


FRAMES = [
    (speaker, frame)
    for speaker in (USER, SYSTEM)
    for frames in grammar(town(), speaker).frames.values()
    for frame in frames
]


def _clauses(speaker: str, service: str) -> list[tuple[Phrase, str]]:
    """Every phrase, with strange values where it has room."""
    return [
        (clause, value)
        for clause in grammar(town(), speaker).clauses[service]
        for value in ([clause.value] if clause.value else STRANGE[clause.slot])
    ]


@pytest.mark.parametrize(
    ("speaker", "frame"), FRAMES, ids=lambda each: each if isinstance(each, str) else f"{each.intent}: {each.text}"
)
def test_phrasings_read_back(speaker: str, frame: Phrase) -> None:
    service, words = frame.service, grammar(town(), speaker).words
    if "{" not in frame.text:
        assert understand(frame.text, speaker, town()) == (act(service, frame.intent),)
    elif "{clauses}" in frame.text:
        for clause, value in _clauses(speaker, service):
            text = _filled(frame, clause.text.replace("{v}", value))
            assert understand(text, speaker, town()) == (act(service, frame.intent, clause.slot, value),), text
    elif "{slots}" in frame.text:
        slots = (*town().domains[service].request, "name")
        for one, other in product(slots, slots):
            text = frame.text.replace("{slots}", f"the {words[one]} and the {words[other]}")
            expected = [act(service, "request", slot) for slot in dict.fromkeys((one, other))]
            assert list(understand(text, speaker, town())) == expected
    else:
        for slot in [frame.slot] if frame.slot else STRANGE:
            for value in STRANGE[slot] if "{v}" in frame.text else [""]:
                text = _filled(frame, word=words[slot], value=value)
                assert understand(text, speaker, town()) == (act(service, frame.intent, slot, value),), text


def _moves(rng: Random, strange: bool) -> list[tuple[str, list[Act]]]:
    """Moves of both speakers as bots make them."""
    found: list[tuple[str, list[Act]]] = []

    def value(domain: str, slot: str) -> str:
        if strange or (slot not in town().domains[domain].informable and slot not in town().tables[domain][0]):
            return rng.choice(STRANGE[slot])
        return rng.choice(
            town().goal_values(domain, slot)
            if slot in town().domains[domain].informable
            else town().values(domain, slot)
        )

    for domain, each in town().domains.items():
        search = rng.sample(each.search, rng.randint(1, min(4, len(each.search))))
        facts = rng.sample(each.request, 2)
        wishes = [act(domain, "inform", slot, rng.choice((value(domain, slot), "dontcare"))) for slot in search]
        found.append((USER, wishes))
        found.append((USER, [act(domain, "request", slot) for slot in facts] + [act(GENERAL, "thank")]))
        found.append((SYSTEM, [act(domain, "nooffer", slot, value(domain, slot)) for slot in search]))
        found.append(
            (SYSTEM, [act(domain, "inform", slot, value(domain, slot)) for slot in facts] + [act(GENERAL, "reqmore")])
        )
        found.append((SYSTEM, [act(domain, "inform", "choice", "7"), act(domain, "request", search[0])]))
        if each.book:
            found.append((USER, [act(domain, "inform", slot, value(domain, slot)) for slot in each.book]))
        if each.entity == "name":
            names = [
                act(domain, "recommend", "name", value(domain, "name")),
                act(domain, "recommend", "area", value(domain, "area")),
            ]
            found.append((SYSTEM, [*names, act(BOOKING, "inform")]))
            found.append((SYSTEM, [act(domain, "select", "name", name) for name in rng.sample(STRANGE["name"], 2)]))
    found.append(
        (SYSTEM, [act("train", "offerbook", "trainid", "tr1234"), act("train", "offerbook", "leaveat", "09:50")])
    )
    found.append((SYSTEM, [act("train", "offerbooked", "ref", "abc23456")]))
    found.append((SYSTEM, [act(BOOKING, "nobook", "day", "friday"), act(BOOKING, "request", "stay")]))
    found.append((SYSTEM, [act(BOOKING, "book", "ref", "abc23456"), act(GENERAL, "bye")]))
    return found


@pytest.mark.parametrize("strange", [False, True])
def test_moves_read_back(strange: bool) -> None:
    right = total = 0
    for number in range(ROUNDS):
        rng = Random(number)
        for speaker, acts in _moves(rng, strange):
            read = understand(say(acts, speaker, rng, town()), speaker, town())
            right += len(set(read) & set(acts))
            total += len(set(read) | set(acts))
    assert total > 1000
    assert right / total >= 0.98


def test_users_put_values_in_other_words() -> None:
    texts = {say([act("hotel", "inform", "area", "harbour")], USER, Random(seed), town()) for seed in range(60)}
    assert all(any(form in text for text in texts) for form in town().forms("hotel", "area")["harbour"])


def test_acts_without_words() -> None:
    assert "4711" in say([act("police", "select", "name", "4711")], SYSTEM, Random(1), town())
    assert "09:00" in say([act("hotel", "inform", "open hours", "09:00")], USER, Random(1), town())


def test_free_text_search() -> None:
    read = understand("hey!! any chance of a cheap guesthouse at the waterfront, for 3 nights?", USER, town())
    pairs = {(found.name, found.slot, found.values) for found in read}
    assert pairs == {
        ("Hotel-Inform", "pricerange", ("cheap",)),
        ("Hotel-Inform", "type", ("guesthouse",)),
        ("Hotel-Inform", "area", ("harbour",)),
        ("Hotel-Inform", "stay", ("3",)),
    }
    assert understand("Lovely weather today", USER, town()) == ()


def test_noise_rate_and_kinds() -> None:
    said = [act("hotel", "inform", "area", "north")] * 5000
    heard = noisy(said, 0.2, Random(5), town())
    wrong = len(said) - sum(each == said[0] for each in heard)
    assert 0.17 < wrong / len(said) < 0.23
    slots = sum(each.slot != "area" for each in heard)
    values = sum(each.slot == "area" and each.name == "Hotel-Inform" and each.values != ("north",) for each in heard)
    acts = wrong - slots - values
    assert min(slots, values, acts) > 0.25 * wrong


def test_noise_makes_known_acts() -> None:
    rng = Random(9)
    for _ in range(300):
        for _, acts in _moves(rng, strange=False):
            for each in noisy(acts, 1.0, rng, town()):
                service = town().domains.get(each.service)
                slots = (
                    ("day", "people", "stay", "time", "ref")
                    if service is None
                    else (*service.informable, *service.request, "choice", "ref")
                )
                assert not each.slot or each.slot in slots
