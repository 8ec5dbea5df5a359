"""Shards on a Dask cluster: the same results as in this process, even if a worker dies; a clear message if the scheduler dies."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, NamedTuple

import pytest

from dialmeter import __version__
from dialmeter.core.cluster import Cluster, Environment, check_environment, describe_environment
from dialmeter.core.engine import Done, Lost, map_shards
from dialmeter.errors import DialmeterError, InputError, Unfinished

from ..clusters import running


def squared(number: int) -> int:
    return number * number


def slow(task: tuple[str, int]) -> int:
    """Create a file named after the number and the process, and take some time."""
    folder, number = task
    Path(folder, f"{number}-{os.getpid()}").touch()
    time.sleep(0.3)
    return number * number


class Marking:
    """Callable work with data. It creates a file in each process that unpickles it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __setstate__(self, state: dict[str, str]) -> None:
        self.__dict__.update(state)
        Path(self.folder, f"came-{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, number: int) -> tuple[int, int]:
        time.sleep(0.05)
        return number, os.getpid()


def odd(number: int) -> bool:
    return number % 2 == 1


def deadly(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def refusing(number: int) -> int:
    raise InputError("not this one", dialogue=f"d{number}", turn=2)


def test_cluster_like_one_process(tmp_path: Path) -> None:
    with running(tmp_path, workers=2) as processes:
        cluster = Cluster(processes.address)
        assert list(map_shards(squared, range(12), cluster=cluster)) == list(map_shards(squared, range(12)))
        with pytest.raises(InputError, match="dialogue d0, turn 2: not this one"):
            list(map_shards(refusing, range(3), cluster=cluster))


class KillingPath(NamedTuple):
    """A path that kills the scheduler when it is used."""

    scheduler: Popen[bytes]

    def __fspath__(self) -> str:
        self.scheduler.kill()
        self.scheduler.wait()
        return __file__


def test_scheduler_dies_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialmeter.core.cluster._CONNECT_SECONDS", 1)
    with running(tmp_path, workers=1) as processes:
        inputs: list[Any] = [KillingPath(processes.scheduler)]
        with pytest.raises(Unfinished, match=r"the cluster does not answer \(.*\); the same command continues"):
            list(map_shards(squared, range(3), cluster=Cluster(processes.address), inputs=inputs))


def test_worker_with_incompatible_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other" / "dialmeter"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(other.parent))
    refusal = pytest.raises(DialmeterError, match=rf"^worker tcp://127.0.0.1:\d+ cannot run dialmeter {__version__}: ")
    with running(tmp_path, workers=1) as processes, refusal:
        list(map_shards(squared, range(3), cluster=Cluster(processes.address)))


def test_workers_check_input_before_first_shard(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text("{}\n", "utf-8")
    assert describe_environment([str(file), str(tmp_path / "none")]) == Environment(
        __version__, describe_environment([]).source, (hashlib.sha256(b"{}\n").hexdigest(), None)
    )
    with running(tmp_path, workers=1) as processes:
        cluster = Cluster(processes.address)
        assert list(map_shards(squared, [2], cluster=cluster, inputs=[str(file)])) == [Done(4)]


@pytest.mark.parametrize(
    ("there", "message"),
    [
        (Environment("1", "x", (None,)), "d.jsonl: worker w cannot read it"),
        (Environment("1", "x", ("b",)), "d.jsonl: has other content on worker w than here"),
        (Environment("1", "y", ("a",)), "worker w has another source of dialmeter 1; install the same one"),
        (Environment("2", "x", ("a",)), "worker w has dialmeter 2, but this process has 1"),
    ],
)
def test_worker_with_other_input_or_version(there: Environment, message: str) -> None:
    here = Environment("1", "x", ("a",))
    check_environment("w", here, here, ["d.jsonl"])
    with pytest.raises(DialmeterError, match=message):
        check_environment("w", there, here, ["d.jsonl"])


def test_inputs_by_content(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    digests = set()
    for content in (b"", b"abc", b"abd"):
        file.write_bytes(content)
        digests |= {*describe_environment([str(file), str(tmp_path)]).inputs}
    assert len(digests) == 6


def test_workers_that_all_die(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dialmeter.core.cluster._NOTICE_SECONDS", 1)
    monkeypatch.setenv("DIALMETER_CLUSTER_WAIT", "3")
    with running(tmp_path, workers=1) as processes:
        tasks = [(str(tmp_path), number) for number in range(50)]
        outcomes = map_shards(slow, tasks, cluster=Cluster(processes.address))
        assert next(outcomes) == Done(0)
        processes.workers[0].kill()
        with pytest.raises(
            Unfinished, match=r"has no workers after 3 seconds .*; start some and the same command continues"
        ):
            list(outcomes)
        missing = f"{processes.address}: the scheduler has no workers"
        notice = f"warning: {missing}; waiting for some, at most 3 seconds (DIALMETER_CLUSTER_WAIT)\n"
        assert capsys.readouterr().err == notice
    monkeypatch.setenv("DIALMETER_CLUSTER_WAIT", "soon")
    with pytest.raises(DialmeterError, match="DIALMETER_CLUSTER_WAIT is 'soon'; write a number of seconds"):
        list(map_shards(slow, tasks, cluster=Cluster(processes.address)))


LOST_SCHEDULER = """
import sys
from dialmeter.core.cluster import Cluster
from dialmeter.core.engine import map_shards
from dialmeter.errors import Unfinished
from tests.core.test_cluster import slow
try:
    list(map_shards(slow, [(sys.argv[1], number) for number in range(50)], cluster=Cluster(sys.argv[2])))
except Unfinished as error:
    print(error)
"""


def test_only_one_line_if_scheduler_dies(tmp_path: Path) -> None:
    """A process of its own, because distributed writes its log to the standard error of the time when it is imported."""
    marks = tmp_path / "marks"
    marks.mkdir()
    with running(tmp_path, workers=1) as processes:
        words = [sys.executable, "-c", LOST_SCHEDULER, str(marks), processes.address]
        root = Path(__file__).parents[2]
        with Popen(words, stdout=PIPE, stderr=PIPE, cwd=root) as client:
            while client.poll() is None and not list(marks.iterdir()):
                time.sleep(0.05)
            processes.scheduler.kill()
            out, err = client.communicate(timeout=60)
    assert err.decode() == ""
    assert (
        out.decode() == f"{processes.address}: the scheduler is gone; start it again and the same command continues\n"
    )


def test_killed_worker(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    with running(tmp_path, workers=2) as processes:
        victim = processes.workers[0]

        def kill_when_busy() -> None:
            while not any(mark.name.endswith(f"-{victim.pid}") for mark in marks.iterdir()):
                time.sleep(0.02)
            victim.kill()

        killer = threading.Thread(target=kill_when_busy)
        killer.start()
        tasks = [(str(marks), number) for number in range(8)]
        outcomes = list(map_shards(slow, tasks, cluster=Cluster(processes.address)))
        killer.join()
        assert outcomes == [Done(number * number) for number in range(8)]
        started = [mark.name.partition("-")[0] for mark in marks.iterdir()]
        assert len(started) > len(set(started)), "no shard was started twice, so no worker was killed at work"


def test_missing_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setattr("dialmeter.core.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(DialmeterError, match=r"127\.0\.0\.1:9: cannot connect to a scheduler"):
        list(map_shards(squared, range(3), cluster=Cluster("tcp://127.0.0.1:9")))


def test_resume_after_scheduler_dies(tmp_path: Path) -> None:
    with running(tmp_path, workers=1) as processes:
        outcomes = map_shards(
            slow, [(str(tmp_path), number) for number in range(50)], cluster=Cluster(processes.address)
        )
        assert next(outcomes) == Done(0)
        processes.scheduler.kill()
        with pytest.raises(Unfinished, match="the scheduler is gone; start it again and the same command continues"):
            list(outcomes)


def test_lost_shard(tmp_path: Path) -> None:
    with running(tmp_path, workers=5) as processes:
        outcomes = list(map_shards(deadly, range(3), cluster=Cluster(processes.address)))
        assert outcomes == [Done(0), Lost("4 workers died while processing it"), Done(4)]


def test_work_data_sent_once(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    with running(tmp_path, workers=2) as processes:
        list(map_shards(Marking(str(marks)), range(40), cluster=Cluster(processes.address)))
        for worker in processes.workers:
            assert len(list(marks.glob(f"came-{worker.pid}-*"))) <= 2, "once to be unpacked, once more to be passed on"


def test_workers_with_resource(tmp_path: Path) -> None:
    with running(tmp_path, workers=1) as processes:
        cluster = Cluster(processes.address, resource=("NEURAL", 1))
        with pytest.raises(DialmeterError, match=r"no worker has NEURAL=1; start one with `dask worker --resources"):
            list(map_shards(squared, range(3), cluster=cluster, special=odd))
        able = processes.add_worker("--resources", "NEURAL=1")
        outcomes = map_shards(Marking(str(tmp_path)), range(30), cluster=cluster, special=odd)
        where = dict(each.value for each in outcomes if isinstance(each, Done))
        assert {where[number] for number in range(30) if odd(number)} == {able.pid}
        assert processes.workers[0].pid in {where[number] for number in range(30) if not odd(number)}
