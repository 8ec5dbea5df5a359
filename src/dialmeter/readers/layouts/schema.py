"""Schema files, which list the slots of a dataset.

* schema-guided: ``[{"service_name": "hotel", "slots": [{"name": "area", "is_categorical": true}]}]``
* DSTC10: a JSON schema whose properties nest domain, semi or book, and slot
* MultiWOZ: ``{"hotel-semi-area": ["east"], "hotel-book-people": ["2"]}`` or ``{"hotel-area": [..]}``
* handwritten: ``["hotel-area", "hotel-people"]`` or ``{"hotel": ["area", "people"]}``

Only the first format states which slots are categorical. In the others no slot is categorical.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from ...errors import InputError, one_line, placing
from ...model import Schema
from ..source import Source
from ..validation import as_list, as_mapping

SlotRow: TypeAlias = tuple[str, str, bool]
"""Service, slot, and True if the slot is categorical. The slot is empty in a row that only names a service."""


def read_schema(path: str | Path) -> Schema:
    """Read a schema file.

    Args:
        path: a file in one of the formats above, plain or compressed (.gz, .zst).

    Raises:
        InputError: the file cannot be read, has another format, or has a duplicate slot.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "schema.json")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"hotel": ["area", "book people"]}')
        ...     sorted(read_schema(path).slots)
        ['hotel-area', 'hotel-book people']
    """
    source = Source(path)
    with placing(file=source.name):
        return _make_schema(_slot_rows(source.document))


def slot_of_service(service: str, written: str) -> str:
    """Remove the service prefix from the name of a slot. MultiWOZ 2.2 writes this prefix.

    Example:
        >>> slot_of_service("hotel", "hotel-bookday"), slot_of_service("Hotels_1", "price_range")
        ('bookday', 'price_range')
    """
    return written.removeprefix(f"{service}-")


def _make_schema(rows: Iterable[SlotRow]) -> Schema:
    services: dict[str, dict[str, bool]] = {}
    for service, written, categorical in rows:
        if not service or "-" in service:
            raise InputError(f"a domain must be a name without a hyphen, found {one_line(service, 40)!r}")
        slots = services.setdefault(service, {})
        if not written:
            continue
        slot = slot_of_service(service, written)
        if slot in slots:
            raise InputError("duplicate slot", slot=f"{service}-{slot}")
        slots[slot] = categorical
    if not services:
        raise InputError("a schema without slots")
    return Schema(services)


def _slot_rows(document: Any) -> Iterator[SlotRow]:
    if isinstance(document, list):
        return _glued(document) if all(isinstance(each, str) for each in document) else _services(document)
    mapping = as_mapping(document, "a schema")
    nested = mapping.get("items", mapping)
    if isinstance(nested, dict) and isinstance(nested.get("properties"), dict):
        return _json_schema(nested)
    if all("-" in key for key in mapping):
        return _glued(mapping)
    return _by_domain(mapping)


def _services(document: list[Any]) -> Iterator[SlotRow]:
    for position, value in enumerate(document):
        service = as_mapping(value, f"service {position}")
        name = _name(service.get("service_name"), f"service {position}: service_name")
        yield name, "", False
        for each in as_list(service.get("slots"), f"slots of {one_line(name)}"):
            slot = as_mapping(each, f"a slot of {one_line(name)}")
            written = _name(slot.get("name"), f"the name of a slot of {one_line(name)}")
            categorical = slot.get("is_categorical")
            if not isinstance(categorical, bool):
                raise InputError("is_categorical must be true or false", slot=f"{name}-{written}")
            yield name, written, categorical


def _json_schema(instance: Any) -> Iterator[SlotRow]:
    for domain, sections in _properties(instance).items():
        for slots in _properties(sections).values():
            for slot in _properties(slots):
                yield domain, slot, False


def _properties(value: Any) -> Any:
    return as_mapping(as_mapping(value, "a JSON schema").get("properties"), "properties")


def _glued(slots: Iterable[str]) -> Iterator[SlotRow]:
    for written in slots:
        domain, hyphen, slot = written.partition("-")
        if not (domain and hyphen and slot):
            raise InputError(f"a slot must be domain-slot, found {one_line(written, 40)!r}")
        section, hyphen, rest = slot.partition("-")
        yield domain, rest if hyphen and section in ("semi", "book") else slot, False


def _by_domain(mapping: Any) -> Iterator[SlotRow]:
    for domain, slots in mapping.items():
        for slot in as_list(slots, f"slots of {one_line(domain)}"):
            yield domain, _name(slot, f"a slot of {one_line(domain)}"), False


def _name(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f"{what} must be a name")
    return value
