"""Commands in shards: the same bytes for any number of workers, also if a worker dies, and on a cluster."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ...clusters import running
from ...killing import SMALL_SHARDS, contents
from ...simulation.played import play_to_file
from ..invoke import Cli

COMMANDS = {
    "tracker": ("score", "--by", "domain"),
    "keyword": ("score",),
    "user": ("score", "--subject", "user", "--set", "profile=town"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("talk") / "talk.jsonl"
    play_to_file(path, goals=60, seed=11, noise=0.2, user="inventive")
    return path


def start(*words: object) -> subprocess.Popen[bytes]:
    code = [sys.executable, "-c", SMALL_SHARDS, *map(str, words)]
    return subprocess.Popen(code, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen[bytes]) -> tuple[int, bytes, str]:
    out, err = process.communicate()
    return process.returncode, out, err.decode()


def words_of(name: str, file: Path) -> list[str | Path]:
    command, *more = COMMANDS[name]
    subject = [] if name == "user" else ["--subject", "tracker"]
    return [command, f"{file}#keyword" if name == "keyword" else file, *subject, *more]


@pytest.mark.parametrize("name", COMMANDS)
def test_one_two_and_three_workers(name: str, file: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2, 3):
        out = tmp_path / str(workers)
        code, printed, err = finished(
            start(*words_of(name, file), "-f", "json", "--quiet", "--workers", workers, "--out", out)
        )
        assert code == 0, err
        found.append((printed, contents(out)))
    assert len(found[0][1]["rows.jsonl"].splitlines()) == 60
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_cluster_gives_same(file: Path, tmp_path: Path) -> None:
    alone = {
        name: finished(start(*words_of(name, file), "-f", "json", "--quiet", "--out", tmp_path / f"{name}-alone"))
        for name in COMMANDS
    }
    with running(tmp_path, workers=2) as processes:
        for name in COMMANDS:
            out = tmp_path / f"{name}-cluster"
            more = ("-f", "json", "--quiet", "--workers", processes.address, "--out", out)
            assert finished(start(*words_of(name, file), *more)) == alone[name]
            assert contents(out) == contents(tmp_path / f"{name}-alone")


def test_scheduler_not_one_line(file: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setattr("dialmeter.core.cluster._CONNECT_SECONDS", 1)
    monkeypatch.setattr("dialmeter.readers.source.spans.__defaults__", (60_000,))
    assert cli.refused(*words_of("tracker", file), "--quiet", "--workers", "tcp://127.0.0.1:9").startswith(
        "tcp://127.0.0.1:9: cannot connect to a scheduler"
    )


def test_input_of_one_shard(tmp_path: Path) -> None:
    play_to_file(tmp_path / "short.jsonl", goals=2, seed=1)
    words = ("score", tmp_path / "short.jsonl", "--subject", "tracker", "-f", "json", "--workers", "tcp://127.0.0.1:9")
    code, printed, err = finished(start(*words))
    assert code == 0
    assert json.loads(printed)["counts"]["dialogues"] == 2
    assert "warning: the input is one shard; it is scored here and not on the cluster" in err


def test_tls_files_go_with_cluster(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALMETER_CLUSTER_CA", "ca.pem")
    code, _, err = finished(start(*words_of("tracker", file)))
    assert code == 2
    assert "the TLS files of a cluster need --workers tcp://HOST:PORT" in err


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", ["tracker", "user"])
def test_first_duplicate_dialogue(name: str, workers: int, file: Path, tmp_path: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    doubled = tmp_path / "doubled.jsonl"
    doubled.write_bytes(b"".join([*lines, *reversed(lines[:8])]))
    code, _, err = finished(start(*words_of(name, doubled), "--quiet", "--workers", workers))
    assert code == 2
    assert "dialogue town-11-0007: duplicate dialogue id" in err


def test_progress_per_shard(file: Path) -> None:
    code, _, err = finished(start(*words_of("keyword", file), "--workers", 2))
    assert code == 0
    told = re.findall(r"shards: (\d+) % \((\d+) of (\d+)\)", err)
    assert [int(share) for share, *_ in told] == [*range(10, 110, 10)]
    assert told[-1][1] == told[-1][2]


def test_bad_input_in_shard(file: Path, tmp_path: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    dialogue = json.loads(lines[40])
    dialogue["turns"][2]["gold"] = 7
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"".join([*lines[:40], json.dumps(dialogue).encode() + b"\n", *lines[41:]]))
    told = {finished(start(*words_of("tracker", bad), "--quiet", "--workers", workers))[2] for workers in (1, 2)}
    assert told == {
        f"dialmeter: {bad}: line 41, dialogue town-11-0040, turn 2: a state must be an object, found a number\n"
    }
