"""Work in pieces on a Dask cluster that is running already. A scheduler can run any code on its workers: trust it."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from .._version import __version__
from ..errors import DialmeterError, MissingExtra, Unfinished

if TYPE_CHECKING:
    from .engine import Outcome

Shard = TypeVar("Shard")
Result = TypeVar("Result")

_CONNECT_SECONDS = 10
_AHEAD = 4


class Cluster(Struct, frozen=True):
    """Where a scheduler listens, and the files that prove who is who with TLS.

    Attributes:
        address: of the scheduler.
        ca_file: the authority's certificate.
        cert_file: our certificate.
        key_file: our key.
        resource: what a worker must declare to get special shards, and how much of it one takes, as in ("GPU", 1).
    """

    address: str
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    resource: tuple[str, float] | None = None


def map_on_cluster(
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    cluster: Cluster,
    inputs: Sequence[str] = (),
    special: Callable[[Shard], bool] | None = None,
) -> Iterator[Outcome[Result]]:
    """The outcome of every shard, in the order of the shards.

    Args:
        work: what to do with a shard; the workers need the same version of dialmeter.
        shards: small descriptions of pieces of work.
        cluster: where to do it.
        inputs: files that every worker has to see, at the same path.
        special: says which shards are only for workers that have the cluster's resource.

    Raises:
        DialmeterError: nobody listens there, a worker does not see an input, no worker has the resource, or the work says that its
            input is bad.
        Unfinished: the scheduler went away.
    """
    from .engine import Done, Lost

    with _connected(cluster) as client:
        from distributed.scheduler import KilledWorker

        threads = client.nthreads()
        if not threads:
            raise DialmeterError(f"{cluster.address}: the scheduler has no workers; start some with `dask worker`")
        _check_workers(client, inputs)
        _check_resource(client, cluster)
        # The work is a task as well: it travels once to each worker, and is made anew if all that hold it die.
        held = client.submit(_itself, work, pure=False)
        client.replicate([held])
        waiting: deque[Any] = deque()
        handed = 0
        for _ in range(len(shards)):
            while handed < len(shards) and len(waiting) < _AHEAD * sum(threads.values()):
                shard = shards[handed]
                handed += 1
                wanted = dict([cluster.resource]) if cluster.resource and special and special(shard) else None
                waiting.append(client.submit(operator.call, held, shard, pure=False, resources=wanted))
            future = waiting.popleft()
            try:
                yield Done(_result(future, cluster))
            except KilledWorker as error:
                yield Lost(f"{error.allowed_failures + 1} workers died at it")


def _itself(work: Callable[[Shard], Result]) -> Callable[[Shard], Result]:
    return work


def _result(future: Any, cluster: Cluster) -> Any:
    """The result of the work. The scheduler is checked while waiting, because its loss is not always reported."""
    from distributed.comm.core import CommClosedError

    gone = Unfinished(f"{cluster.address}: the scheduler is gone; start it again and go on with --resume")
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            if future.client.status not in ("running", "connecting"):
                raise gone from None
        except CommClosedError:
            raise gone from None
        except Exception as error:
            if future.cancelled() or future.client.status != "running":
                raise gone from None
            raise error from None


@contextmanager
def _connected(cluster: Cluster) -> Iterator[Any]:
    try:
        from distributed import Client
        from distributed.security import Security
    except ImportError:
        raise MissingExtra("--cluster", "cluster") from None
    security = None
    if cluster.ca_file or cluster.cert_file or cluster.key_file:
        security = Security(  # type: ignore[no-untyped-call]
            tls_ca_file=cluster.ca_file,
            tls_client_cert=cluster.cert_file,
            tls_client_key=cluster.key_file,
            require_encryption=True,
        )
    try:
        client = Client(cluster.address, timeout=_CONNECT_SECONDS, security=security, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DialmeterError(f"{cluster.address}: no scheduler could be reached: {reason}") from None
    try:
        yield client
    finally:
        client.close(timeout=_CONNECT_SECONDS)  # type: ignore[no-untyped-call]


def _check_workers(client: Any, inputs: Sequence[str]) -> None:
    """Finds out at the start whether every worker sees what it will read, and has our version."""
    paths = [os.path.abspath(path) for path in inputs]
    here = what_is_seen(paths)
    for worker, there in sorted(client.run(what_is_seen, paths).items()):
        check_seen(worker, there, here, inputs)


def _check_resource(client: Any, cluster: Cluster) -> None:
    """Without a worker that has the resource, special shards would wait for ever."""
    if cluster.resource is None:
        return
    name, amount = cluster.resource
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if not any(worker.get("resources", {}).get(name, 0) >= amount for worker in workers):
        raise DialmeterError(
            f"{cluster.address}: no worker has {name}={amount:g}; start one with `dask worker --resources {name}={amount:g}`"
        )


class Seen(Struct, frozen=True):
    """What a process sees: its version of dialmeter, and the size of each file (0 of a folder) or None."""

    version: str
    sizes: tuple[int | None, ...]


def what_is_seen(paths: Sequence[str]) -> Seen:
    """What this process sees of some files."""
    return Seen(__version__, tuple(map(_size, paths)))


def _size(path: str) -> int | None:
    if os.path.isdir(path):
        return 0
    return os.path.getsize(path) if os.path.exists(path) else None


def check_seen(worker: str, there: Seen, here: Seen, inputs: Sequence[str]) -> None:
    """Refuses a worker that does not see what we see.

    Raises:
        DialmeterError: it has another version, or a file is not there or is another one.

    Example:
        >>> check_seen("tcp://10.0.0.2:4711", Seen("0.1.0", (None,)), Seen("0.1.0", (9,)), ["d.jsonl"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: d.jsonl: worker tcp://10.0.0.2:4711 cannot see it; input must lie where all workers read
    """
    if there.version != here.version:
        raise DialmeterError(f"worker {worker} has dialmeter {there.version}, this is {here.version}")
    for path, size, wanted in zip(inputs, there.sizes, here.sizes, strict=True):
        if size is None:
            raise DialmeterError(f"{path}: worker {worker} cannot see it; input must lie where all workers read")
        if size != wanted:
            raise DialmeterError(f"{path}: worker {worker} sees {size} bytes, here it has {wanted}")
