"""Work in pieces: here, in processes of this machine, or on a Dask cluster. What comes back is the same, in the same order.

A piece of work (a shard) goes to a function that knows nothing of where it runs. A worker that dies is replaced and its shard
done again; a shard whose worker dies twice is given up and reported, and the others are finished.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from ..errors import DialmeterError

if TYPE_CHECKING:
    from .cluster import Cluster

Shard = TypeVar("Shard")
Result = TypeVar("Result")

_ATTEMPTS = 2
_AHEAD = 4
"""How many shards per worker may be done before the oldest one is, so that what waits stays bounded."""


class Done(Struct, Generic[Result], frozen=True):
    """A shard that was worked."""

    value: Result


class Lost(Struct, frozen=True):
    """A shard that was given up, why, and what the last worker was at, where that is known."""

    reason: str
    at: str = ""


Outcome: TypeAlias = Done[Result] | Lost


_NOTE_BYTES = 200
_note: Any = None
"""Memory that a worker shares with the process that started it, while it does a shard that another one died at."""


def is_noting() -> bool:
    """Is it wanted that the work notes what it is at? Only after a worker has died at it."""
    return _note is not None


def note(at: str) -> None:
    """Notes what the work is at, so that it can be reported if a second worker dies at it."""
    if _note is not None:
        _note.value = at.encode()[:_NOTE_BYTES]


def map_shards(
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    workers: int = 1,
    cluster: Cluster | None = None,
    inputs: Sequence[str] = (),
    *,
    special: Callable[[Shard], bool] | None = None,
) -> Iterator[Outcome[Result]]:
    """The outcome of every shard, in the order of the shards, whatever order they are done in.

    Args:
        work: what to do with a shard; at the top of a module, so that a process can find it. What it carries, as a partial or an
            object that can be called does, goes to each worker once and stays there.
        shards: small descriptions of pieces of work. Each is looked up when it is handed out, so that a sequence may make it from
            what has come back so far.
        workers: how many processes; with 1 the work is done here.
        cluster: a Dask cluster that does the work instead.
        inputs: files that the shards are read from, which a cluster's workers have to see.
        special: says which shards are only for workers that have the cluster's resource.

    Raises:
        DialmeterError: the work says that its input is bad. Of several shards with bad input the first one counts.

    Example:
        >>> [outcome.value for outcome in map_shards(len, ["a", "bcd"])]
        [1, 3]
    """
    if cluster is not None:
        from .cluster import map_on_cluster

        return map_on_cluster(work, shards, cluster, inputs, special)
    if workers <= 1 or len(shards) <= 1:
        return (Done(work(shards[place])) for place in range(len(shards)))
    return _Pool(work, shards, min(workers, len(shards))).outcomes()


class _Worker:
    """A process of our own and the pipe to it."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._note = context.Array("c", _NOTE_BYTES + 1, lock=False)
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, work, self._note), daemon=True)
        self.process.start()
        theirs.close()
        self.shard: int | None = None

    @property
    def at(self) -> str:
        """What the worker noted last; see :func:`note`."""
        return bytes(self._note.value).decode(errors="ignore")

    def stop(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


def _serve(pipe: Connection, work: Callable[[Any], Any], shared: Any) -> None:
    """What a worker does until its pipe is closed, also by the death of the process that started it."""
    global _note  # noqa: PLW0603  a worker is a process of its own
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            shard, is_second_try = pipe.recv()
            _note = shared if is_second_try else None
            note("")
            try:
                answer: tuple[str, Any] = ("done", work(shard))
            except DialmeterError as error:
                answer = ("refused", error)
            except Exception:
                import traceback

                answer = ("broken", traceback.format_exc())
            pipe.send(answer)


class _Pool(Generic[Shard, Result]):
    def __init__(self, work: Callable[[Shard], Result], shards: Sequence[Shard], workers: int) -> None:
        self._work = work
        self._shards = shards
        self._count = workers
        self._next = 0
        self._again: list[int] = []
        self._deaths: dict[int, int] = {}
        self._ready: dict[int, Outcome[Result] | Exception] = {}

    def outcomes(self) -> Iterator[Outcome[Result]]:
        with self._running() as workers:
            for index in range(len(self._shards)):
                while index not in self._ready:
                    self._hand_out(workers, index)
                    self._collect(workers)
                found = self._ready.pop(index)
                if isinstance(found, Exception):
                    raise found
                yield found

    @contextmanager
    def _running(self) -> Iterator[list[_Worker]]:
        workers = [_Worker(self._work) for _ in range(self._count)]
        try:
            yield workers
        finally:
            for worker in workers:
                worker.stop()

    def _hand_out(self, workers: list[_Worker], oldest: int) -> None:
        for worker in workers:
            if worker.shard is not None:
                continue
            if self._again:
                worker.shard = self._again.pop()
            elif self._next < min(len(self._shards), oldest + _AHEAD * self._count):
                worker.shard = self._next
                self._next += 1
            else:
                return
            # A worker that is dead already is found out when its answer is waited for.
            with suppress(BrokenPipeError, ConnectionResetError):
                worker.pipe.send((self._shards[worker.shard], worker.shard in self._deaths))

    def _collect(self, workers: list[_Worker]) -> None:
        busy = {worker.pipe: worker for worker in workers if worker.shard is not None}
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]
            shard = worker.shard
            assert shard is not None
            worker.shard = None
            try:
                kind, value = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                workers[workers.index(worker)] = self._replaced(worker, shard)
                continue
            if kind == "done":
                self._ready[shard] = Done(value)
            else:
                self._ready[shard] = value if kind == "refused" else RuntimeError(value)

    def _replaced(self, worker: _Worker, shard: int) -> _Worker:
        """A new worker for one that died; its shard is done once more, or given up."""
        worker.process.join()
        code = worker.process.exitcode
        worker.stop()
        self._deaths[shard] = self._deaths.get(shard, 0) + 1
        if self._deaths[shard] < _ATTEMPTS:
            self._again.append(shard)
        else:
            how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
            self._ready[shard] = Lost(f"{self._deaths[shard]} workers died at it, the last one {how}", worker.at)
        return _Worker(self._work)
