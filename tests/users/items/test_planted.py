"""Tests with planted faults, a small version of ``benchmarks/planted_faults.py``. Nearly all events are found, with few false ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[3] / "benchmarks" / "planted_faults.py"


def planted_faults() -> Any:
    spec = importlib.util.spec_from_file_location("planted_faults", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_planted_faults_are_found() -> None:
    found = planted_faults().measured(48, seed=21)
    assert {name: counts["planted"] for name, counts in found.items() if counts["planted"] < 4} == {}
    for name, counts in found.items():
        # Users may express values in other words, but only known forms are found.
        least = 0.5 if name in ("wrong", "missed") else 0.8
        assert counts["found"] / counts["planted"] >= least, (name, counts)
        assert counts["right"] / counts["reported"] >= 0.8, (name, counts)


def test_planted_by_seed(tmp_path: Path) -> None:
    module = planted_faults()
    for name, seed in (("one", 5), ("two", 5), ("three", 6)):
        module.written(tmp_path / name, 8, seed)
    one, two, three = ((tmp_path / name).read_bytes() for name in ("one", "two", "three"))
    assert one == two != three
