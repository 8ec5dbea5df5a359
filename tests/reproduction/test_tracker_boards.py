"""The boards in benchmarks/tracker_boards.md are what their command makes of the published files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from ..shared_data import shared

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_page_equals_command(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("tracker_boards", ROOT / "benchmarks" / "tracker_boards.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    # The board of DSTC10 takes most of the time, and is made in the same way.
    made = script.make(tmp_path / "boards", shared("data"), "m*")
    written = (ROOT / "benchmarks" / "tracker_boards.md").read_text("utf-8").partition(script.MARK)[2]
    assert written.endswith(f"\n{made}")
    assert written.count("\n## ") == made.count("\n## ") + 2
    assert "The predictions of UniConv may be gold." in made
