"""Value maps, which list the forms of slot values that mean the same. Users and trackers share them.

A map is a JSON file in the published format, ``{slot: {canonical value: [form, ..], "special_keys": {..}}}``. A slot
may also be split by domain: ``{slot: {domain: {..}}}``. ``special_keys`` may hold ``not_in_goal`` and ``steps``.
``not_in_goal`` holds values that no goal contains, in the same format (optionally by domain). ``steps`` are applied to
a value and to the forms before they are compared. Slots and domains are in lower case.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from ..errors import DialmeterError, InputError, did_you_mean, one_line, placing
from ..readers.pairs.slot_names import canonical_slot
from ..readers.source import Source, cache_until_changed
from .steps import MAP_STEPS

OWN = "own"
"""The name of all maps that are not shipped. Their digests identify them."""
_SPECIAL = "special_keys"
_SHIPPED = Path(__file__).parent / "shipped"
_GAPS = re.compile(r"[\s_]+")


class SlotValues:
    """The values of one slot in one domain.

    Attributes:
        steps: names of the steps that are applied to values and forms before they are compared.
        values: canonical value → its forms after the steps.
        known: the canonical values, including those that no goal contains.
        by_form: form after the steps → canonical value.
    """

    def __init__(self, values: Mapping[str, Any], not_in_goal: Mapping[str, Any], steps: tuple[str, ...] = ()) -> None:
        self.steps = steps
        self.values = self._forms(values)
        outside = self._forms(not_in_goal)
        self.known = frozenset([*values, *not_in_goal]) - {_SPECIAL}
        self._canonical_values = (*self.values, *outside)
        self.by_form: dict[str, str] = {}
        for key, forms in (*self.values.items(), *outside.items()):
            for form in forms:
                self.by_form.setdefault(form, key)

    @property
    def meaning(self) -> tuple[object, ...]:
        """All that matching can see. The order of the file is seen only in what a form of several values means."""
        values = {key: sorted(set(forms)) for key, forms in self.values.items()}
        return self.steps, values, sorted(self.known), self.by_form, self._canonical_by_form

    def canonical(self, value: str) -> str:
        """Return the canonical value of a form, ignoring case and extra blanks; otherwise the value after the steps."""
        stepped = self._apply_steps(value)
        return self._canonical_by_form.get(_comparison_key(stepped), stepped)

    def _forms(self, listed: Mapping[str, Any]) -> dict[str, list[str]]:
        return {
            key: [self._apply_steps(form) for form in forms]
            for key, forms in listed.items()
            if key != _SPECIAL and isinstance(forms, list)
        }

    def _apply_steps(self, text: str) -> str:
        for step in self.steps:
            text = MAP_STEPS[step](text)
        return text

    @cached_property
    def _canonical_by_form(self) -> dict[str, str]:
        """Form, ignoring case and extra blanks → canonical value. A canonical value always maps to itself."""
        canonical: dict[str, str] = {}
        for form, key in (*((self._apply_steps(key), key) for key in self._canonical_values), *self.by_form.items()):
            canonical.setdefault(_comparison_key(form), key)
        return canonical


class ValueMap:
    """A value map in the published format.

    Args:
        slots: the content of the file.
        name: the name of a shipped map.

    Raises:
        InputError: invalid format, or an unknown step.

    Example:
        >>> areas = ValueMap({"area": {"centre": ["city center", "middle of town"], "north": ["northern part"]}})
        >>> areas.canonical("hotel-area", "City  Center"), areas.canonical("hotel-area", "south")
        ('centre', 'south')
    """

    def __init__(self, slots: Mapping[str, Mapping[str, Any]], name: str = OWN) -> None:
        self.name = name
        self._slots = {_check_slot(slot, values): values for slot, values in slots.items()}
        self._split = frozenset(slot for slot, values in self._slots.items() if _is_split(values))
        self._tables: dict[tuple[str, str], SlotValues | None] = {}

    @classmethod
    def read(cls, path: str | Path) -> ValueMap:
        """Read a map from a file, plain or compressed.

        Raises:
            InputError: the file does not exist, or is not a map.
        """
        source = Source(path)
        document = source.document
        if not isinstance(document, dict):
            raise InputError("a value map must be an object: slot → canonical value → list of forms", file=source.name)
        with placing(file=source.name):
            return cls(document)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots of the map."""
        return tuple(self._slots)

    @cached_property
    def digest(self) -> str:
        """Ten hexadecimal digits that identify the meaning of this map.

        The order of the file counts only where it decides what a form, or a spelling of a slot, means.

        Example:
            >>> north, centre, hill = {"north": ["up", "top"]}, {"centre": ["middle"]}, {"hill": ["top"]}
            >>> ValueMap({"area": north | centre}).digest == ValueMap({"area": centre | north}).digest
            True
            >>> ValueMap({"area": north | hill}).digest == ValueMap({"area": hill | north}).digest
            False
        """
        meanings = {}
        for slot, values in self._slots.items():
            outside = _mapping(_mapping(values.get(_SPECIAL)).get("not_in_goal"))
            own = [domain for domain, each in outside.items() if isinstance(each, dict)]
            for domain in values if slot in self._split else ["", *own]:
                table = self.table(domain, slot)
                meanings[f"{domain}-{slot}"] = None if table is None else table.meaning
        encoded = msgspec.json.encode((meanings, self._slots_by_spelling), order="sorted")
        return hashlib.sha256(encoded).hexdigest()[:10]

    @property
    def label(self) -> str:
        """The name and digest of the map, for signatures.

        Example:
            >>> ValueMap({"area": {"centre": ["city center"]}}).label
            'own@e28fd29418'
        """
        return f"{self.name}@{self.digest}"

    def is_split(self, slot: str) -> bool:
        """Return True if the map splits this slot by domain."""
        return slot in self._split

    def canonical(self, slot: str, value: str) -> str:
        """Return the canonical value of a form; for an unlisted form, the value after the steps of the slot.

        Args:
            slot: ``domain-slot`` in any spelling (``train-leaveAt``, ``train-leave at``, ``train-leave``).
            value: the value after the steps of the rule set. Case and extra blanks are ignored.

        Example:
            >>> multiwoz = load_shipped("multiwoz")
            >>> multiwoz.canonical("train-leave at", "5:15 pm"), multiwoz.canonical("hotel-type", "guest house")
            ('17:15', 'guesthouse')
        """
        domain, hyphen, name = slot.partition("-")
        spelling = _normalise_slot(name if hyphen else slot)
        key = self._slots_by_spelling.get(spelling) or self._slots_by_spelling.get(canonical_slot(spelling))
        table = None if key is None else self.table(domain.lower() if hyphen else "", key)
        return value if table is None else table.canonical(value)

    @cached_property
    def _slots_by_spelling(self) -> dict[str, str]:
        """Spelling → slot name in the map. The exact spelling of a slot has priority over a canonical name."""
        own = {_normalise_slot(slot): slot for slot in reversed(self._slots)}
        return {canonical_slot(spelling): slot for spelling, slot in own.items()} | own

    def table(self, domain: str, slot: str) -> SlotValues | None:
        """Return the values of a slot in a domain; None if the map has none. The slot is spelled as in the map."""
        key = (domain, slot)
        if key not in self._tables:
            values: Any = self._slots.get(slot)
            if slot in self._split and values is not None:
                values = values.get(domain)
            special = _mapping(_mapping(values).get(_SPECIAL))
            outside = _mapping(special.get("not_in_goal"))
            own = outside.get(domain)
            own, steps = own if isinstance(own, dict) else outside, tuple(special.get("steps", ()))
            self._tables[key] = None if values is None else SlotValues(values, own, steps)
        return self._tables[key]


