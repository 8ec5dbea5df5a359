"""The commands of the page on CI are run as they stand there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from ..two_trackers import written
from .pages import call

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text("utf-8")
STEPS = re.findall(r"^ +- run: (dialmeter .*)$", PAGE, re.MULTILINE)
ENTRY = re.findall(r"^ +entry: (dialmeter .*)$", PAGE, re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    written("steady", tmp_path).rename(tmp_path / "base.jsonl")
    written("hasty", tmp_path).rename(tmp_path / "new.jsonl")
    return tmp_path


def typed(line: str, folder: Path, *more: str) -> tuple[int, str]:
    """Runs a command in this process: exit code, standard error."""
    with chdir(folder):
        code, _, error = call([*shlex.split(line)[1:], *more])
    return code, error


def test_every_step_of_worse_tracker(folder: Path) -> None:
    *before, last = STEPS
    assert len(before) == 4
    for step in before:
        code, error = typed(step, folder)
        assert code == 0, f"{step}: {error}"
    assert (folder / "report.html").stat().st_size > 10_000
    words = [sys.executable, "-m", *shlex.split(last)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "new is worse than base under" in done.stderr
    assert done.stderr.count("\n") == 1


def test_tracker_no_worse_passes(folder: Path) -> None:
    (folder / "new.jsonl").write_bytes((folder / "base.jsonl").read_bytes())
    assert typed(STEPS[-1], folder)[0] == 0


def test_number_below_its_limit_stops(folder: Path) -> None:
    step = next(each for each in STEPS if "--fail-if" in each and "worse" not in each)
    code, error = typed(step.replace("0.3", "0.99"), folder)
    assert code == 1
    assert "JGA < 0.99: JGA is 0.5" in error


def test_files_of_hook(folder: Path) -> None:
    (entry,) = ENTRY
    assert typed(entry, folder, "new.jsonl")[0] == 0
    (folder / "cut.json").write_bytes((folder / "new.jsonl").read_bytes()[:-200])
    assert typed(entry, folder, "cut.json")[0] == 2
