"""``judge attack`` and ``judge score`` in shards: the same bytes for any number of workers, also if workers die."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ..clusters import running
from ..judges.made import case, cases, write_cases
from ..killing import contents
from ..simulation.played import play_to_file

MINE = '''
import os, signal, threading

MARK = os.path.join(os.path.dirname(__file__), "mark")
WAY = os.path.join(os.path.dirname(__file__), "way")

def die(text):
    """A judge that kills its worker process, once or at every occurrence of a text. It never kills the main process."""
    way = open(WAY).read() if os.path.exists(WAY) else ""
    if way == "always at " + text or way == "once" and "7" in text and not os.path.exists(MARK):
        open(MARK, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)

class Mortal:
    name, higher_is_better, scale, facets, batch_size = "mortal", True, None, None, 16
    def score(self, items):
        for _, reply in items:
            die(reply)
        return [len(reply) / 7 for _, reply in items]

def function(context, reply):
    return len(reply) + len(context)
function.higher_is_better = True

class Where:
    """A judge whose score depends on the process, for tests only."""
    name, higher_is_better, scale, facets, batch_size, neural = "where", True, None, None, 8, True
    def score(self, items):
        return [float(os.getpid())] * len(items)

def reworded(text):
    die(text)
    return "In other words: " + text
'''
PROGRAM = "import json, sys\nfor line in sys.stdin:\n    print(len(json.loads(line)['reply']) / 3)\n"
NO_CACHE = {"DIALMETER_NO_CACHE": "true"}
QUICK = ["contradiction", "natural-paraphrase", "pronoun", "speaker"]
"""Attacks without synonyms, because each process that inflects synonyms needs several seconds to load a dictionary."""
JUDGES = ["ngram-coherence", "ngram-fluency", "overlap", "mine:Mortal", "random(seed=3)", "mine:function"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the files of all tests once. Each test gets a copy."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "mine.py").write_text(MINE)
    (folder / "program.py").write_text(PROGRAM)
    control = [case("identical", number, reply="yes", adversarial="yes") for number in range(6)]
    write_cases(folder / "cases.jsonl", [*cases(count=40), *control])
    play_to_file(folder / "talk.jsonl", goals=130, seed=6)
    return folder


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    return shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def undisturbed(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(inputs, tmp_path_factory.mktemp("undisturbed"), dirs_exist_ok=True)


@pytest.fixture(scope="module")
def run(undisturbed: Path) -> tuple[bytes, dict[str, bytes]]:
    """Return the output and the files of the judges in one process."""
    return scored(undisturbed, "run1", "--workers", 1)


@pytest.fixture(scope="module")
def made(undisturbed: Path) -> tuple[bytes, bytes]:
    """Return the output of the quick attacks in one process, and the cases."""
    return attacked(undisturbed, "c1", "--workers", 1)


def called(folder: Path, *words: object, **place: str) -> tuple[int, bytes, str]:
    done = subprocess.run(
        [sys.executable, "-m", "dialmeter", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]), **place},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def scored(folder: Path, out: str, *words: object) -> tuple[bytes, dict[str, bytes]]:
    more = [word for judge in JUDGES for word in ("--judge", judge)]
    more += ["--judge", f"program=cmd(run='{shlex.quote(sys.executable)} program.py')"]
    code, result, err = called(folder, "score", "cases.jsonl", *more, "-f", "json", "--quiet", "--out", out, *words)
    assert code == 0, err
    return result, contents(folder / out)


def attacked(folder: Path, out: str, *words: object) -> tuple[bytes, bytes]:
    more = [word for attack in QUICK for word in ("--attack", attack)]
    more += ["--set", "paraphraser=mine:reworded", "--limit", "90", "--set", "light"]
    code, result, err = called(
        folder, "judge", "attack", "talk.jsonl", *more, "-f", "json", "--quiet", "--out", out, *words, **NO_CACHE
    )
    assert code == 0, err
    assert not (folder / f"{out}.parts").exists()
    return result, (folder / out).read_bytes()


def test_numbers_of_workers(folder: Path, run: tuple[bytes, dict[str, bytes]]) -> None:
    assert run[1]["rows.jsonl"]
    assert scored(folder, "run2", "--workers", 2) == run
    assert scored(folder, "run3", "--workers", 3) == run


def test_one_and_three_workers_attack_alike(folder: Path, made: tuple[bytes, bytes]) -> None:
    assert attacked(folder, "c3", "--workers", 3) == made


def test_workers_share_analyses_and_attack_alike(folder: Path) -> None:
    pytest.importorskip("spacy", reason="the extra `attacks` is not installed")
    play_to_file(folder / "few.jsonl", goals=40, seed=6)
    # These attacks need analyses and no synonyms, whose dictionaries every process would load for several seconds.
    attacks = [word for attack in ("pronoun", "named-entity", "contradiction") for word in ("--attack", attack)]
    words = ("judge", "attack", "few.jsonl", *attacks, "--limit", 10, "--quiet", "-f", "json")
    one = called(folder, *words, "--out", "c1", **NO_CACHE)
    assert one[0] == 0, one[2]
    assert called(folder, *words, "--workers", 2, "--out", "c2", DIALMETER_CACHE="kept") == one
    assert list((folder / "kept").iterdir())
    assert (folder / "c1").read_bytes() == (folder / "c2").read_bytes()


def test_worker_killed_leaves_no_trace(
    folder: Path, run: tuple[bytes, dict[str, bytes]], made: tuple[bytes, bytes]
) -> None:
    (folder / "way").write_text("once")
    assert scored(folder, "run2", "--workers", 2) == run
    assert (folder / "mark").exists()
    (folder / "mark").unlink()
    assert attacked(folder, "c2", "--workers", 2) == made
    assert (folder / "mark").exists()


def test_shard_killing_workers(folder: Path, made: tuple[bytes, bytes]) -> None:
    (folder / "way").write_text("always at for 7 people please thanks")
    words = ("--judge", "mine:Mortal", "--judge", "overlap", "--workers", 2, "--quiet", "--out", "run2")
    code, _, err = called(folder, "score", "cases.jsonl", *words)
    assert code == 3
    assert "1 of 23 shards failed, first shard 3 at judge mortal, replies 49 to 64: 2 workers died" in err
    adversarial = [msgspec.json.decode(line)["adversarial"] for line in made[1].splitlines()]
    reworded = next(text for text in adversarial if text.startswith("In other words: "))
    (folder / "way").write_text("always at " + reworded.removeprefix("In other words: "))
    words = (
        *(word for attack in QUICK for word in ("--attack", attack)),
        *(
            "--set",
            "paraphraser=mine:reworded",
            "--limit",
            "90",
            "--set",
            "light",
            "--quiet",
            "--workers",
            2,
        ),
    )
    code, _, err = called(folder, "judge", "attack", "talk.jsonl", *words, "--out", "c2", **NO_CACHE)
    assert code == 3
    assert "the same command continues" in err
    assert (folder / "c2.parts").exists()
    assert not (folder / "c2").exists()
    (folder / "way").unlink()
    code, _, err = called(
        folder, "score", "cases.jsonl", "--judge", "mine:Mortal", "--judge", "overlap", "--out", "run2"
    )
    assert code == 0, err
    code, _, err = called(folder, "judge", "attack", "talk.jsonl", *words, "--out", "c2", **NO_CACHE)
    assert code == 0, err
    assert (folder / "c2").read_bytes() == made[1]
    whole = called(folder, "score", "cases.jsonl", "--judge", "mine:Mortal", "--judge", "overlap", "--out", "run3")
    assert whole[0] == 0
    assert contents(folder / "run2") == contents(folder / "run3")


def test_cluster_with_killed_worker(
    folder: Path, run: tuple[bytes, dict[str, bytes]], made: tuple[bytes, bytes]
) -> None:
    place = folder / "cluster"
    place.mkdir()
    (place / "mine.py").write_text(MINE)  # the paraphraser is found in the folder that workers start in
    with running(place, workers=4) as processes:
        assert scored(folder, "run2", "--workers", processes.address) == run
        assert attacked(folder, "c2", "--workers", processes.address) == made
        (folder / "way").write_text("once")
        assert scored(folder, "run3", "--workers", processes.address) == run
        assert (folder / "mark").exists()
        for each in (folder, place):  # whichever copy a worker knows already
            (each / "mark").unlink(missing_ok=True)
            (each / "way").write_text("once")
        assert attacked(folder, "c3", "--workers", processes.address) == made
        assert (place / "mark").exists() or (folder / "mark").exists()
        assert sum(worker.poll() is not None for worker in processes.workers) >= 2


def test_neural_judges_placed(folder: Path) -> None:
    words = ("score", "cases.jsonl", "--judge", "mine:Where", "--judge", "overlap", "--quiet", "--limit", 0)
    place = folder / "cluster"
    place.mkdir()
    with running(place, workers=1) as processes:
        more = ("--workers", processes.address)
        place_of_networks = {"DIALMETER_CLUSTER_RESOURCE": "NEURAL=1"}
        code, _, err = called(folder, *words, *more, **place_of_networks)
        assert code == 2
        assert "no worker has NEURAL=1; start one with `dask worker --resources NEURAL=1`" in err
        able = processes.add_worker("--resources", "NEURAL=1")
        code, _, err = called(folder, *words, *more, **place_of_networks, DIALMETER_STORE="kept")
        assert code == 0, err
    told = "".join(path.read_text() for path in (folder / "kept").iterdir() if '"where@' in path.read_text())
    assert f":{able.pid}.0" in told
    assert f":{processes.workers[0].pid}.0" not in told


@pytest.mark.parametrize(
    ("words", "resource", "complaint"),
    [
        ([], "GPU=1", "the resource of a cluster needs --workers tcp://HOST:PORT"),
        (["--workers", "tcp://127.0.0.1:9"], "GPU", "cluster-resource GPU: write NAME=AMOUNT, such as GPU=1"),
    ],
)
def test_senseless_resource(words: list[str], resource: str, complaint: str, folder: Path) -> None:
    place = {"DIALMETER_CLUSTER_RESOURCE": resource}
    code, _, err = called(folder, "score", "cases.jsonl", "--judge", "overlap", "--quiet", *words, **place)
    assert (code, err) == (2, f"dialmeter: {complaint}\n")


def test_network_same_bits(folder: Path) -> None:
    from ..judges.tiny import gpt2

    gpt2(folder / "tiny")
    # Every process loads torch, which takes longer than all scores.
    words = ("score", "cases.jsonl", "--judge", "pang-c(model=tiny)", "--quiet")
    one = called(folder, *words, "--out", "n1")
    assert one[0] == 0, one[2]
    code, text, _ = called(folder, *words, "--out", "n2", "--workers", 2)
    assert (code, text.replace(b"dialmeter find n2 ", b"dialmeter find n1 ")) == one[:2]
    assert contents(folder / "n2") == contents(folder / "n1")


def test_unreadable_weights_with_workers(folder: Path) -> None:
    pytest.importorskip("torch", reason="the extra `neural` is not installed")
    (folder / "empty").mkdir()
    (folder / "empty" / "model.safetensors").write_bytes(b"")
    told = set()
    for workers in (1, 2):
        words = ("--judge", "pang-c(model=empty)", "--judge", "overlap", "--quiet", "--workers", workers)
        code, _, err = called(folder, "score", "cases.jsonl", *words)
        assert code == 2
        told.add(err.splitlines()[-1])
    [line] = told
    assert line == "dialmeter: model empty: the folder holds no model (config.json is missing)"
