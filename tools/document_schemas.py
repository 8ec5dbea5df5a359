"""JSON Schemas of the documents that commands print with ``-f json``."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.inspect import StructType

from dialmeter import cli
from dialmeter.cli.dry_run import DryRunDocument
from dialmeter.cli.listing import ListDocument
from dialmeter.core.document import Document


def documents() -> Iterator[tuple[str, type[Document]]]:
    """Yield the document class of every command, with the name of its schema."""
    yield "list", ListDocument
    yield "dry-run", DryRunDocument
    for module in walk_packages(cli.__path__, f"{cli.__name__}."):
        for kind in vars(import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, Document):
                defaults = {each.name: each.default for each in msgspec.structs.fields(kind)}
                if isinstance(defaults["command"], str):
                    yield schema_name(defaults["command"], defaults["kind"]), kind


def schema_name(command: str, kind: str) -> str:
    """Return the name of the schema of a document. Commands that detect their subject have one for each subject."""
    return "-".join([*command.split(), *([kind] if kind else [])])


def schema(name: str, kind: type[Document]) -> str:
    """Return the JSON Schema of a document. A key is required unless its default is UNSET (absent)."""
    _, components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    structs = {each.cls.__name__: each for each in _structs(msgspec.inspect.type_info(kind), {})}
    for title, component in components.items():
        if title in structs:
            _complete(component, structs[title])
    main = components.pop(kind.__name__)
    defaults = {each.name: each.default for each in msgspec.structs.fields(kind)}
    if isinstance(defaults["command"], str):
        words = {"kind": defaults["kind"] or defaults["command"].partition(" ")[0], "command": defaults["command"]}
        for key, word in words.items():
            main["properties"][key] = {**main["properties"][key], "enum": [word]}
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"dialmeter {name.replace('-', ' ')} -f json",
    }
    main.pop("title")
    return json.dumps({**head, **main, "$defs": components}, indent=2, ensure_ascii=False) + "\n"


def _structs(info: Any, seen: dict[type, StructType]) -> list[StructType]:
    """Return every struct in a type."""
    if isinstance(info, StructType) and info.cls not in seen:
        seen[info.cls] = info
        for each in info.fields:
            _structs(each.type, seen)
    for name in ("type", "item_type", "value_type", "types", "item_types"):
        inner = getattr(info, name, ())
        for each in inner if isinstance(inner, tuple) else (inner,):
            _structs(each, seen)
    return list(seen.values())


def _complete(component: dict[str, Any], struct: StructType) -> None:
    """Add the required keys, and the descriptions from docstrings. msgspec does not have them."""
    omits = struct.cls.__struct_config__.omit_defaults
    component["required"] = [
        each.encode_name
        for each in msgspec.structs.fields(struct.cls)
        if each.default is not UNSET and (each.required or not omits)
    ]
    component["additionalProperties"] = False
    text = inspect.cleandoc(struct.cls.__doc__ or "").split("\n\nAttributes:")[0]
    component["description"] = " ".join(text.replace("``", "`").split())
    about = {name: text for each in reversed(struct.cls.__mro__) for name, text in _attributes(each).items()}
    for each in struct.fields:
        entry = component["properties"][each.encode_name]
        entry.pop("default", None)
        if each.name in about:
            component["properties"][each.encode_name] = {**entry, "description": about[each.name]}


def _attributes(kind: type) -> dict[str, str]:
    """Return the descriptions of attributes in a docstring."""
    _, _, section = inspect.cleandoc(kind.__dict__.get("__doc__") or "").partition("Attributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", section.split("\n\n")[0], re.MULTILINE)
    texts = {name: " ".join(text.replace("``", "`").split()) for name, text in entries}
    return {name: text[0].upper() + text[1:] for name, text in texts.items()}
