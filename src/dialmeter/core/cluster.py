"""Process shards on a running Dask cluster. A scheduler can run any code on its workers, so use only one that you trust."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from .._version import __version__
from ..errors import DialmeterError, MissingExtra, Unfinished, one_line

if TYPE_CHECKING:
    from .engine import Outcome

Shard = TypeVar("Shard")
Result = TypeVar("Result")

_CONNECT_SECONDS = 10
_AHEAD = 4


class Cluster(Struct, frozen=True):
    """The address of a scheduler, and the files for TLS.

    Attributes:
        address: address of the scheduler.
        ca_file: certificate of the certificate authority.
        cert_file: certificate of this client.
        key_file: key of this client.
        resource: resource that a worker must declare to get special shards, and the amount that one shard needs, such as
            ("GPU", 1).
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
    """Yield the outcome of every shard, in the order of the shards.

    Args:
        work: function that processes a shard; the workers need the same version of dialmeter.
        shards: small descriptions of units of work.
        cluster: the cluster.
        inputs: files that every worker must be able to read at the same path.
        special: returns True for a shard that only workers with the cluster's resource may process.

    Raises:
        DialmeterError: no scheduler at the address, a worker cannot read an input, no worker has the resource, or the input of a
            shard is bad.
        Unfinished: the connection to the scheduler was lost.
    """
    from .engine import Done, Lost

    with _connect(cluster) as client:
        from distributed.scheduler import KilledWorker

        try:
            threads = client.nthreads()
            if not threads:
                raise DialmeterError(f"{cluster.address}: the scheduler has no workers; start some with `dask worker`")
            _check_workers(client, inputs)
            _check_resource(client, cluster)
            # The function is a task, too: it is sent to each worker once, and computed again if all workers that hold it die.
            work_future = client.submit(_itself, work, pure=False)
            client.replicate([work_future])
        except OSError as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise Unfinished(
                f"{cluster.address}: the cluster does not answer ({reason}); continue with --resume"
            ) from None
        pending: deque[Any] = deque()
        submitted = 0
        for _ in range(len(shards)):
            while submitted < len(shards) and len(pending) < _AHEAD * sum(threads.values()):
                shard = shards[submitted]
                submitted += 1
                resources = dict([cluster.resource]) if cluster.resource and special and special(shard) else None
                pending.append(client.submit(operator.call, work_future, shard, pure=False, resources=resources))
            future = pending.popleft()
            try:
                yield Done(_wait_for_result(future, cluster))
            except KilledWorker as error:
                yield Lost(f"{error.allowed_failures + 1} workers died while processing it")


def _itself(work: Callable[[Shard], Result]) -> Callable[[Shard], Result]:
    return work


def _wait_for_result(future: Any, cluster: Cluster) -> Any:
    """Return the result of a shard. Check the scheduler while waiting, because its loss is not always reported."""
    from distributed.comm.core import CommClosedError

    lost = Unfinished(f"{cluster.address}: the scheduler is gone; start it again and continue with --resume")
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            if future.client.status not in ("running", "connecting"):
                raise lost from None
        except CommClosedError:
            raise lost from None
        except Exception as error:
            if future.cancelled() or future.client.status != "running":
                raise lost from None
            raise error from None


@contextmanager
def _connect(cluster: Cluster) -> Iterator[Any]:
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
        raise DialmeterError(f"{cluster.address}: cannot connect to a scheduler: {reason}") from None
    try:
        yield client
    finally:
        client.close(timeout=_CONNECT_SECONDS)  # type: ignore[no-untyped-call]


def _check_workers(client: Any, inputs: Sequence[str]) -> None:
    """Check at the start that every worker can read the inputs and has our version of dialmeter."""
    paths = [os.path.abspath(path) for path in inputs]
    ours = describe_environment(paths)
    # A worker with another version may not know the function, and then the answer is an exception.
    for worker, theirs in sorted(client.run(describe_environment, paths, on_error="return").items()):
        if isinstance(theirs, OSError):
            raise theirs
        if isinstance(theirs, Exception):
            raise DialmeterError(f"worker {worker} cannot run dialmeter {__version__}: {one_line(str(theirs), 200)}")
        check_environment(worker, theirs, ours, inputs)


def _check_resource(client: Any, cluster: Cluster) -> None:
    """Raise an error if no worker has the resource, because special shards would wait for ever."""
    if cluster.resource is None:
        return
    name, amount = cluster.resource
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if not any(worker.get("resources", {}).get(name, 0) >= amount for worker in workers):
        raise DialmeterError(
            f"{cluster.address}: no worker has {name}={amount:g}; start one with `dask worker --resources {name}={amount:g}`"
        )


class Environment(Struct, frozen=True):
    """The version of dialmeter of a process, and the size of each input: 0 for a folder, None if it does not exist."""

    version: str
    sizes: tuple[int | None, ...]


def describe_environment(paths: Sequence[str]) -> Environment:
    """Return the version of dialmeter of this process and the sizes of the inputs as it sees them."""
    return Environment(__version__, tuple(map(_size, paths)))


def _size(path: str) -> int | None:
    if os.path.isdir(path):
        return 0
    return os.path.getsize(path) if os.path.exists(path) else None


def check_environment(worker: str, theirs: Environment, ours: Environment, inputs: Sequence[str]) -> None:
    """Raise an error if a worker has another version or other inputs than this process.

    Raises:
        DialmeterError: the versions differ, or the worker finds no such file or a file of another size.

    Example:
        >>> check_environment("tcp://10.0.0.2:4711", Environment("1.0", (None,)), Environment("1.0", (9,)), ["d.jsonl"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: d.jsonl: worker tcp://10.0.0.2:4711 cannot find it; all workers need it at the same path
    """
    if theirs.version != ours.version:
        raise DialmeterError(f"worker {worker} has dialmeter {theirs.version}, but this process has {ours.version}")
    for path, size, expected in zip(inputs, theirs.sizes, ours.sizes, strict=True):
        if size is None:
            raise DialmeterError(f"{path}: worker {worker} cannot find it; all workers need it at the same path")
        if size != expected:
            raise DialmeterError(f"{path}: has {size} bytes on worker {worker}, but {expected} bytes here")
