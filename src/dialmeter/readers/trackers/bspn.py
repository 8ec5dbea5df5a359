"""States as texts under ``bspn`` and ``bspn_gen``: results of FnCTOD, UBAR, PPTOD and MTTOD.

``{"mul0003": [{"turn_num": 0, "bspn": "[hotel] area north stay 2", "bspn_gen": "[hotel] area north", ..}]}``

``bspn`` is gold and ``bspn_gen`` is the prediction; both are cumulative. A dialogue is a list of turns (FnCTOD, MTTOD)
or an object of turns by number (UBAR, PPTOD). PPTOD also writes one list of turns with ``dial_id`` and ``turn_num``.
Special tokens such as ``<sos_b>`` and ``<eos_belief>`` are removed. ``[hotel]`` begins a domain. A slot begins with one
of 24 slot names; in MTTOD it begins with a token such as ``[value_area]``.

- A value that contains a slot name is split in two, as in the original code (``name people portraits``: warning
  ``torn``).
- Of two values of one slot the later one is used (warning ``two-values``).
- ``bspn_dict_gen`` is not read: in files of FnCTOD it holds the last state of the dialogue in every turn.
- The warning ``empty-prediction`` counts empty predictions after one that was not empty. FnCTOD writes empty
  predictions for turns that it did not reach, so an interrupted run looks complete.
- The warning ``copied-gold`` reports that the texts of all predictions equal gold. PPTOD copies gold in runs with
  oracle beliefs.
- The scorers of UBAR and PPTOD damage the last value of texts without special tokens ("yes" becomes "y"). This reader
  does not.

The reader was implemented from the code that writes this format; no real file was available.
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
_SPECIAL_TOKEN = re.compile(r"<(?:[sb]os|eos)_\w+>")
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
        yield from _read_list(source, reader)
    else:
        for name, thing in source.members():
            with placing(dialogue=name):
                numbered = enumerate(thing) if isinstance(thing, list) else as_mapping(thing, "a dialogue").items()
                yield dialogue(name, reader.turns(name, numbered))
    reader.add_notices(source)


def _read_list(source: Source, reader: _Reader) -> Iterator[PairDialogue]:
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
    """Reads turns and counts what notices report."""

    def __init__(self) -> None:
        self._split_values = Places()
        self._repeated = Places()
        self._empty = Places()
        self._nonempty: set[str] = set()
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
                self._nonempty.add(name)
            elif name in self._nonempty:
                self._empty.add(place)
        user = _SPECIAL_TOKEN.sub("", as_text(row.get("user"), "user")).strip()
        return Turn(number, self._state(gold, place), self._state(pred, place), user)

    def _state(self, text: str | None, place: str) -> State | None:
        if text is None:
            return None
        state: dict[str, str] = {}
        for slot, value in pairs_in(text):
            if not value and "[value_" not in text:
                self._split_values.add(f"{place} {slot}")
            if value in _ABSENT:
                continue
            if state.get(slot, value) != value:
                self._repeated.add(f"{place} {slot}")
            state[slot] = value
        return state

    def add_notices(self, source: Source) -> None:
        """Add the notices to the source."""
        add_notices(
            source,
            {
                "torn": (
                    self._split_values,
                    "{} slots have no value; perhaps a value contains a slot name and was split in two",
                ),
                "two-values": (self._repeated, "{} slots have two values in one state; the later one is used"),
                "empty-prediction": (
                    self._empty,
                    "{} predictions are empty after one that was not; the run may have been interrupted",
                ),
            },
        )
        if self._predictions > 1 and self._copies == self._predictions:
            message = "the texts of all predictions equal gold; they are not predictions if the run used oracle beliefs"
            source.notices.append(Notice("copied-gold", self._copies, message))


def pairs_in(text: str) -> list[tuple[str, str]]:
    """Return the slots and values in a text, in order. A value may be empty.

    Example:
        >>> pairs_in("<sos_b> [hotel] area north stay 2 <eos_b>")
        [('hotel-area', 'north'), ('hotel-stay', '2')]
        >>> pairs_in("[attraction] [value_name] people portraits <eos_belief> [hotel] [value_area] east")
        [('attraction-name', 'people portraits')]
        >>> pairs_in("[attraction] name people portraits")
        [('attraction-name', ''), ('attraction-people', 'portraits')]
    """
    words = _SPECIAL_TOKEN.sub(" ", _END.split(text, maxsplit=1)[0]).split()
    has_value_tokens = any(word.startswith("[value_") for word in words)
    pairs: list[tuple[str, list[str]]] = []
    domain = ""
    is_open = False
    for word in words:
        if word.startswith("[value_") and word.endswith("]"):
            slot = word[len("[value_") : -1]
        elif word.startswith("[") and word.endswith("]"):
            domain, is_open = word[1:-1], False
            continue
        elif not has_value_tokens and word in _SLOT_WORDS:
            slot = word
        else:
            if is_open:
                pairs[-1][1].append(word)
            continue
        is_open = bool(domain)
        if is_open:
            pairs.append((f"{domain}-{slot}", []))
    return [(slot, " ".join(value)) for slot, value in pairs]
