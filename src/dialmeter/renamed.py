"""Old names of documented modules, arguments and attributes. They work for one more version, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

REMOVED_IN = "0.2"
"""The version that no longer has the old names."""

RENAMED: dict[str, str] = {
    "conversations": "readers.conversations",
    "formats.completion": "readers.completions",
    "formats.native": "readers.own.native",
    "formats": "readers",
    "readers.layouts": "readers.formats",
    "report": "views",
    "normalise": "tracking.rule_sets.normalise",
    "resampling": "core.comparison",
    "rules": "tracking.rule_sets.rules",
    "signature": "tracking.rule_sets.signature",
    "tracking.columns": "tracking.vectors.bootstrap_matrix",
    "tracking.curve": "studies.curve.curve",
    "tracking.curve_files": "studies.curve.curve_files",
    "views.charts.few_shot": "views.charts.lines",
    "views.charts.heat_map": "views.charts.grid",
    "views.charts.scatter": "views.charts.points",
}
"""Old module → new module, without ``dialmeter.``. A package includes all of its modules."""


class RenamedModules:
    """Finds and loads moved modules by their old names. It has no base class, because ``importlib.abc`` is slow to import.

    Args:
        renamed: old name → new name, without the name of the package.
    """

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = {f"dialmeter.{old}": f"dialmeter.{new}" for old, new in renamed.items()}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_renamed = fullname.startswith("dialmeter.") and self._new_name(fullname) != fullname
        return ModuleSpec(fullname, self) if is_renamed else None  # type: ignore[arg-type]

    def _new_name(self, name: str) -> str:
        for old, new in self._renamed.items():
            if f"{name}.".startswith(f"{old}."):
                return new + name.removeprefix(old)
        return name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = self._new_name(spec.name)
        warn_renamed(spec.name, new)
        module = import_module(new)
        self._spec = module.__spec__
        if any(old.startswith(f"{spec.name}.") for old in self._renamed) and not hasattr(module, "__path__"):
            # An old package that is now a module must still have submodules with old names.
            module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import machinery has written the old name into the module.
        module.__spec__ = self._spec


def warn_renamed(old: str, new: str) -> None:
    """Warn that a thing has a new name. The warning names the line of code that uses the old name.

    Args:
        old: the old name, of which the caller is the implementation. Its own caller uses the name.
        new: the new name.
    """
    # Warnings do not count the frames of the import machinery, so the level is right for modules, too.
    message = f"{old} is now {new}; the old name will be removed in {REMOVED_IN}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def install() -> None:
    """Make old names importable. The finder is first, because others would search submodules in the folder of the new package."""
    sys.meta_path.insert(0, RenamedModules(RENAMED))


def renamed_argument(old: str, new: str) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Return a decorator that accepts the old name of an argument, with a warning.

    Raises:
        TypeError: a call has both names.

    Example:
        >>> @renamed_argument("form", "format")
        ... def opened(path: str, format: str | None = None) -> str | None:
        ...     return format
        >>> opened("states.jsonl", format="native")
        'native'
    """

    def decorate(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        @wraps(function)
        def call(*positional: Parameters.args, **named: Parameters.kwargs) -> Returned:
            if old in named:
                if new in named:
                    raise TypeError(f"{function.__name__}() got {new}= and its old name {old}=; give only {new}=")
                warn_renamed(f"{old}= of {function.__name__}", f"{new}=")
                named[new] = named.pop(old)
            return function(*positional, **named)

        return call

    return decorate


def renamed_attribute(old: str, new: str) -> Any:
    """Return a property with the value of a renamed attribute; reading it gives a warning.

    Example:
        >>> class Settings:
        ...     level = 0.95
        ...     confidence = renamed_attribute("confidence", "level")
        >>> with warnings.catch_warnings(action="ignore"):
        ...     Settings().confidence
        0.95
    """

    def read(owner: object) -> Any:
        warn_renamed(f"{type(owner).__name__}.{old}", f"{type(owner).__name__}.{new}")
        return getattr(owner, new)

    return property(read, doc=f"The old name of ``{new}``.")
