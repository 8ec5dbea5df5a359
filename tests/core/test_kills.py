"""Long commands are killed at random moments and gone on with: the bytes are those of an undisturbed run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..killing import Command, commands, killings


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    return {command.name: command for command in commands(tmp_path_factory.mktemp("input"))}


KILLS = {"tracker score": 10, "user play": 10, "judge score": 10, "judge score with workers": 4, "judge attack": 4}


@pytest.mark.parametrize("name", KILLS)
def test_kills(name: str, known: dict[str, Command], tmp_path: Path) -> None:
    found = killings(known[name], tmp_path, range(KILLS[name]))
    assert all(each.same for each in found), [each for each in found if not each.same]
    assert any(not each.finished for each in found), "no kill came in time"
