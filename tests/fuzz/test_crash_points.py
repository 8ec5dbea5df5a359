"""Some of the points at which commands may fail; ``benchmarks/crash_points.py`` has all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ..commands import leaf_commands
from .crash_points import memory_folder, points_of, write_inputs
from .scenarios import SCENARIOS, Scenario

SAMPLED = {
    "score": 6,
    "score, shards": 6,
    "score --force": 12,
    "judge score": 4,
    "judge score --force": 4,
    "play": 8,
    "play --force": 8,
    "judge attack --force": 6,
    "convert --force": 4,
    "report --force": 3,
    "study people --make-sheet": 3,
    "convert --to map": 3,
    "system score --force": 3,
    "people score --force": 3,
    "compare --out --force": 2,
    "study audit --out": 3,
    "play --out, several pairs": 3,
    "report into a folder --force": 3,
}
WRITING_OPTIONS = {"--out", "--make-sheet"}


@pytest.fixture(scope="module")
def inputs() -> Iterator[Path]:
    with TemporaryDirectory(dir=memory_folder()) as folder:
        write_inputs(Path(folder, "input"))
        yield Path(folder, "input")


@pytest.mark.skipif(not hasattr(os, "fork") or not Path("/proc/self/fd").exists(), reason="needs fork and /proc")
@pytest.mark.parametrize("scenario", [each for each in SCENARIOS if each.name in SAMPLED], ids=lambda each: each.name)
def test_points(scenario: Scenario, inputs: Path) -> None:
    with TemporaryDirectory(dir=memory_folder()) as folder:
        Path(folder, "input").symlink_to(inputs)
        found = list(points_of(scenario, Path(folder), SAMPLED[scenario.name]))
    assert len(found) == SAMPLED[scenario.name]
    assert [point for point in found if point.trouble] == []


def test_scenario_of_writing_commands() -> None:
    lines = [each.words for each in SCENARIOS]
    writing = {
        (name, option)
        for name, command in leaf_commands()
        for parameter in command.params
        for option in parameter.opts
        if option in WRITING_OPTIONS
    }
    missing = {
        pair for pair in writing if not any(line.startswith(f"{pair[0]} ") and pair[1] in line for line in lines)
    }
    # It needs a folder with a schema, and writes its run as every study does.
    assert missing == {("study sensitivity", "--out")}
    for name in ("demo", "convert", "report"):
        assert any(line.startswith(f"{name} ") for line in lines)
