"""run.json holds the hash of the scored bytes: of files, of folders, and of pipes, which can be read only once."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.core.record import RunInput, RunInputs
from dialmeter.core.run_writer import RunWriter
from dialmeter.errors import InputError, Unfinished

from ..cli.invoke import Cli, call_process
from ..cli.samples import TOWN, native_lines
from .test_budget import CASE

LINES = native_lines(TOWN)
CASES = (json.dumps(CASE) + "\n").encode()
TALK = (
    b'{"dialogue_id":"d","goal":{"hotel":{"info":{"area":"east"}}},"talk":[{"speaker":"user","text":"east","acts":'
    b'[{"name":"Hotel-Inform","service":"hotel","slot":"area","values":["east"]}]}]}\n'
)
COMMANDS = {
    "tracker": (("score", "--subject", "tracker"), LINES),
    "user": (("score", "--subject", "user", "--set", "profile=multiwoz"), TALK),
    "judge": (("score", "--judge", "length"), CASES),
}


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def inputs_of(run: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = open_run(run).manifest["inputs"]
    return found


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
@pytest.mark.parametrize("kind", COMMANDS)
def test_standard_input_has_its_hash(kind: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    words, content = COMMANDS[kind]
    data = pack(content)
    said = call_process(*words, "-", "-q", "--out", tmp_path / "run", stdin=data)
    assert said.code == 0, said.err
    [found] = inputs_of(tmp_path / "run")
    assert (found["name"], found["sha256"]) == ("standard input", hash_of(data))


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_fifo_is_read_once(kind: str, tmp_path: Path) -> None:
    words, content = COMMANDS[kind]
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = Thread(target=lambda: fifo.write_bytes(content), daemon=True)
    writer.start()
    said = call_process(*words, fifo, "-q", "--out", tmp_path / "run")
    assert said.code == 0, said.err
    [found] = inputs_of(tmp_path / "run")
    assert (found["name"], found["sha256"]) == ("fifo", hash_of(content))


@pytest.mark.parametrize("kind", COMMANDS)
@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/fd/0"])
def test_a_path_to_a_pipe(path: str, kind: str, tmp_path: Path) -> None:
    words, content = COMMANDS[kind]
    said = call_process(*words, path, "-q", "--out", tmp_path / "run", stdin=content)
    assert said.code == 0, said.err
    assert [each["sha256"] for each in inputs_of(tmp_path / "run")] == [hash_of(content)]


def test_process_substitution(tmp_path: Path) -> None:
    file = tmp_path / "town.jsonl"
    file.write_bytes(LINES)
    only = tmp_path / "only.txt"
    only.write_bytes(b"d1\nd2\n")
    command = (
        f"{shlex.quote(sys.executable)} -m dialmeter score <(cat {file}) --only <(cat {only}) -q --out {tmp_path}/run"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    assert [(each["role"], each["sha256"]) for each in inputs_of(tmp_path / "run")] == [
        ("predictions", hash_of(LINES)),
        ("only", hash_of(b"d1\nd2\n")),
    ]


def test_a_pipe_gives_the_same_run_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "town.jsonl"
    file.write_bytes(LINES)
    assert call_process("score", file, "-q", "--out", tmp_path / "a").code == 0
    assert call_process("score", "-", "--subject", "tracker", "-q", "--out", tmp_path / "b", stdin=LINES).code == 0
    runs = [open_run(tmp_path / name) for name in "ab"]
    assert runs[0].scores == runs[1].scores
    assert list(runs[0]) == list(runs[1])
    assert inputs_of(tmp_path / "a")[0]["sha256"] == inputs_of(tmp_path / "b")[0]["sha256"]


def test_unfinished_run_from_a_pipe(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(writer: RunWriter, *_: object) -> None:
        writer.begin()
        raise Unfinished("stopped")

    fifo, words = tmp_path / "fifo", ("--subject", "tracker", "--quiet", "--out", tmp_path / "run")
    os.mkfifo(fifo)
    monkeypatch.setattr(RunWriter, "finish", stopped)
    feeding = Thread(target=fifo.write_bytes, args=(LINES,))
    feeding.start()
    cli("score", fifo, *words, code=3)
    feeding.join()
    assert "an unfinished run from standard input or a pipe cannot be continued" in cli.refused("score", fifo, *words)


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(LINES.replace(b'"d', b'"e'))


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(LINES)
    other.replace(path)


def gone(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [grown, replaced, gone])
def test_file_edited(change: Callable[[Path], None], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "town.jsonl"
    file.write_bytes(LINES)

    from dialmeter.cli.tracker import score as tracker_score

    score_predictions = tracker_score.score_predictions

    def score_and_change(*words: Any) -> Any:
        scored = score_predictions(*words)
        change(file)
        return scored

    monkeypatch.setattr(tracker_score, "score_predictions", score_and_change)
    complaint = cli.refused("score", file, "-q", "--out", tmp_path / "run")
    assert complaint == f"{file}: " + ("no such file" if change is gone else "the file changed while it was read")
    assert not (tmp_path / "run").exists()


def test_a_folder_of_text_sheets_is_hashed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    before = RunInputs([RunInput("predictions", str(tmp_path))]).described()
    inputs = RunInputs([RunInput("predictions", str(tmp_path))])
    assert inputs.after_reading() == before
    (tmp_path / "b.txt").write_text("two")
    with pytest.raises(InputError, match="the file changed while it was read"):
        inputs.after_reading()
    assert RunInputs([RunInput("predictions", str(tmp_path))]).described() != before
