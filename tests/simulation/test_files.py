"""A file of dialogues that is killed and resumed is the same file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.simulation.agents import choose
from dialmeter.simulation.play import Setting, sampled, write

TASKS = sampled(25, 7)
SETTING = Setting(choose("agenda", "user"), choose("rule", "system"), 0.1, 7)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "talk.jsonl"
    assert write(path, TASKS, SETTING) == 25
    assert sorted(each.name for each in path.parent.iterdir()) == ["talk.jsonl"]
    return path.read_bytes()


def _stopped_after(path: Path, count: int) -> None:
    """Leaves the file as a run leaves it that is interrupted."""

    def show(conversations: object, total: int) -> object:
        for place, conversation in enumerate(conversations):  # type: ignore[arg-type, var-annotated]
            if place == count:
                raise KeyboardInterrupt
            yield conversation

    with pytest.raises(KeyboardInterrupt):
        write(path, TASKS, SETTING, progress=show)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, 1, 12, 24])
@pytest.mark.parametrize("torn", [b"", b'{"dialogue_id": "to'])
def test_going_on(tmp_path: Path, whole: bytes, count: int, torn: bytes) -> None:
    path = tmp_path / "talk.jsonl"
    _stopped_after(path, count)
    assert not path.exists()
    part = tmp_path / "talk.jsonl.part"
    assert part.read_bytes().count(b"\n") == count
    with part.open("ab") as file:
        file.write(torn)
    write(path, TASKS, SETTING, resume=True)
    assert path.read_bytes() == whole
    assert sorted(each.name for each in tmp_path.iterdir()) == ["talk.jsonl"]


def test_killed_process(tmp_path: Path) -> None:
    """The real thing: the command with two workers, killed hard as soon as it has written something."""
    line = "-m dialmeter user play --goals 600 --seed 7 --workers 2 --quiet"
    words = [sys.executable, *line.split(" ")]
    path, part = tmp_path / "talk.jsonl", tmp_path / "talk.jsonl.part"
    with subprocess.Popen([*words, "--out", str(path)], stdout=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None and not (part.exists() and part.stat().st_size > 100_000):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert 0 < part.read_bytes().count(b"\n") < 600
    subprocess.run([*words, "--out", str(path), "--resume"], check=True, stdout=subprocess.DEVNULL)
    other = tmp_path / "other.jsonl"
    subprocess.run([*words, "--out", str(other), "--workers", "1"], check=True, stdout=subprocess.DEVNULL)
    assert path.read_bytes() == other.read_bytes()


def test_existing_not_overwritten(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("precious")
    with pytest.raises(DialmeterError, match="already exists; use --force to replace it"):
        write(path, TASKS, SETTING)
    with pytest.raises(DialmeterError, match="already exists"):
        write(path, TASKS, SETTING, resume=True)
    assert path.read_text() == "precious"
    write(path, TASKS, SETTING, force=True)
    assert path.read_bytes() == whole


def test_resume_only_same_setting(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    _stopped_after(path, 3)
    with pytest.raises(DialmeterError, match="is unfinished; continue with --resume"):
        write(path, TASKS, SETTING)
    other = Setting(choose("hasty", "user"), choose("rule", "system"), 0.1, 7)
    with pytest.raises(DialmeterError, match="other agents, goals or settings"):
        write(path, TASKS, other, resume=True)
    with pytest.raises(DialmeterError, match="other agents, goals or settings"):
        write(path, TASKS[:20], SETTING, resume=True)
    write(path, TASKS, SETTING, resume=True)


def test_unwritable_places(tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="is a folder"):
        write(tmp_path, TASKS, SETTING)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DialmeterError, match="cannot be written"):
        write(file / "talk.jsonl", TASKS, SETTING)
