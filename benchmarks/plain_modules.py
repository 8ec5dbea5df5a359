"""Load dialmeter's modules from their Python files if DIALMETER_PLAIN is set, as on a machine without a compiler.

Import this module before dialmeter. Nothing else is needed.
"""

import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

VARIABLE = "DIALMETER_PLAIN"


class _PlainFinder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("dialmeter.") or path is None:
            return None
        file = Path(path[0]) / f"{name.rpartition('.')[2]}.py"
        return importlib.util.spec_from_file_location(name, file) if file.exists() else None


if os.environ.get(VARIABLE):
    sys.meta_path.insert(0, _PlainFinder())
