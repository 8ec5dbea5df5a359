"""Digests of what makes the scores of an external judge: its source files and parameters, or the files of its command."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import msgspec

_KNOWN = sys.stdlib_module_names | {"dialmeter"}
"""Packages whose files do not count: the version in a signature stands for them."""


def source_digest(judge: object) -> str:
    """Ten hexadecimal digits for a judge or a function without an identity: the files of its classes, and all attributes.

    If an attribute is the path of a file, the content of the file counts.

    Example:
        >>> class Mine:
        ...     def __init__(self, weight):
        ...         self.weight = weight
        >>> source_digest(Mine(1)) == source_digest(Mine(1)), source_digest(Mine(1)) == source_digest(Mine(2))
        (True, False)
    """
    classes = [each for each in type(judge).__mro__ if each.__module__.partition(".")[0] not in _KNOWN]
    modules = [sys.modules.get(each.__module__) for each in (judge, *classes)]
    files = [_content(getattr(module, "__file__", None) or "") for module in modules]
    slots = {key: getattr(judge, key, None) for each in classes for key in getattr(each, "__slots__", ())}
    attributes = [vars(each) for each in classes] + [slots, getattr(judge, "__dict__", {})]
    values = [
        [key, _content(value) if isinstance(value, str) else _encode(value)]
        for each in attributes
        for key, value in sorted(each.items())
        if not key.startswith("__") or isinstance(value, FunctionType)
    ]
    return _digest([files, values, _encode(judge) if isinstance(judge, FunctionType) else ""])


def command_digest(command: Sequence[str]) -> str:
    """Ten hexadecimal digits for a command: the content of its program and of each argument that is a file, and the other arguments.

    Example:
        >>> command_digest(["no-such-program", "-v"]) == command_digest(["no-such-program", "-q"])
        False
    """
    return _digest([_content(shutil.which(command[0]) or command[0]), *map(_content, command[1:])])


def _digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]


def _encode(value: Any) -> str:
    """A value as text that is the same in every process; the name of its type if there is no such text."""
    try:
        return msgspec.json.encode(value, enc_hook=_describe, order="deterministic").decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return type(value).__qualname__


def _describe(value: Any) -> Any:
    """What stands for a value of a type that msgspec does not encode."""
    if isinstance(value, CodeType):
        # Byte code differs between versions of Python, so code in a file is described by its place.
        in_file = Path(value.co_filename).is_file()
        return value.co_firstlineno if in_file else [value.co_code, value.co_names, value.co_consts]
    if isinstance(value, FunctionType):
        outer = [cell.cell_contents for cell in value.__closure__ or ()]
        return [value.__qualname__, value.__code__, outer, value.__defaults__, value.__kwdefaults__, vars(value)]
    if hasattr(value, "tobytes"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    # A text with an address differs between processes.
    text = repr(value)
    return text if " at 0x" not in text else [type(value).__qualname__, getattr(value, "__qualname__", vars(value))]


def _content(word: str) -> str:
    """The digest of the file that a word names, also after an equals sign; the word itself if there is no such file."""
    option, equals, path = word.rpartition("=")
    try:
        for prefix, each in (("", word), (option + equals, path)):
            if Path(each).is_file():
                return f"{prefix}sha256:{hashlib.sha256(Path(each).read_bytes()).hexdigest()}"
    except (OSError, ValueError):
        pass
    return word
