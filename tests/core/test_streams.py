"""Closed or full standard streams and a full disk give a one-line error and a documented exit code."""

from __future__ import annotations

import errno
import resource
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


COMMANDS = ("tracker score {file}", "tracker score {file} --out {file}.run", "user play --goals 3 --out {file}.talk")


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
        assert shell(f"tracker score {file} --out {file}.run -q", "").code == 0
    result = shell(f"{command.format(file=file)}", ">/dev/full")
    lines = [line for line in result.err.splitlines() if line.startswith("dialmeter: ")]
    assert (result.code, lines) == (2, ["dialmeter: standard output: cannot be written: No space left on device"])
    assert "internal error" not in result.err
    assert "Exception ignored" not in result.err


def test_closed_standard_output(file: Path) -> None:
    result = shell(f"tracker score {file} --quiet", ">&-")
    assert (result.code, result.complaint) == (2, "standard output: cannot be written: Bad file descriptor")


def test_failing_file_beside_standard_output(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python does not say which file it was if a read fails after the file was opened."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("dialmeter.cli.tracker.score.check_file", fail)
    assert cli.refused("tracker", "check", file).startswith(
        "a file cannot be read or written: Input/output error (details in "
    )


def test_closed_standard_input() -> None:
    result = shell("tracker score -", "<&-")
    assert (result.code, result.complaint) == (2, "standard input: the file is empty")


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def test_full_disk_while_dialogues_are_played(tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk, and needs no privileges."""
    words = ["user", "play", "--goals", "60", "--quiet", "--workers", "1", "--out"]
    command = [sys.executable, "-m", "dialmeter", *words]
    path, whole = tmp_path / "talk.jsonl", tmp_path / "whole.jsonl"
    done = subprocess.run([*command, path], preexec_fn=small_files, capture_output=True, check=False)
    result = CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert result.code == 3
    assert result.complaint.startswith(f"{path}: cannot be written: File too large; ")
    assert result.complaint.endswith(" of 60 dialogues are done, continue with --resume")
    subprocess.run([*command, path, "--resume"], check=True, capture_output=True)
    subprocess.run([*command, whole], check=True, capture_output=True)
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_full_disk_while_run_is_written(workers: str, tmp_path: Path) -> None:
    turns = [{"gold": {"a-b": "1"}, "pred": {}, "user": "x" * 300}]
    file = written(tmp_path / "p.jsonl", native_lines({f"d{number}": turns for number in range(800)}))
    code = (
        "import sys, dialmeter.readers.conversations, dialmeter.readers.corpus, dialmeter.readers.source as shards; "
        "shards.spans.__defaults__ = (150_000,); from dialmeter.cli.main import run; run(sys.argv[1:])"
    )
    words = f"tracker score {file} --quiet --ci 0 --workers {workers} --out {tmp_path / 'run'}".split()
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, preexec_fn=small_files, capture_output=True, check=False)
    result = CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert result.code == 3
    assert result.complaint.endswith("cannot be written: File too large; what is done is kept, continue with --resume")
    assert subprocess.run([*command, "--resume"], check=False, capture_output=True).returncode == 0
