"""Closed or full standard streams and a full disk give a one-line error and a documented exit code."""

from __future__ import annotations

import errno
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ..cli.invoke import Cli, CommandResult
from ..cli.samples import native_lines, written


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "p.jsonl", native_lines({"d": [{"gold": {"a-b": "1"}, "pred": {}}]}))


def shell(words: str, streams: str) -> CommandResult:
    """Run a command with its streams redirected by a shell."""
    command = f"{shlex.quote(sys.executable)} -m dialmeter {words} {streams}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())


COMMANDS = ("score {file}", "score {file} --out {file}.run", "play --goals 3 --out {file}.talk")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-"])
def test_no_standard_error_and_input(command: str, streams: str, file: Path) -> None:
    result = shell(command.format(file=file), streams)
    assert result.code == 0
    assert result.out
    assert "internal error" not in result.err


@pytest.mark.parametrize(
    "command", [*COMMANDS, "convert {file} -", "list measures", "--help", "report {file}.run --out -"]
)
def test_full_standard_output(command: str, file: Path) -> None:
    if command.startswith("report"):
        assert shell(f"score {file} --out {file}.run -q", "").code == 0
    result = shell(f"{command.format(file=file)}", ">/dev/full")
    lines = [line for line in result.err.splitlines() if line.startswith("dialmeter: ")]
    assert (result.code, lines) == (2, ["dialmeter: standard output: cannot be written: No space left on device"])
    assert "internal error" not in result.err
    assert "Exception ignored" not in result.err


def test_closed_standard_output(file: Path) -> None:
    result = shell(f"score {file} --quiet", ">&-")
    assert (result.code, result.complaint) == (2, "standard output: cannot be written: Bad file descriptor")


def test_failing_file_beside_standard_output(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python does not say which file it was if a read fails after the file was opened."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("dialmeter.cli.tracker.score.check_file", fail)
    assert cli.refused("check", file).startswith("a file cannot be read or written: Input/output error (details in ")


def test_interrupted(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dialmeter.cli.tracker.score.check_file", interrupt)
    assert cli("check", file, code=130).err.strip() == "dialmeter: interrupted"


def test_closed_standard_input() -> None:
    result = shell("score -", "<&-")
    assert (result.code, result.complaint) == (2, "standard input: the file is empty")
