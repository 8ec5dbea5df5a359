"""Registries: a table of lazily imported built-ins (``module:object``), plug-ins by entry point, hints for unknown names."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import DialmeterError, did_you_mean
from .model import Notice

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def object_at(text: str) -> Any:
    """Import the object of ``module:object``. The module may be in the current folder.

    Example:
        >>> object_at("os:path.basename")("a/b")
        'b'
    """
    module, _, attributes = text.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    found: Any = import_module(module)
    for attribute in attributes.split("."):
        found = getattr(found, attribute)
    return found


@cache
def plugin_points(group: str) -> Iterable[EntryPoint]:
    """Return the entry points of all installed packages in a group. They are read once, because there may be hundreds."""
    # Imported on use, because the import takes a fifth of the start-up time.
    from importlib.metadata import entry_points

    return entry_points(group=group)


_MODEL = re.compile(r"gpt|claude|gemini|llama|qwen|mistral|deepseek|o\d", re.IGNORECASE)
"""The beginning of names of language models."""


class Registry:
    """A table of named members.

    Args:
        noun: the noun for a member in messages.
        group: the entry point group for members of other packages.
        builtin: name → ``module:object`` or ``module``.

    Example:
        >>> maths = Registry("function", "dialmeter.example", {"sqrt": "math:sqrt"})
        >>> maths.load("sqrt")(9.0)
        3.0
        >>> maths.load("sqr")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: unknown function 'sqr'; did you mean sqrt?
    """

    def __init__(self, noun: str, group: str, builtin: Mapping[str, str]) -> None:
        self._noun = noun
        self._group = group
        self._builtin = dict(builtin)

    def _plugins(self) -> dict[str, EntryPoint]:
        points = plugin_points(self._group)
        return {point.name: point for point in points if point.name not in self._builtin}

    def names(self) -> list[str]:
        """Return all names: built-ins in their order, then those of other packages."""
        return [*self._builtin, *sorted(self._plugins())]

    def builtin(self) -> list[str]:
        """Return the names of built-in members."""
        return list(self._builtin)

    def loaded(self) -> tuple[dict[str, Any], list[Notice]]:
        """Return every member that can be loaded, and a warning for each broken member."""
        members: dict[str, Any] = {}
        notices: list[Notice] = []
        for name in self.names():
            try:
                members[name] = self.load(name)
            except DialmeterError as error:
                notices.append(Notice("broken-plugin", 1, str(error)))
        return members, notices

    def load(self, name: str) -> Any:
        """Load the member with this name. Members of other packages are loaded only on request.

        Raises:
            DialmeterError: the name is unknown, or the package that defines it is broken.
        """
        target = self._builtin.get(name)
        if target is not None:
            module, _, attribute = target.partition(":")
            loaded = import_module(module)
            return getattr(loaded, attribute) if attribute else loaded
        plugins = self._plugins()
        if name not in plugins:
            meant = did_you_mean(name, [*self._builtin, *plugins])
            if "llm" in self._builtin and _MODEL.match(name):
                meant = f"for a model of an endpoint write 'llm(model={name})'"
            raise DialmeterError(f"unknown {self._noun} {name!r}; {meant}")
        try:
            return plugins[name].load()
        except Exception as error:
            raise DialmeterError(
                f"{self._noun} {name!r} cannot be loaded from {plugins[name].value}: {error}"
            ) from None
