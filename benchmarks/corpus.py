"""Generate a corpus for speed measurements: dialogues like MultiWOZ's with the predictions of an average tracker.

Run with `python benchmarks/corpus.py FILE` (`--help` for options). The corpus has five domains, thirty slots, and native
JSON lines. The same seed gives the same bytes. Gold has changed and deleted values, dontcare and alternatives. The
tracker has missed, late, wrong and invented values, other spellings, and values that gold deleted. Lengths of dialogues
and utterances, sizes of states and the share of turns that change them are close to those of published predictions on
MultiWOZ 2.1.
"""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from dialmeter.model import Dialogue, State, Turn
from dialmeter.readers.layouts.own import write

DIALOGUES = 20_000
SEED = 1

_FIRST = ["acorn", "alder", "amber", "anchor", "barley", "beech", "bridge", "castle", "cedar", "copper", "coral"]
_SECOND = ["gate", "hall", "hill", "house", "lane", "lodge", "mill", "place", "rise", "row", "view", "yard"]
_NAMES = [f"{first} {second}" for first in _FIRST for second in _SECOND]
_NAMES += [f"{first}-{second} house" for first in _FIRST for second in _SECOND[:3]]
_AREAS = ["centre", "east", "north", "south", "west"]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = [str(number) for number in range(1, 9)]
_PRICES = ["cheap", "moderate", "expensive"]
_TIMES = [f"{hour:02}:{minute:02}" for hour in range(5, 24) for minute in range(0, 60, 5)]
_TOWNS = [f"{first}{ending}" for first in _FIRST for ending in ("ton", "ford", "by")]
_YES_NO = ["yes", "no"]
_FOODS = ["british", "chinese", "french", "gastropub", "indian", "italian", "modern european", "north american", "thai"]
_SIGHTS = ["architecture", "boat", "cinema", "college", "museum", "night club", "park", "swimming pool", "theatre"]

SLOTS: dict[str, list[str]] = {
    "attraction-area": _AREAS,
    "attraction-name": _NAMES,
    "attraction-type": _SIGHTS,
    "hotel-area": _AREAS,
    "hotel-day": _DAYS,
    "hotel-internet": _YES_NO,
    "hotel-name": _NAMES,
    "hotel-parking": _YES_NO,
    "hotel-people": _NUMBERS,
    "hotel-pricerange": _PRICES,
    "hotel-stars": _NUMBERS[:5],
    "hotel-stay": _NUMBERS[:5],
    "hotel-type": ["guest house", "hotel"],
    "restaurant-area": _AREAS,
    "restaurant-day": _DAYS,
    "restaurant-food": _FOODS,
    "restaurant-name": _NAMES,
    "restaurant-people": _NUMBERS,
    "restaurant-pricerange": _PRICES,
    "restaurant-time": _TIMES,
    "taxi-arriveby": _TIMES,
    "taxi-departure": _NAMES,
    "taxi-destination": _NAMES,
    "taxi-leaveat": _TIMES,
    "train-arriveby": _TIMES,
    "train-day": _DAYS,
    "train-departure": _TOWNS,
    "train-destination": _TOWNS,
    "train-leaveat": _TIMES,
    "train-people": _NUMBERS,
}
_DOMAINS = {
    domain: [slot for slot in SLOTS if slot.startswith(domain + "-")]
    for domain in sorted({slot.partition("-")[0] for slot in SLOTS})
}
_OPENERS = [
    "Hello, I am looking for {}, please.",
    "Can you find something with {}?",
    "I would also like {}, if possible.",
    "Yes please, and make it {}.",
    "It does not matter. I need {}, though.",
]
_IDLE = [
    "That sounds good. Can you give me the phone number and the postcode?",
    "No, that is all that I needed today. Thank you for your help!",
    "Yes, please book that for me. I will also need the reference number.",
]
_REPLIES = [
    "There are {} places that fit. Would you like me to narrow it down for you?",
    "I have {} options for you. Is there anything else that you would prefer?",
    "Booking was successful. Reference number is: XKQ7R{}. Can I help with anything else?",
    "Sure, I found {} of them in town. When would you like to go there, and for how many people?",
]
_NEW_SLOTS = (0, 0, 1, 1, 1, 1, 2, 2, 3, 3)