def _mapping(value: Any) -> dict[str, Any]:
    """Return an object of the file; an empty dict for any other type."""
    return value if isinstance(value, dict) else {}


@cache
def names() -> tuple[str, ...]:
    """Return the names of the shipped maps.

    Example:
        >>> names()
        ('multiwoz',)
    """
    return tuple(sorted(Path(entry.name).stem for entry in _SHIPPED.iterdir()))


@cache
def load_shipped(name: str) -> ValueMap:
    """Load a shipped map.

    Raises:
        DialmeterError: unknown map.
    """
    if name not in names():
        raise DialmeterError(f"no file and no value map {name!r}; {did_you_mean(name, names())}")
    data = (_SHIPPED / f"{name}.json").read_bytes()
    return ValueMap(msgspec.json.decode(data, type=dict[str, dict[str, Any]]), name)


def load(name_or_file: str | Path) -> ValueMap:
    """Load a shipped map by name, or a map from a file.

    Raises:
        DialmeterError: neither a known name nor a file, or not a map.
    """
    text = str(name_or_file)
    path = Path(text)
    # A missing file is reported for any text that looks like a path.
    is_file = text == "-" or path.exists() or path.suffix or path.name != text
    if text in names() or not is_file:
        return load_shipped(text)
    return _read_map(text)


_read_map = cache_until_changed(ValueMap.read)


def _comparison_key(text: str) -> str:
    return " ".join(text.lower().split())


def _normalise_slot(slot: str) -> str:
    return _GAPS.sub("", slot.lower())


def _is_split(values: Mapping[str, Any]) -> bool:
    inside = [each for key, each in values.items() if key != _SPECIAL]
    return bool(inside) and all(isinstance(each, dict) for each in inside)


def _check_slot(slot: str, values: object) -> str:
    """Validate the values of a slot. Return the slot in lower case."""
    if not isinstance(values, dict):
        raise InputError("a slot must hold an object: canonical value → list of forms", slot=slot)
    is_split = _is_split(values)
    if is_split and _SPECIAL in values:
        raise InputError("special_keys of a slot that is split by domain must be inside its domains", slot=slot)
    for domain, inside in values.items() if is_split else [("", values)]:
        for key, forms in inside.items():
            where = f"{one_line(domain)} → {one_line(key)}" if domain else one_line(key)
            if key == _SPECIAL:
                _check_special(forms, where, slot)
            elif not _is_texts(forms):
                raise InputError(f"{where} must hold a list of strings", slot=slot)
    return slot.lower()


def _check_special(special: object, where: str, slot: str) -> None:
    if not isinstance(special, dict):
        raise InputError(f"{where} must hold an object", slot=slot)
    outside = _mapping(special.get("not_in_goal"))
    for listed in (outside, *(each for each in outside.values() if isinstance(each, dict))):
        for key, forms in listed.items():
            if isinstance(forms, list) and not _is_texts(forms):
                raise InputError(f"{where} → not_in_goal → {one_line(key)} must hold a list of strings", slot=slot)
    steps = special.get("steps", [])
    if not _is_texts(steps):
        raise InputError(f"{where} → steps must hold a list of strings", slot=slot)
    for step in steps:
        if step not in MAP_STEPS:
            raise InputError(f"{where} → steps: unknown step {step!r}; {did_you_mean(step, MAP_STEPS)}", slot=slot)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
