"""The values that a dataset lists for its slots, from the files that datasets bring for it.

* MultiWOZ: ``{"hotel-semi-area": ["east"], "hotel-book-people": ["2"]}`` or ``{"hotel-area": [..]}``
* schema-guided: ``[{"service_name": "hotel", "slots": [{"name": "area", "possible_values": ["east"]}]}]``
* by domain: ``{"hotel": {"area": ["east"]}}``
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, one_line, placing
from ..readers.parts import as_list, as_mapping, as_value
from ..readers.source import Source


def read_ontology(path: str | Path) -> dict[str, list[str]]:
    """The listed values of every slot, lower-cased, without the slot's domain.

    Raises:
        InputError: cannot be read, or is none of the layouts above.

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
            listed.setdefault(_bare(slot), {}).update(dict.fromkeys(_plain(values, slot)))
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


def _bare(slot: str) -> str:
    return slot.lower().rpartition("-")[2]


def _plain(values: Any, slot: str) -> Iterator[str]:
    with placing(slot=slot):
        for each in as_list(values, f"the values of {one_line(slot, 40)!r}"):
            value = as_value(each)
            if isinstance(value, str) and value:
                yield value.lower()