def dialogues(count: int = DIALOGUES, seed: int = SEED) -> Iterator[Dialogue]:
    """Generate dialogues of about seven turns."""
    rng = random.Random(seed)
    for number in range(count):
        yield Dialogue(f"GEN{number:05}.json", tuple(_turns(rng)))


def _turns(rng: random.Random) -> Iterator[Turn]:
    domains = rng.sample(list(_DOMAINS), rng.choice((1, 2, 2, 3, 3)))
    agenda = [
        slot for domain in domains for slot in rng.sample(_DOMAINS[domain], rng.randint(3, len(_DOMAINS[domain])))
    ]
    gold: dict[str, str] = {}
    tracker = _Tracker(rng)
    for number in range(min(max(round(rng.gauss(7.3, 2.5)), 2), 18)):
        news = {slot: _gold_value(rng, slot) for slot in agenda[: rng.choice(_NEW_SLOTS)]}
        del agenda[: len(news)]
        if gold and rng.random() < 0.06:
            changed = rng.choice(list(gold))
            news[changed] = _gold_value(rng, changed)
        deleted = rng.choice(list(gold)) if gold and rng.random() < 0.01 else None
        gold = {slot: value for slot, value in gold.items() if slot != deleted} | news
        pred = tracker.follow(news, deleted)
        reply = rng.choice(_REPLIES).format(rng.randint(2, 30)) if number else ""
        yield Turn(number, gold, pred, _utterance(rng, news), reply)


def _gold_value(rng: random.Random, slot: str) -> str:
    kind = rng.random()
    if kind < 0.03:
        return "dontcare"
    if kind < 0.035 and SLOTS[slot] is _NAMES:
        return "|".join(rng.sample(_NAMES, 2))
    return rng.choice(SLOTS[slot])


def _utterance(rng: random.Random, news: dict[str, str]) -> str:
    if not news:
        return rng.choice(_IDLE)
    wishes = " and ".join(f"{slot.partition('-')[2]} {value}" for slot, value in news.items())
    return rng.choice(_OPENERS).format(wishes)


class _Tracker:
    """A tracker that follows gold with mistakes of several kinds."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._state: dict[str, str] = {}
        self._late: dict[str, str] = {}

    def follow(self, news: dict[str, str], deleted: str | None) -> dict[str, str]:
        """Return the predicted state after a turn."""
        rng = self._rng
        state = self._state = self._state | self._late
        self._late = {}
        if deleted is not None and rng.random() < 0.4:
            state.pop(deleted, None)
        for slot, value in news.items():
            kind = rng.random()
            if kind < 0.04:
                self._late[slot] = value
            elif kind < 0.08:
                state[slot] = rng.choice(SLOTS[slot])
            elif kind >= 0.12:
                state[slot] = self._spelled(value)
        if rng.random() < 0.02:
            invented = rng.choice(list(SLOTS))
            state[invented] = "none" if rng.random() < 0.1 else rng.choice(SLOTS[invented])
        return dict(state)

    def _spelled(self, value: str) -> str:
        if value == "dontcare":
            return "do not care" if self._rng.random() < 0.2 else value
        if "|" in value:
            return value.split("|")[self._rng.randrange(2)]
        return value.title() if self._rng.random() < 0.002 else value


def in_slot_order(dialogue: Dialogue) -> Dialogue:
    """Return the dialogue with the slots of every state sorted, as trackers with an ontology write them."""
    turns = [
        Turn(turn.number, _sorted(turn.gold), _sorted(turn.pred), turn.user, turn.system) for turn in dialogue.turns
    ]
    return Dialogue(dialogue.id, tuple(turns))


def _sorted(state: State | None) -> State:
    return dict(sorted((state or {}).items()))


def write_corpus(path: Path, count: int = DIALOGUES, seed: int = SEED, slot_order: bool = False) -> None:
    """Write the corpus to a file, with slots in the order of their first mention, or sorted."""
    with path.open("wb") as file:
        write(map(in_slot_order, dialogues(count, seed)) if slot_order else dialogues(count, seed), file)


def main() -> None:
    """Write a corpus."""
    parser = argparse.ArgumentParser(description="Write a corpus for speed measurements.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--dialogues", type=int, default=DIALOGUES)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    write_corpus(options.file, options.dialogues, options.seed)


if __name__ == "__main__":
    main()
