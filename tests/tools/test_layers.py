"""The check of the import contract finds violations."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def layers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_layers", ROOT / "tools" / "check_layers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _package(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_sources_keep_contract(layers: ModuleType) -> None:
    assert layers.broken(ROOT / "src" / "dialmeter") == []


@pytest.mark.parametrize(
    ("files", "trouble"),
    [
        ({"core/a.py": "from ..tracking import b\n"}, "core may not import tracking"),
        ({"users/a.py": "from ..judges.c import d\n"}, "users may not import judges"),
        ({f"core/a{n}.py": "" for n in range(21)}, "21 files, more than 20"),
        ({"core/a.py": "class Row: ...\n", "users/b.py": "class Row: ...\n"}, "several classes are called Row"),
    ],
)
def test_error_kinds_named(layers: ModuleType, tmp_path: Path, files: dict[str, str], trouble: str) -> None:
    found = layers.broken(_package(tmp_path / "dialmeter", files))
    assert len(found) == 1
    assert trouble in found[0]
