"""Brings values to one form by a map from canonical values to the ways in which they are said.

The map is a file in the published layout: ``{slot: {canonical: [surface form, ..], "special_keys": {"not_in_goal": {..}}}}``,
where a slot may be split by domain first. Matching is fuzzy, and each question is answered once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError, one_line
from ..formats.source import Source
from .rules import Values

_SPECIAL = "special_keys"
_MEMORY = 1 << 18
"""How many answers are kept."""


class Table:
    """The values of one slot in one domain."""

    def __init__(self, values: Mapping[str, Any], not_in_goal: Mapping[str, Any]) -> None:
        self.values = {key: forms for key, forms in values.items() if key != _SPECIAL and isinstance(forms, list)}
        outside = {key: forms for key, forms in not_in_goal.items() if isinstance(forms, list)}
        self.known = frozenset([*values, *not_in_goal])
        self.canonical: dict[str, str] = {}
        for key, forms in (*self.values.items(), *outside.items()):
            for form in forms:
                self.canonical.setdefault(form, key)
        self.forms = tuple(self.canonical)
        self._processed: list[str] | None = None

    def nearest(self, value: str, threshold: float) -> str | None:
        """The canonical value of the surface form that is most like a value."""
        if self._processed is None:
            self._processed = _processed(self.forms)
        return self._best(value, self.forms, self._processed, threshold)

    def nearest_of(self, goal_values: Iterable[str], value: str, threshold: float) -> str | None:
        """The same among the surface forms of some canonical values."""
        forms = [form for each in goal_values for form in self.values.get(each, ())]
        return self._best(value, forms, _processed(forms), threshold) if forms else None

    def _best(self, value: str, forms: Sequence[str], processed: Sequence[str], threshold: float) -> str | None:
        from rapidfuzz import fuzz, process, utils

        percent = 100 * threshold
        best = process.extractOne(
            utils.default_process(value), processed, scorer=fuzz.token_sort_ratio, score_cutoff=max(percent - 0.5, 0)
        )
        # Published scores are whole percents.
        if best is None or round(best[1]) < round(percent, 6):
            return None
        return self.canonical[forms[best[2]]]

    def exact(self, goal_values: Iterable[str], value: str) -> str | None:
        """The canonical value of a surface form that is written just like this, letter case aside."""
        for each in goal_values:
            for form in self.values.get(each, ()):
                if form.lower() == value:
                    return self.canonical[form]
        return next((self.canonical[form] for form in self.forms if form.lower() == value), None)


def _processed(forms: Sequence[str]) -> list[str]:
    from rapidfuzz.utils import default_process

    return [default_process(form) for form in forms]


class ValueMap:
    """A map of values in the published layout.

    Args:
        slots: as the file has it.

    Example:
        >>> values = ValueMap({"area": {"centre": ["centre", "city center", "middle of town"], "north": ["north"]}})
        >>> matcher = Matcher(values, threshold=0.9)
        >>> matcher("hotel", "area", "center of the city"), matcher("hotel", "area", "city  center.")
        ('center of the city', 'centre')
    """

    def __init__(self, slots: Mapping[str, Mapping[str, Any]]) -> None:
        self._slots = {_checked(slot, values): values for slot, values in slots.items()}
        self._split = frozenset(slot for slot, values in self._slots.items() if _is_split(values))
        self._tables: dict[tuple[str, str], Table | None] = {}

    @classmethod
    def read(cls, path: str | Path) -> ValueMap:
        """Reads a map from a file, plain or compressed.

        Raises:
            InputError: no such file, or not a map.
        """
        source = Source(path)
        if source.path != "-" and not Path(source.path).is_file():
            raise InputError("no such file", file=source.name)
        document = source.document
        if not isinstance(document, dict):
            raise InputError("a value map is an object: slot → canonical value → list of forms", file=source.name)
        try:
            return cls(document)
        except InputError as error:
            raise error.at(file=source.name) from None

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that the map knows."""
        return tuple(self._slots)

    @cached_property
    def digest(self) -> str:
        """Ten hexadecimal digits that tell this map from others."""
        encoded = msgspec.json.encode(self._slots, order="sorted")
        return hashlib.sha256(encoded).hexdigest()[:10]

    def is_split(self, slot: str) -> bool:
        """Does the map hold this slot by domain?"""
        return slot in self._split

    def table(self, domain: str, slot: str) -> Table | None:
        """The values of a slot in a domain; None where the map has none."""
        key = (domain, slot)
        if key not in self._tables:
            self._tables[key] = self._table(domain, slot)
        return self._tables[key]

    def _table(self, domain: str, slot: str) -> Table | None:
        values: Any = self._slots.get(slot)
        if slot in self._split and values is not None:
            values = values.get(domain)
        if values is None:
            return None
        special = values.get(_SPECIAL)
        outside = special.get("not_in_goal") if isinstance(special, dict) else None
        outside = outside if isinstance(outside, dict) else {}
        own = outside.get(domain)
        return Table(values, own if isinstance(own, dict) else outside)


