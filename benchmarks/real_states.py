"""Published states for speed measurements, and an endless stream of changed copies.

The states are gold of MultiWOZ 2.1 with the predictions of three systems, joined by id. They come from the shared data
(DIALMETER_SHARED, by default `shared` next to the project). Without that data, a generator gives states with the
same spellings. A copy has new ids, and a seeded 5 % of its names and times are changed, equally in gold and prediction.
So the scores of a copy are close to those of the original, while the number of distinct pairs keeps growing.
"""

import gzip
import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import corpus

SHARED = Path(os.environ.get("DIALMETER_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"
SYSTEMS = ("damd", "labes", "uniconv")
SEED = 1
CHANGED_SHARE = 0.05
GENERATED_DIALOGUES = 3000

State: TypeAlias = dict[str, dict[str, str]]
"""Domain, slot, value, spelled as in the file that the state comes from."""


class Conversation(NamedTuple):
    """A dialogue with one gold state and one predicted state per turn."""

    stem: str
    gold: list[State]
    pred: list[State]
    extras: list[dict[str, Any]] = []  # noqa: RUF012  never changed; other keys of the predicted turns


def load_json(*parts: str) -> Any:
    """Load a JSON file of the shared data, compressed or not."""
    content = SHARED.joinpath(*parts).read_bytes()
    return json.loads(gzip.decompress(content) if parts[-1].endswith(".gz") else content)


def has_shared_data() -> bool:
    """Return True if the shared data is available."""
    return (SHARED / "compat" / "mwzeval" / "mw21.gold.json.gz").exists()


def read_conversations(systems: Sequence[str] = SYSTEMS) -> list[Conversation]:
    """Read gold of MultiWOZ 2.1, joined with the predictions of each system; the systems are mixed in a seeded order."""
    if not has_shared_data():
        return list(_generate_conversations(systems))
    gold = load_json("compat", "mwzeval", "mw21.gold.json.gz")
    found = []
    for letter, system in zip("ABC", systems, strict=False):
        for name, turns in load_json("compat", "mwzeval", f"{system}.pred.json.gz").items():
            extras = [{key: value for key, value in turn.items() if key != "state"} for turn in turns]
            pred = [turn["state"] for turn in turns]
            # One system alone keeps the ids, so that files of several systems can be compared.
            stem = name + (letter if len(systems) > 1 else "")
            found.append(Conversation(stem, [turn["state"] for turn in gold[name]], pred, extras))
    found.sort(key=lambda each: each.stem)
    random.Random(SEED).shuffle(found)
    return found


# The spellings of the three systems, by short name.
_GOLD_SPELLING = {"arriveby": "arriveBy", "leaveat": "leaveAt"}
_PRED_SPELLING = {"arriveby": "arrive", "leaveat": "leave"}
BOOK_SLOTS = {
    ("hotel", "day"),
    ("hotel", "people"),
    ("hotel", "stay"),
    ("restaurant", "day"),
    ("restaurant", "people"),
    ("restaurant", "time"),
    ("train", "people"),
}


def _generate_conversations(systems: Sequence[str]) -> Iterator[Conversation]:
    """Generate states with the spellings of the published ones; every system has the same gold."""
    for system in range(len(systems)):
        seed = SEED + (system if len(systems) > 1 else 0)
        for dialogue in corpus.dialogues(GENERATED_DIALOGUES // len(systems), seed):
            stem = dialogue.id.removesuffix(".json").lower() + ("ABC"[system] if len(systems) > 1 else "")
            gold = [_nest(turn.gold or {}, gold=True) for turn in dialogue.turns]
            pred = [_nest(turn.pred or {}, gold=False) for turn in dialogue.turns]
            yield Conversation(stem, gold, pred, [{"response": ""} for _ in pred])


def _nest(state: Any, gold: bool) -> State:
    nested: State = {}
    for name, value in state.items():
        domain, _, slot = name.partition("-")
        spelled = (_GOLD_SPELLING if gold else _PRED_SPELLING).get(slot, slot)
        if gold and (domain, slot) in BOOK_SLOTS:
            spelled = f"book{slot}"
        nested.setdefault(domain, {})[spelled] = value
    return nested


def copy_conversations(conversations: Sequence[Conversation]) -> Iterator[Conversation]:
    """Yield the conversations, and then changed copies of them without end."""
    for number in count():
        for each in conversations:
            change = ValueChange(number, each.stem)
            yield each._replace(
                stem=f"{each.stem}{number:02}",
                gold=[change.change_state(state) for state in each.gold],
                pred=[change.change_state(state) for state in each.pred],
            )


class ValueChange:
    """The changes to a seeded share of the names and times of one dialogue; copy 0 is the original.

    The same value is changed in the same way at all places. Spellings that differ only in blanks and punctuation
    count as the same value. So a right prediction stays right, and a wrong one stays wrong.
    """

    def __init__(self, copy: int, stem: str) -> None:
        self._copy = copy
        self._rng = random.Random(f"{SEED}/{copy}/{stem}")
        self._chosen: dict[str, tuple[str, int]] = {}

    def change_state(self, state: State) -> State:
        """Return a state with some names and times changed at random."""
        if not self._copy:
            return state
        return {
            domain: {slot: self.change_value(slot, value) for slot, value in slots.items()}
            for domain, slots in state.items()
        }

    def change_value(self, slot: str, value: str) -> str:
        """Return the value of a slot, changed or unchanged."""
        if not self._copy or not _CHANGING_SLOT.search(slot) or value in _WORDS:
            return value
        key = "".join(filter(str.isalnum, value.lower()))
        if key not in self._chosen:
            is_changed = self._rng.random() < CHANGED_SHARE
            word = "".join(self._rng.choice(_SYLLABLES) for _ in range(3)) if is_changed else ""
            self._chosen[key] = word, self._rng.randrange(1, 1440)
        word, minutes = self._chosen[key]
        if not word:
            return value
        time = _TIME.fullmatch(value)
        return _shift_time(time, minutes) if time else f"{value} {word}"


_CHANGING_SLOT = re.compile(
    r"name$|^departure$|^destination$|city$|location$|address|time$|^leave|^arrive", re.IGNORECASE
)
_WORDS = {"", "none", "dontcare", "do n't care", "don't care", "dont care", "not mentioned"}
_TIME = re.compile(r"(\d{1,2})(:?)(\d{2})")
_SYLLABLES = ["bar", "den", "fel", "gor", "hal", "kes", "lin", "mor", "nor", "pel", "ran", "sel", "tor", "ul", "wen"]


def _shift_time(time: re.Match[str], minutes: int) -> str:
    total = (int(time[1]) * 60 + int(time[3]) + minutes) % 1440
    return f"{total // 60:02}{time[2]}{total % 60:02}"


def short_slot(slot: str) -> str:
    """Return the short name of a slot for all its spellings: `leaveAt` and `leave` are `leaveat`, `bookday` is `day`."""
    lowered = slot.lower().removeprefix("book")
    return {"leave": "leaveat", "arrive": "arriveby"}.get(lowered, lowered)


def shorten(state: State) -> State:
    """Return a state with short slot names, from which a format makes its own spelling."""
    return {domain: {short_slot(slot): value for slot, value in slots.items()} for domain, slots in state.items()}


_USER = [
    "I am looking for a place to stay that has {} rooms and free parking, please.",
    "Could you also find me a train that leaves after {}:15 on the same day and tell me the price?",
    "Yes, please book it for {} people. I will also need the reference number for that booking.",
    "That sounds good. Can I get the phone number, the postcode and the address? There will be {} of us.",
    "It doesn't matter to me, but it should be within {} minutes of the city centre if possible.",
    "Actually, let's change that. I would prefer something cheaper, for {} nights, starting on sunday.",
    "No, that is all I needed today. Thank you so much for your help with these {} bookings!",
    "I'd like a restaurant that serves modern european food, and a table for {} at about 18:45.",
]
_SYSTEM = [
    "There are {} places that fit what you asked for. Would you like me to narrow it down by price range?",
    "Booking was successful. The reference number is XK{}Q7RT. Is there anything else I can help you with?",
    "I have {} trains on that route. What time would you like to arrive, and for how many people is it?",
    "Sure, I found {} guesthouses in the north of town. Do you need free parking or internet there?",
    "I'm sorry, nothing is available for {} people at that time. Would you like to try another day?",
    "It is a {} star hotel with free wifi in the east part of town. Should I book a room for you?",
]


def invent_talk(rng: random.Random) -> tuple[str, str]:
    """Return an utterance of the user and a reply of the system, each of usual length (60 to 110 characters)."""
    number = rng.randint(2, 30)
    return rng.choice(_USER).format(number), rng.choice(_SYSTEM).format(number)
