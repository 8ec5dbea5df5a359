"""Commands in shards: the same bytes for any number of workers, also if a worker dies, and on a cluster."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dialmeter.simulation.files import play_to_file

from ...clusters import running
from ...killing import SMALL_SHARDS, contents
from ..invoke import Cli

COMMANDS = {
    "tracker": ("tracker", "score", "--by", "domain"),
    "keyword": ("tracker", "score"),
    "user": ("user", "score", "--profile", "town", "--blame"),
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
    group, command, *more = COMMANDS[name]
    return [group, command, f"{file}#keyword" if name == "keyword" else file, *more]


@pytest.mark.parametrize("name", COMMANDS)
def test_one_two_and_three_workers(name: str, file: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2, 3):
        out = tmp_path / str(workers)
        code, printed, err = finished(
            start(*words_of(name, file), "--json", "--quiet", "--workers", workers, "--out", out)
        )
        assert code == 0, err
        found.append((printed, contents(out)))
    assert len(found[0][1]["rows.jsonl"].splitlines()) == 60
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_cluster_gives_same(file: Path, tmp_path: Path) -> None:
    alone = {
        name: finished(start(*words_of(name, file), "--json", "--quiet", "--out", tmp_path / f"{name}-alone"))
        for name in COMMANDS
    }
    with running(tmp_path, workers=2) as processes:
        for name in COMMANDS:
            out = tmp_path / f"{name}-cluster"
            more = ("--json", "--quiet", "--cluster", processes.address, "--out", out)
            assert finished(start(*words_of(name, file), *more)) == alone[name]
            assert contents(out) == contents(tmp_path / f"{name}-alone")


def test_scheduler_not_one_line(file: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setattr("dialmeter.core.cluster._CONNECT_SECONDS", 1)
    monkeypatch.setattr("dialmeter.readers.source.spans.__defaults__", (60_000,))
    assert cli.refused(*words_of("tracker", file), "--quiet", "--cluster", "tcp://127.0.0.1:9").startswith(
        "tcp://127.0.0.1:9: cannot connect to a scheduler"
    )


def test_input_of_one_shard_is_scored_here_and_said(tmp_path: Path) -> None:
    play_to_file(tmp_path / "short.jsonl", goals=2, seed=1)
    words = ("tracker", "score", tmp_path / "short.jsonl", "--json", "--cluster", "tcp://127.0.0.1:9")
    code, printed, err = finished(start(*words))
    assert code == 0
    assert json.loads(printed)["counts"]["dialogues"] == 2
    assert "warning: the input is one shard; it is scored here and not on the cluster" in err


def test_tls_files_go_with_cluster(file: Path) -> None:
    code, _, err = finished(start(*words_of("tracker", file), "--cluster-ca", "ca.pem"))
    assert code == 2
    assert "--cluster-ca, --cluster-cert and --cluster-key need --cluster" in err


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", ["tracker", "user"])
def test_of_several_duplicate_dialogues_first_is_reported(name: str, workers: int, file: Path, tmp_path: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    doubled = tmp_path / "doubled.jsonl"
    doubled.write_bytes(b"".join([*lines, *reversed(lines[:8])]))
    code, _, err = finished(start(*words_of(name, doubled), "--quiet", "--workers", workers))
    assert code == 2
    assert "dialogue town-11-0007: duplicate dialogue id" in err


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_reported_per_shard(workers: int, file: Path) -> None:
    code, _, err = finished(start(*words_of("keyword", file), "--workers", workers))
    assert code == 0
    told = re.findall(r"shards: (\d+) % \((\d+) of (\d+)\)", err)
    assert [int(share) for share, *_ in told] == [*range(10, 110, 10)]
    assert told[-1][1] == told[-1][2]


def test_bad_input_in_shard_is_reported_with_its_place(file: Path, tmp_path: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    thing = json.loads(lines[40])
    thing["turns"][2]["gold"] = 7
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"".join([*lines[:40], json.dumps(thing).encode() + b"\n", *lines[41:]]))
    told = {finished(start(*words_of("tracker", bad), "--quiet", "--workers", workers))[2] for workers in (1, 2)}
    assert told == {
        f"dialmeter: {bad}: line 41, dialogue town-11-0040, turn 2: a state must be an object, found a number\n"
    }


def children(process: subprocess.Popen[bytes]) -> list[int]:
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(word) for word in path.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="worker processes are found in /proc")
def test_worker_killed_leaves_no_trace(tmp_path: Path) -> None:
    talk = tmp_path / "long.jsonl"
    play_to_file(tmp_path / "short.jsonl", goals=40, seed=2)
    lines = (tmp_path / "short.jsonl").read_text("utf-8").splitlines()
    with open(talk, "w", encoding="utf-8") as file:
        for copy in range(40):
            file.writelines(line.replace('"town-2-', f'"town-2-{copy}-', 1) + "\n" for line in lines)
    words = ("tracker", "score", talk, "--json", "--quiet", "--workers", 2)
    whole = finished(start(*words, "--out", tmp_path / "whole"))
    process = start(*words, "--out", tmp_path / "killed")
    killed = None
    while process.poll() is None and killed is None:
        begun = list((tmp_path / "killed" / "parts").glob("rows-*.jsonl"))
        workers = [pid for pid in children(process) if _is_worker(pid)]
        if len(begun) >= 2 and workers:
            killed = workers[-1]
            os.kill(killed, signal.SIGKILL)
        time.sleep(0.005)
    assert killed is not None, "the command was done before a worker could be killed"
    assert finished(process) == whole
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def _is_worker(pid: int) -> bool:
    try:
        return b"multiprocessing.spawn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
