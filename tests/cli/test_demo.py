"""The demo: every step is a command, and all commands work without extras."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from dialmeter import open_run

from .invoke import Cli, CommandResult, call_process

RUNS = {"own": "tracker", "keyword": "tracker", "agenda": "user", "forgetful": "user", "judges": "judge"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def result(folder: Path) -> CommandResult:
    return call_process("demo", "--out", folder, "--goals", "30", "--quiet")


def test_it_ends_with_report_and_viewer(result: CommandResult, folder: Path) -> None:
    assert result.code == 0, result.err
    last = result.out.rstrip().splitlines()
    assert last[-2] == f"report: {folder / 'report.html'}"
    assert last[-1] == f"Explore every number: dialmeter view {shlex.quote(str(folder / 'runs'))}"
    assert 10_000 < (folder / "report.html").stat().st_size <= 2_000_000


def test_every_subject_leaves_run(result: CommandResult, folder: Path) -> None:
    assert {name: open_run(folder / "runs" / name).manifest["kind"] for name in RUNS} == RUNS


def test_measures_see_who_forgets(result: CommandResult, folder: Path) -> None:
    recall = {
        name: next(each["value"] for each in open_run(folder / "runs" / name).scores if each["measure"] == "I-recall")
        for name in ("agenda", "forgetful")
    }
    assert recall["forgetful"] < recall["agenda"] - 0.05


def test_printed_commands_can_be_typed(result: CommandResult, cli: Cli) -> None:
    typed = [shlex.split(line)[2:] for line in result.out.splitlines() if line.startswith("$ dialmeter ")]
    assert [words[:2] for words in typed].count(["user", "play"]) == 2
    again = next(words for words in typed if words[:2] == ["user", "compare"])
    assert cli(*again, "--quiet").out in result.out


def test_older_demo_is_not_written_over_unasked(result: CommandResult, folder: Path, cli: Cli) -> None:
    assert "agenda.jsonl: already exists; use --force to replace it" in cli("demo", "--out", str(folder), code=2).err
