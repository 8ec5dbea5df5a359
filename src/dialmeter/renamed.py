"""Documented modules that have moved: their old names can be imported for one more version, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

RENAMED: dict[str, str] = {
    "report": "views",
    "report.charts": "views.charts",
    "report.charts.data": "views.charts.data",
    "report.tables": "views.tables",
    "tracking.columns": "tracking.bootstrap_matrix",
    "tracking.curve": "studies.curve.curve",
    "tracking.curve_files": "studies.curve.curve_files",
}
"""Old module → new module, without ``dialmeter.``; a package that is gone needs a line, too."""


class RenamedModules:
    """Finds moved modules by their old names, and loads them. It has no base, because ``importlib.abc`` is slow to import.

    Args:
        renamed: old name → new name, without the name of the package.
    """

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = {f"dialmeter.{old}": f"dialmeter.{new}" for old, new in renamed.items()}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in self._renamed else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = self._renamed[spec.name]
        # The caller's line is above the frames of the import machinery, which warnings do not count.
        warnings.warn(f"{spec.name} is now {new}", DeprecationWarning, stacklevel=2)
        module = import_module(new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The machinery has put the old name into the module that it was given.
        module.__spec__ = self._spec


def install() -> None:
    """Makes old names importable."""
    sys.meta_path.append(RenamedModules(RENAMED))
