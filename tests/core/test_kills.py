"""Long commands are killed at random moments and resumed: the output has the same bytes as that of an uninterrupted run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..killing import Command, commands, killings


@pytest.fixture(scope="module")
def command_by_name(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    return {command.name: command for command in commands(tmp_path_factory.mktemp("input"))}


KILLS = {"score": 3, "play": 2, "judge score": 2, "judge score with workers": 2, "judge attack": 2}
"""``benchmarks/kills.py`` kills hundreds of times, and ``tests/fuzz/test_crash_points.py`` at the operations on files."""


@pytest.mark.parametrize("name", KILLS)
def test_kills(name: str, command_by_name: dict[str, Command], tmp_path: Path) -> None:
    kills = killings(command_by_name[name], tmp_path, range(KILLS[name]))
    assert all(each.same for each in kills), [each for each in kills if not each.same]
    assert any(not each.finished for each in kills), "no kill came in time"
