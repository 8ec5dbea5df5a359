"""Boolean slot values: ``true`` and ``false`` are read as yes and no, if the slot has no other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError, one_line
from ..model import DELETED, NAMED, Notice
from .pairs.vocabulary import Vocabulary
from .parts import as_mapping
from .turn_rows import LISTED

_NEUTRAL_VALUES = frozenset(
    ("", "none", "not mentioned", "dontcare", "dont care", "do n't care", "don't care", "yes", "no", DELETED, NAMED)
)
"""Values that do not show whether a slot holds only yes and no."""


class YesNo:
    """Replaces true and false by yes and no, and counts the replacements by slot."""

    def __init__(self) -> None:
        self.dialogue: str | None = None
        self.turn: Any = None
        """The dialogue and turn that are being read."""
        self._counts: dict[str, int] = {}
        self._places: dict[str, tuple[str | None, Any]] = {}

    def replace_boolean(self, slot: str, value: Any) -> Any:
        """Return yes for true and no for false; any other value is unchanged.

        Example:
            >>> YesNo().replace_boolean("hotel-parking", True), YesNo().replace_boolean("train-day", "friday")
            ('yes', 'friday')
        """
        if not isinstance(value, bool):
            return value
        self._counts[slot] = self._counts.get(slot, 0) + 1
        self._places.setdefault(slot, (self.dialogue, self.turn))
        return "yes" if value else "no"

    def notices(self, vocabulary: Vocabulary) -> list[Notice]:
        """Return the notice about replaced values. Call this when the whole file has been read.

        Raises:
            InputError: a slot with true or false also has values other than yes and no.
        """
        if not self._counts:
            return []
        for slot, value in zip(vocabulary.slots, vocabulary.values, strict=True):
            texts = (value,) if isinstance(value, str) else value
            other = next((text for text in texts if text.strip().lower() not in _NEUTRAL_VALUES), None)
            if slot in self._counts and other is not None:
                dialogue, turn = self._places[slot]
                raise InputError(
                    f"the value is true or false, but other values are like {one_line(other, 40)!r}; write the value as text",
                    dialogue=dialogue,
                    turn=turn if isinstance(turn, str | int) else None,
                    slot=slot,
                )
        total = sum(self._counts.values())
        message = f"{total} values are true or false, and were read as yes and no; write them as text"
        return [Notice("yes-no", total, message, tuple(sorted(self._counts)[:LISTED]))]


def flat_state(state: Any, yes_no: YesNo) -> Any:
    """Convert a state of any layout (flat, nested, or a list of ``domain-slot-value``) to a flat state.

    true and false become yes and no.

    Raises:
        InputError: a duplicate key, or a list element that is not ``domain-slot-value``.

    Example:
        >>> flat_state({"hotel": {"area": "east", "parking": True}}, YesNo()), flat_state(["hotel-area-east"], YesNo())
        ({'hotel-area': 'east', 'hotel-parking': 'yes'}, {'hotel-area': 'east'})
    """
    if state is None:
        return None
    if isinstance(state, list):
        return _from_list(state)
    flat: dict[str, Any] = {}
    for key, value in as_mapping(state, "a state").items():
        inner: Mapping[str, Any] = {key: value}
        if "-" not in key and isinstance(value, dict):
            inner = {f"{key}-{name}": each for name, each in as_mapping(value, f"domain {one_line(key)}").items()}
        for slot, each in inner.items():
            if slot in flat:
                raise InputError("duplicate slot", slot=slot)
            flat[slot] = yes_no.replace_boolean(slot, each)
    return flat


def _from_list(pairs: list[Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for pair in pairs:
        parts = pair.split("-", 2) if isinstance(pair, str) else []
        if len(parts) < 3:
            raise InputError(f"a pair reads domain-slot-value, found {one_line(str(pair), 40)!r}")
        slot = f"{parts[0]}-{parts[1]}"
        if flat.setdefault(slot, parts[2]) != parts[2]:
            raise InputError("duplicate slot with two values", slot=slot)
    return flat
