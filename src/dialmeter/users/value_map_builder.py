"""Builds a value map: which surface forms of a slot mean the same.

The canonical values are those of the goals and of the ontology. What the acts say for a slot is put with the canonical value
that it is most like; what is like none of them is grouped with its own kind, as values that no goal asks for. The map is in
the published format, and meant to be edited.

An ontology comes in the formats in which datasets bring it:

* MultiWOZ: ``{"hotel-semi-area": ["east"], "hotel-book-people": ["2"]}`` or ``{"hotel-area": [..]}``
* schema-guided: ``[{"service_name": "hotel", "slots": [{"name": "area", "possible_values": ["east"]}]}]``
* by domain: ``{"hotel": {"area": ["east"]}}``
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from ..errors import InputError, one_line, placing
from ..model import Conversation
from ..readers.parts import as_list, as_mapping, as_value
from ..readers.source import Source

Groups: TypeAlias = dict[str, list[str]]
"""A canonical value → the forms in which it is said, itself among them."""


class DoubtfulForm(Struct, frozen=True):
    """A form that is like two canonical values, for a person to decide."""

    slot: str
    form: str
    chosen: str
    other: str


class CollectedValues(Struct):
    """What goals, ontology and acts say, by slot."""

    canonical: dict[str, dict[str, None]]
    forms: dict[str, dict[str, Counter[str]]]
    """slot → domain → form → how often."""

    @classmethod
    def empty(cls, ontology: Mapping[str, Iterable[str]] | None = None) -> CollectedValues:
        """Nothing collected yet but what an ontology lists."""
        listed = {slot: dict.fromkeys(values) for slot, values in (ontology or {}).items()}
        return cls(defaultdict(dict, listed), defaultdict(lambda: defaultdict(Counter)))

    def add(self, talk: Conversation, counts: Callable[[str], bool]) -> None:
        """Takes what one conversation says.

        Args:
            talk: the conversation.
            counts: does an act of this name state values?
        """
        for domain in (talk.goal or {}).values():
            for part in domain.parts.values():
                for slot, value in part.items():
                    self.canonical[slot.lower()][value.lower()] = None
        for move in talk.moves:
            for act in move.acts or ():
                if act.slot and counts(act.name):
                    said = self.forms[act.slot.lower()][act.service.lower()]
                    said.update(value.lower() for value in act.values if value)


def value_map(collected: CollectedValues, similarity: float = 0.9) -> tuple[dict[str, Any], list[DoubtfulForm]]:
    """The map in the published format, and the forms that would fit a second canonical value.

    Args:
        collected: what was said and wanted.
        similarity: from which likeness on (0 to 1) two forms are one value.

    Example:
        >>> collected = CollectedValues.empty({"area": ["centre", "east"]})
        >>> collected.forms["area"]["hotel"].update(["the centre", "Centre", "riverside"])
        >>> value_map(collected, 0.7)[0]["area"]
        {'centre': ['Centre', 'centre', 'the centre'], 'east': ['east'], 'special_keys': {'not_in_goal': {'hotel': {'riverside': ['riverside']}}}}
    """
    found: dict[str, Any] = {}
    doubts: list[DoubtfulForm] = []
    for slot in sorted({*collected.canonical, *collected.forms}):
        groups: Groups = {value: [value] for value in sorted(collected.canonical.get(slot, ()))}
        known = list(groups)
        elsewhere: dict[str, Groups] = {}
        for domain, said in sorted(collected.forms.get(slot, {}).items()):
            own: Groups = {}
            # The most frequent form names its group, so it comes first.
            for form, _ in sorted(said.items(), key=lambda pair: (-pair[1], pair[0])):
                best, second = _nearest(form, known, similarity)
                if best is None:
                    best, _ = _nearest(form, own, similarity)
                    own.setdefault(best or form, []).append(form)
                elif form not in groups[best]:
                    groups[best].append(form)
                    if second is not None:
                        doubts.append(DoubtfulForm(slot, form, best, second))
            if own:
                elsewhere[domain] = {value: sorted(set(forms)) for value, forms in sorted(own.items())}
        entry: dict[str, Any] = {value: sorted(set(forms)) for value, forms in groups.items()}
        if elsewhere:
            entry["special_keys"] = {"not_in_goal": elsewhere}
        if entry:
            found[slot] = entry
    return found, sorted(doubts, key=lambda doubt: (doubt.slot, doubt.form))


def _nearest(form: str, values: Iterable[str], similarity: float) -> tuple[str | None, str | None]:
    """The value that a form is most like, and the next best where that is like enough too."""
    from rapidfuzz import process
    from rapidfuzz.fuzz import token_sort_ratio
    from rapidfuzz.utils import default_process

    names = list(values)
    if form in names:
        return form, None
    near = process.extract(
        form, names, scorer=token_sort_ratio, processor=default_process, limit=2, score_cutoff=100 * similarity
    )
    ranked = [value for value, _, _ in sorted(near, key=lambda each: (-each[1], each[0]))]
    return (ranked[0] if ranked else None), (ranked[1] if len(ranked) > 1 else None)


def read_ontology(path: str | Path) -> dict[str, list[str]]:
    """The listed values of every slot, lower-cased, without the slot's domain.

    Raises:
        InputError: cannot be read, or is none of the formats above.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "ontology.json")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"hotel-semi-area": ["East", "west"], "train-book-people": [1, 2]}')
        ...     read_ontology(path)
        {'area': ['east', 'west'], 'people': ['1', '2']}
    """
    source = Source(path)
    listed: dict[str, dict[str, None]] = {}
    with placing(file=source.name):
        for slot, values in _slots(source.document):
            listed.setdefault(slot.lower().rpartition("-")[2], {}).update(dict.fromkeys(_plain(values, slot)))
    if not any(listed.values()):
        raise InputError("an ontology without values", file=source.name)
    return {slot: list(values) for slot, values in listed.items()}


def _slots(document: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(document, list):
        for thing in document:
            service = as_mapping(thing, "a service")
            for slot in as_list(service.get("slots"), "slots"):
                entry = as_mapping(slot, "a slot")
                yield str(entry.get("name", "")), entry.get("possible_values", [])
        return
    for key, values in as_mapping(document, "an ontology").items():
        if isinstance(values, dict):
            yield from values.items()
        else:
            yield key, values


def _plain(values: Any, slot: str) -> Iterator[str]:
    with placing(slot=slot):
        for each in as_list(values, f"the values of {one_line(slot, 40)!r}"):
            value = as_value(each)
            if isinstance(value, str) and value:
                yield value.lower()
