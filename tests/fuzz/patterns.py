"""Every regular expression of the package with the methods that it is called by, found by reading and importing all modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import dialmeter

METHODS = frozenset(("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"))
_CALL = re.compile(rf"\bre\.(?:compile|{'|'.join(METHODS)})\(")
ROOT = Path(dialmeter.__file__).parent


class Use(NamedTuple):
    """A pattern, where it is, and how it is called."""

    place: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


@cache
def sources() -> dict[str, str]:
    """The source of all modules."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        words = ("dialmeter", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(words).removesuffix(".__init__")] = path.read_text("utf-8")
    return found


@cache
def trees() -> dict[str, ast.Module]:
    """The source of all modules, parsed."""
    return {name: ast.parse(source) for name, source in sources().items()}


def packages() -> list[str]:
    """The parts of the package that hold regular expressions; a module at the top is a separate part."""
    return sorted({".".join(name.split(".")[:2]) for name, source in sources().items() if _CALL.search(source)})


def uses(package: str) -> list[Use]:
    """Patterns at the level of modules, also inside collections, and patterns written at the place of the call."""
    names = [name for name in trees() if f"{name}.".startswith(f"{package}.") and _has_patterns(name)]
    return [use for name in names for use in (*_named(name), *_written(name))]


def _has_patterns(module: str) -> bool:
    return any(map(_is_call_of_re, ast.walk(trees()[module])))


def computed() -> set[str]:
    """Functions that compile a pattern that is not a constant: ``module.function``."""
    found = set()
    for name, tree in trees().items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and any(
                _is_call_of_re(call) and _constant(call.args[0]) is None for call in ast.walk(function)
            ):
                found.add(f"{name}.{function.name}")
    return found


def _named(module: str) -> Iterator[Use]:
    for variable, value in sorted(vars(import_module(module)).items()):
        for pattern in _patterns_in(value):
            if _is_assigned(module, variable):
                yield Use(f"{module}.{variable}", pattern, _methods(module, variable))


def _patterns_in(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _patterns_in(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _patterns_in(each)


def _is_assigned(module: str, variable: str) -> bool:
    """Is a variable made in this module, not imported?"""
    assigned = (node for node in trees()[module].body if isinstance(node, ast.Assign | ast.AnnAssign))
    return any(
        isinstance(name, ast.Name) and name.id == variable and isinstance(name.ctx, ast.Store)
        for node in assigned
        for name in ast.walk(node)
    )


def _methods(module: str, variable: str) -> tuple[str, ...]:
    """How a pattern is called; where that cannot be seen, by a search, which is the worst case."""
    read = [trees()[module]] if variable.startswith("_") else list(trees().values())
    found = {
        node.attr
        for tree in read
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in METHODS
        and isinstance(node.value, ast.Name | ast.Attribute)
        and (node.value.id if isinstance(node.value, ast.Name) else node.value.attr) == variable
    }
    return tuple(sorted(found)) or ("finditer",)


def _written(module: str) -> Iterator[Use]:
    for call in ast.walk(trees()[module]):
        if _is_call_of_re(call) and call.func.attr in METHODS and (text := _constant(call.args[0])) is not None:
            given = [word.value for word in call.keywords if word.arg == "flags"]
            given += [] if call.func.attr in ("sub", "subn", "split") else call.args[2:]
            flags = sum(getattr(re, each.attr) for each in given)
            yield Use(f"{module}:{call.lineno}", re.compile(text, flags), (call.func.attr,))


def _is_call_of_re(node: ast.AST) -> Any:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in METHODS | {"compile"}
    )


def _constant(node: ast.expr) -> str | bytes | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) else None