def _is_split(values: Mapping[str, Any]) -> bool:
    inside = [each for key, each in values.items() if key != _SPECIAL]
    return bool(inside) and all(isinstance(each, dict) for each in inside)


def _checked(slot: str, values: object) -> str:
    if not isinstance(values, dict):
        raise InputError("a slot must hold an object: canonical value → list of forms", slot=slot)
    for domain, inside in values.items() if _is_split(values) else [("", values)]:
        for key, forms in inside.items():
            if key == _SPECIAL:
                continue
            if not isinstance(forms, list) or not all(isinstance(form, str) for form in forms):
                where = f"{one_line(domain)} → {one_line(key)}" if domain else one_line(key)
                raise InputError(f"{where} must hold a list of strings", slot=slot)
    return slot.lower()


class Matcher:
    """Brings values to canonical form under the rules, and remembers the answers.

    Args:
        values: the map; without one every value stays as it is.
        threshold: how alike, from 0 to 1, a form must be.
        fuzzy: False for forms that are written alike, letter case aside.
        kept: values that stay as they are, by domain.
    """

    def __init__(
        self,
        values: ValueMap | None,
        *,
        threshold: float = 0.9,
        fuzzy: bool = True,
        kept: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.map = values
        self._threshold = threshold
        self._fuzzy = fuzzy
        self._kept = kept or {}
        self._answers: dict[tuple[str, str, str, tuple[str, ...]], str] = {}

    @classmethod
    def under(cls, rules: Values, values: ValueMap | None, kept: Mapping[str, Sequence[str]]) -> Matcher:
        """A matcher as a rule set wants it."""
        return cls(values if rules.map else None, threshold=rules.threshold, fuzzy=rules.fuzzy, kept=kept)

    def __call__(self, domain: str, slot: str, value: str, goal_values: tuple[str, ...] = ()) -> str:
        """The canonical form of a value.

        Args:
            domain: where it is said.
            slot: what it is said of.
            value: in lower case.
            goal_values: what the goal wants of the slot in this domain; their forms are looked at first.
        """
        if self.map is None:
            return value
        key = (domain, slot, value, goal_values)
        found = self._answers.get(key)
        if found is None:
            if len(self._answers) >= _MEMORY:
                self._answers.clear()
            found = self._answers[key] = self._find(self.map, domain, slot, value, goal_values)
        return found

    def _find(self, values: ValueMap, domain: str, slot: str, value: str, goal_values: tuple[str, ...]) -> str:
        table = values.table(domain, slot)
        if table is None or value in table.known or value in self._kept.get(domain, ()):
            return value
        if not self._fuzzy:
            return table.exact(goal_values, value) or value
        near = table.nearest_of(goal_values, value, self._threshold) or table.nearest(value, self._threshold)
        return value if near is None else near
