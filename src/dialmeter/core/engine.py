"""Process shards: in this process, in worker processes, or on a Dask cluster. Results and their order are always the same.

A shard (a unit of work) is passed to a function that does not depend on where it runs. A worker that dies is replaced and its
shard is processed again. A shard at which two workers died is given up and reported; the other shards are finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from ..errors import DialmeterError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from .cluster import Cluster

Shard = TypeVar("Shard")
Result = TypeVar("Result")

_ATTEMPTS = 2
_AHEAD = 4
"""Number of shards per worker that may be processed ahead of the oldest unfinished one. It limits the number of waiting results."""


class Done(Struct, Generic[Result], frozen=True):
    """The result of a shard."""

    value: Result


class Lost(Struct, frozen=True):
    """A shard that was given up: the reason and, if known, the item that the last worker was processing."""

    reason: str
    at: str = ""


Outcome: TypeAlias = Done[Result] | Lost


_NOTE_BYTES = 200
_note: Any = None
"""Memory that a worker shares with its parent process, only while it processes a shard at which another worker died."""


def note(at: str) -> None:
    """Note the current item, so that it can be reported if a second worker dies."""
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
    """Return an iterator of the outcomes of all shards, in the order of the shards, whatever order they are finished in.

    Args:
        work: function that processes a shard. It must be defined at the top level of a module, so that a process can import it.
            It may also be a partial or a callable object; its data are sent to each worker once.
        shards: small descriptions of units of work. Each is looked up when a worker is free, so a sequence may create it from
            earlier results.
        workers: number of processes; with 1 the work is done in this process.
        cluster: a Dask cluster that does the work instead.
        inputs: input files that the workers of a cluster must be able to read.
        special: returns True for a shard that only workers with the cluster's resource may process.

    Raises:
        DialmeterError: the input of a shard is bad. If several shards have bad input, the error is that of the first one.

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
    """A worker process and the pipe to it."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._note = context.Array("c", _NOTE_BYTES + 1, lock=False)
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, work, self._note), daemon=True)
        self.process.start()
        theirs.close()
        self.shard: int | None = None

    @property
    def at(self) -> str:
        """The last item that the worker noted; see :func:`note`."""
        return bytes(self._note.value).decode(errors="ignore")

    def stop(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


def _serve(pipe: Connection, work: Callable[[Any], Any], shared: Any) -> None:
    """Process shards in a worker until the pipe is closed, which also happens if the parent process dies."""
    global _note  # noqa: PLW0603  each worker is a separate process
    import signal

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
        self._retries: list[int] = []
        self._deaths: dict[int, int] = {}
        self._ready: dict[int, Outcome[Result] | Exception] = {}

    def outcomes(self) -> Iterator[Outcome[Result]]:
        with self._start_workers() as workers:
            for index in range(len(self._shards)):
                while index not in self._ready:
                    self._hand_out(workers, index)
                    self._collect(workers)
                outcome = self._ready.pop(index)
                if isinstance(outcome, Exception):
                    raise outcome
                yield outcome

    @contextmanager
    def _start_workers(self) -> Iterator[list[_Worker]]:
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
            if self._retries:
                worker.shard = self._retries.pop()
            elif self._next < min(len(self._shards), oldest + _AHEAD * self._count):
                worker.shard = self._next
                self._next += 1
            else:
                return
            # A worker that is already dead is detected when its answer is collected.
            with suppress(BrokenPipeError, ConnectionResetError):
                worker.pipe.send((self._shards[worker.shard], worker.shard in self._deaths))

    def _collect(self, workers: list[_Worker]) -> None:
        from multiprocessing.connection import wait

        busy = {worker.pipe: worker for worker in workers if worker.shard is not None}
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]
            shard = worker.shard
            assert shard is not None
            worker.shard = None
            try:
                kind, value = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                workers[workers.index(worker)] = self._replace(worker, shard)
                continue
            if kind == "done":
                self._ready[shard] = Done(value)
            else:
                self._ready[shard] = value if kind == "refused" else RuntimeError(value)

    def _replace(self, worker: _Worker, shard: int) -> _Worker:
        """Start a new worker for one that died. Its shard is processed again or given up."""
        worker.process.join()
        code = worker.process.exitcode
        worker.stop()
        self._deaths[shard] = self._deaths.get(shard, 0) + 1
        if self._deaths[shard] < _ATTEMPTS:
            self._retries.append(shard)
        else:
            cause = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
            reason = f"{self._deaths[shard]} workers died while processing it, the last one {cause}"
            self._ready[shard] = Lost(reason, worker.at)
        return _Worker(self._work)
