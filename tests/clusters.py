"""A real Dask cluster on this machine: a scheduler and workers as processes of our own, to be killed by id."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PATIENCE = 60


class Processes:
    """The scheduler and the workers. Their logs go to files, which say what they are at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.scheduler = self._start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = self._in_log("scheduler", r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)")
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, *more: str) -> subprocess.Popen[bytes]:
        name = f"worker{len(self.workers)}"
        local = str(self._folder / name)
        settings = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", local)
        self.workers.append(self._start(name, "worker", self.address, "--name", name, *settings, *more))
        self._in_log(name, r"Registered to:\s+(tcp)")
        return self.workers[-1]

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        # Workers import the work from where the tests find it.
        paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        with open(self._folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": paths},
            )

    def _in_log(self, name: str, pattern: str) -> str:
        for _ in range(10 * _PATIENCE):
            if found := re.search(pattern, (self._folder / f"{name}.log").read_text("utf-8")):
                return found[1]
            time.sleep(0.1)
        pytest.fail(f"the {name} did not start: " + (self._folder / f"{name}.log").read_text("utf-8")[-500:])

    def stop(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()


@contextmanager
def running(folder: Path, workers: int) -> Iterator[Processes]:
    """A cluster that is stopped at the end."""
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    processes = Processes(folder)
    try:
        for _ in range(workers):
            processes.add_worker()
        yield processes
    finally:
        processes.stop()
