"""Digests of what makes the scores of an external judge: source files, parameters, and the files of a command."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import msgspec

_KNOWN = sys.stdlib_module_names | {"dialmeter"}
"""Packages whose files do not count: the version in a signature stands for them."""


def source_digest(judge: object) -> str:
    """Ten hexadecimal digits for a judge that declares no identity: the files of its classes, and its parameters.

    Parameters are the attributes of the object and of its classes, and the values that its functions refer to from an outer
    function. If a parameter is the path of a file, the content of the file counts.

    Args:
        judge: a judge, or a function of context and reply.

    Example:
        >>> class Mine:
        ...     def __init__(self, weight):
        ...         self.weight = weight
        >>> source_digest(Mine(1)) == source_digest(Mine(1)), source_digest(Mine(1)) == source_digest(Mine(2))
        (True, False)
    """
    owners: Sequence[Any] = [judge] if isinstance(judge, FunctionType) else type(judge).__mro__
    own = [each for each in owners if each.__module__.partition(".")[0] not in _KNOWN]
    slots = [key for each in own for key in getattr(each, "__slots__", ())]
    attributes = {key: getattr(judge, key, None) for key in (*slots, *getattr(judge, "__dict__", ()))}
    return _digest([*(part for each in own for part in _source_parts(each)), _attributes(attributes)])


def command_digest(command: Sequence[str]) -> str:
    """Ten hexadecimal digits for a command: the content of its program and of each argument that is a file, and the other arguments.

    Example:
        >>> command_digest(["no-such-program", "-v"]) == command_digest(["no-such-program", "-q"])
        False
    """
    program, *arguments = command
    return _digest([_content(shutil.which(program) or program), *map(_content, arguments)])


def _digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]


def _source_parts(owner: Any) -> Iterator[Any]:
    """The file of a class or function, its attributes, and its functions. Without a file, the code of the functions."""
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    yield [owner.__qualname__, _content(file) if file else ""]
    members = {"": owner} if isinstance(owner, FunctionType) else dict(vars(owner))
    functions = {key: getattr(each, "__func__", getattr(each, "fget", each)) for key, each in members.items()}
    for key, each in sorted(functions.items()):
        if isinstance(each, FunctionType):
            outer = [_value(cell.cell_contents) for cell in each.__closure__ or ()]
            # The line distinguishes two classes of the same name in a file. Byte code differs between versions of Python.
            code = each.__code__.co_firstlineno if file else _code(each.__code__)
            yield [key, code, outer, _value(each.__defaults__), _value(each.__kwdefaults__), _attributes(vars(each))]
    yield _attributes({key: each for key, each in members.items() if not callable(functions[key])})


def _code(code: CodeType) -> list[Any]:
    constants = [_code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return [code.co_code.hex(), code.co_names, constants]


def _attributes(values: dict[str, Any]) -> dict[str, Any]:
    return {key: _value(each) for key, each in sorted(values.items()) if not key.startswith("__")}


def _value(value: Any) -> Any:
    return _content(value) if isinstance(value, str) else _encode(value)


def _encode(value: Any) -> str:
    """A value as text that is the same in every process."""
    try:
        return msgspec.json.encode(value, enc_hook=_describe, order="deterministic").decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return type(value).__qualname__


def _describe(value: Any) -> Any:
    """What msgspec can encode instead of a value of another type: its bytes, its text, or its type with its attributes."""
    if hasattr(value, "tobytes"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    text = repr(value)
    # A text with an address differs between processes.
    return text if " at 0x" not in text else [type(value).__qualname__, getattr(value, "__qualname__", vars(value))]


def _content(word: str) -> str:
    """The digest of the file that a word names, also after an equals sign; the word itself if there is no such file."""
    option, equals, path = word.rpartition("=")
    try:
        for prefix, each in (("", word), (option + equals, path)):
            if each and Path(each).is_file():
                with open(each, "rb") as file:
                    return f"{prefix}sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    except (OSError, ValueError):
        pass
    return word
