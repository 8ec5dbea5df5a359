"""Creation of a value map: the surface forms of a slot that mean the same.

The canonical values are the values of the goals and of the ontology. Each value of an act is added to the most similar
canonical value of its slot. Values that are not similar to any of these are grouped by similarity, as values that are in no
goal. The map is in the published format, and meant to be edited.

An ontology can have the formats of common datasets:

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
from ..readers.source import Source
from ..readers.validation import as_list, as_mapping, as_value

Groups: TypeAlias = dict[str, list[str]]
"""Canonical value → its forms, including the value itself."""


class DoubtfulForm(Struct, frozen=True):
    """A form that is similar to two canonical values, so a person must decide."""

    slot: str
    form: str
    chosen: str
    other: str


class CollectedValues:
    """Values of goals, ontology and acts, by slot. A new collection has only the values of an ontology."""

    def __init__(self, ontology: Mapping[str, Iterable[str]] | None = None) -> None:
        listed = {slot: dict.fromkeys(values) for slot, values in (ontology or {}).items()}
        self.canonical: dict[str, dict[str, None]] = defaultdict(dict, listed)
        self.forms: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        """Slot → domain → form → number of occurrences."""

    def add(self, conversation: Conversation, counts: Callable[[str], bool]) -> None:
        """Add the values of one conversation; ``counts`` returns True if acts with this name state values."""
        for domain in (conversation.goal or {}).values():
            for part in domain.parts.values():
                for slot, value in part.items():
                    self.canonical[slot.lower()][value.lower()] = None
        for move in conversation.moves:
            for act in move.acts or ():
                if act.slot and counts(act.name):
                    forms = self.forms[act.slot.lower()][act.service.lower()]
                    forms.update(value.lower() for value in act.values if value)


def value_map(collected: CollectedValues, similarity: float = 0.9) -> tuple[dict[str, Any], list[DoubtfulForm]]:
    """Return the map in the published format, and the forms that are also similar to a second canonical value.

    Forms of the same value have at least this similarity, from 0 to 1.

    Example:
        >>> collected = CollectedValues({"area": ["centre", "east"]})
        >>> collected.forms["area"]["hotel"].update(["the centre", "Centre", "riverside"])
        >>> value_map(collected, 0.7)[0]["area"]
        {'centre': ['Centre', 'centre', 'the centre'], 'east': ['east'], 'special_keys': {'not_in_goal': {'hotel': {'riverside': ['riverside']}}}}
    """
    slots: dict[str, Any] = {}
    doubts: list[DoubtfulForm] = []
    for slot in sorted({*collected.canonical, *collected.forms}):
        groups: Groups = {value: [value] for value in sorted(collected.canonical.get(slot, ()))}
        canonical = list(groups)
        not_in_goal: dict[str, Groups] = {}
        for domain, counts in sorted(collected.forms.get(slot, {}).items()):
            own: Groups = {}
            # The most frequent form names its group, so it comes first.
            for form, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
                best, second = _nearest(form, canonical, similarity)
                if best is None:
                    best, _ = _nearest(form, own, similarity)
                    own.setdefault(best or form, []).append(form)
                elif form not in groups[best]:
                    groups[best].append(form)
                    if second is not None:
                        doubts.append(DoubtfulForm(slot, form, best, second))
            if own:
                not_in_goal[domain] = {value: sorted(set(forms)) for value, forms in sorted(own.items())}
        entry: dict[str, Any] = {value: sorted(set(forms)) for value, forms in groups.items()}
        if not_in_goal:
            entry["special_keys"] = {"not_in_goal": not_in_goal}
        if entry:
            slots[slot] = entry
    return slots, sorted(doubts, key=lambda doubt: (doubt.slot, doubt.form))


def _nearest(form: str, values: Iterable[str], similarity: float) -> tuple[str | None, str | None]:
    """Return the most similar value, and the second most similar one if it is similar enough, too."""
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
    """Read the values of every slot from an ontology, in lower case. Slots are named without their domain.

    Raises:
        InputError: the file cannot be read, or has none of the formats above.

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
            listed.setdefault(slot.lower().rpartition("-")[2], {}).update(dict.fromkeys(_lower_values(values, slot)))
    if not any(listed.values()):
        raise InputError("the ontology has no values", file=source.name)
    return {slot: list(values) for slot, values in listed.items()}


def _slots(document: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(document, list):
        for item in document:
            service = as_mapping(item, "a service")
            for slot in as_list(service.get("slots"), "slots"):
                entry = as_mapping(slot, "a slot")
                yield str(entry.get("name", "")), entry.get("possible_values", [])
        return
    for key, values in as_mapping(document, "an ontology").items():
        if isinstance(values, dict):
            yield from values.items()
        else:
            yield key, values


def _lower_values(values: Any, slot: str) -> Iterator[str]:
    with placing(slot=slot):
        for each in as_list(values, f"the values of {one_line(slot, 40)!r}"):
            value = as_value(each)
            if isinstance(value, str) and value:
                yield value.lower()
