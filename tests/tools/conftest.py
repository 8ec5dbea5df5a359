"""The modules of the tools/ folder, which is not a package."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a module from tools/ by its name."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module
