"""States as the text of ``bspn`` and ``bspn_gen``: FnCTOD, UBAR, PPTOD and MTTOD.

``{"mul0003": [{"turn_num": 0, "bspn": "[hotel] area north stay 2", "bspn_gen": "[hotel] area north", ..}]}``

``bspn`` is gold and ``bspn_gen`` the prediction, both cumulative. A dialogue is a list of turns (FnCTOD, MTTOD) or an object
of turns by number (UBAR, PPTOD); PPTOD also writes one list of turns with ``dial_id`` and ``turn_num``. Marks such as ``<sos_b>`` and
``<eos_belief>`` are cut. ``[hotel]`` opens a domain, and one of 23 words opens a slot; with MTTOD ``[value_area]`` does.

- A value that holds such a word is torn in two, as the originals do (``name people portraits``: warning ``torn``).
- Of two values of one slot the later one holds (warning ``two-values``).
- ``bspn_dict_gen`` is not read: in FnCTOD's files it shows the dialogue's last state at every turn.
- A prediction that is empty after one that was not: FnCTOD saves turns that were never reached as empty, so an interrupted
  run looks complete (warning ``empty-prediction``).
- All predictions equal to gold, text by text: PPTOD copies gold in runs with oracle beliefs (warning ``copied-gold``).
- UBAR's and PPTOD's own scorer damages the last value of texts without marks ("yes" becomes "y"); here it stays whole.

No real file of this format was at hand: it was written down from the code that writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import InputError, placing
from ...model import Dialogue, Notice, State, Turn
from ..pairs.vocabulary import PairDialogue
from ..parts import Role, as_mapping, as_text, dialogue, first_mapping, first_value, read_turns, turn_number
from ..source import Sample, Source
from ..strict_json import kind_of
from ..turn_rows import Places, TurnRows, add_notices, add_row_place, as_id, turn_label

HOLDS = "both"
CARRIES = "gold and predicted states, cumulative, each as one text"

_GOLD, _PRED = "bspn", "bspn_gen"
_SLOT_WORDS = frozenset(
    [
        "area",
        "arrive",
        "address",
        "car",
        "day",
        "departure",
        "department",
        "destination",
        "food",
        "id",
        "internet",
        "leave",
        "name",
        "parking",
        "people",
        "phone",
        "postcode",
        "price",
        "pricerange",
        "reference",
        "stars",
        "stay",
        "time",
        "type",
    ]
)
_MARK = re.compile(r"<(?:[sb]os|eos)_\w+>")
_END = re.compile(r"<eos_b(?:elief)?>")
_ABSENT = ("", "none", "not mentioned")


def detect(sample: Sample) -> bool:
    if sample.kind != "document":
        return False
    first = first_value(sample.value)
    turn = first_mapping(sample.value) or first_mapping(first) or first_value(first)
    return isinstance(turn, dict) and isinstance(turn.get(_PRED, turn.get(_GOLD)), str)


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    reader = _Reader()
    if isinstance(source.sample.value, list):
        yield from _listed(source, reader)
    else:
        for name, thing in source.members():
            with placing(dialogue=name):
                numbered = enumerate(thing) if isinstance(thing, list) else as_mapping(thing, "a dialogue").items()
                yield dialogue(name, reader.turns(name, numbered))
    reader.add_notices(source)


def _listed(source: Source, reader: _Reader) -> Iterator[PairDialogue]:
    rows = TurnRows(source)
    for thing in source.elements():
        row = as_mapping(thing, "a turn")
        name = as_id(row.get("dial_id"), "dial_id")
        number = row.get("turn_num")
        try:
            rows.add(name, reader.turn(name, number, row))
        except InputError as error:
            raise add_row_place(error, name, number) from None
    source.check_keys()
    if not rows:
        raise InputError("a list without turns")
    yield from rows.dialogues()


class _Reader:
    """Reads turns, and counts what is odd."""

    def __init__(self) -> None:
        self._torn = Places()
        self._doubled = Places()
        self._empty = Places()
        self._filled: set[str] = set()
        self._predictions = 0
        self._copies = 0

    def turns(self, name: str, numbered: Iterable[tuple[Any, Any]]) -> Iterator[Turn]:
        return read_turns(numbered, lambda number, thing: self.turn(name, number, as_mapping(thing, "a turn")))

    def turn(self, name: str, written: Any, row: Any) -> Turn:
        number = turn_number(written)
        place = turn_label(name, number)
        gold, pred = row.get(_GOLD), row.get(_PRED)
        if gold is None and pred is None:
            raise InputError(f"neither {_GOLD} nor {_PRED}")
        for key, text in ((_GOLD, gold), (_PRED, pred)):
            if text is not None and not isinstance(text, str):
                raise InputError(f"{key} must be a string, found {kind_of(text)}")
        if pred is not None:
            self._predictions += 1
            self._copies += gold is not None and gold.split() == pred.split()
            if pred.strip():
                self._filled.add(name)
            elif name in self._filled:
                self._empty.add(place)
        user = _MARK.sub("", as_text(row.get("user"), "user")).strip()
        return Turn(number, self._state(gold, place), self._state(pred, place), user)

    def _state(self, text: str | None, place: str) -> State | None:
        if text is None:
            return None
        state: dict[str, str] = {}
        for slot, value in pairs_in(text):
            if not value and "[value_" not in text:
                self._torn.add(f"{place} {slot}")
            if value in _ABSENT:
                continue
            if state.get(slot, value) != value:
                self._doubled.add(f"{place} {slot}")
            state[slot] = value
        return state

    def add_notices(self, source: Source) -> None:
        """Adds what was counted to the source."""
        add_notices(
            source,
            {
                "torn": (
                    self._torn,
                    "{} slots have no value: perhaps a value holds the name of a slot and is torn in two",
                ),
                "two-values": (self._doubled, "{} slots have two values in one state; the later one is taken"),
                "empty-prediction": (
                    self._empty,
                    "{} predictions are empty after one that was not; an interrupted run leaves such turns",
                ),
            },
        )
        if self._predictions > 1 and self._copies == self._predictions:
            message = (
                "all predictions are copies of gold, text by text; in a run with oracle beliefs they are no predictions"
            )
            source.notices.append(Notice("copied-gold", self._copies, message))


def pairs_in(text: str) -> list[tuple[str, str]]:
    """Slots and values in a text, in their order; a value may be empty.

    Example:
        >>> pairs_in("<sos_b> [hotel] area north stay 2 <eos_b>")
        [('hotel-area', 'north'), ('hotel-stay', '2')]
        >>> pairs_in("[attraction] [value_name] people portraits <eos_belief> [hotel] [value_area] east")
        [('attraction-name', 'people portraits')]
        >>> pairs_in("[attraction] name people portraits")
        [('attraction-name', ''), ('attraction-people', 'portraits')]
    """
    words = _MARK.sub(" ", _END.split(text, maxsplit=1)[0]).split()
    with_values = any(word.startswith("[value_") for word in words)
    found: list[tuple[str, list[str]]] = []
    domain = ""
    is_open = False
    for word in words:
        if word.startswith("[value_") and word.endswith("]"):
            slot = word[len("[value_") : -1]
        elif word.startswith("[") and word.endswith("]"):
            domain, is_open = word[1:-1], False
            continue
        elif not with_values and word in _SLOT_WORDS:
            slot = word
        else:
            if is_open:
                found[-1][1].append(word)
            continue
        is_open = bool(domain)
        if is_open:
            found.append((f"{domain}-{slot}", []))
    return [(slot, " ".join(value)) for slot, value in found]
