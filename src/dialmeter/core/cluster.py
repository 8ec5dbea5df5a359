"""Process shards on a running Dask cluster. A scheduler can run any code on its workers, so use only one that you trust."""

from __future__ import annotations

import hashlib
import operator
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from .._version import __version__
from ..errors import DialmeterError, InputError, MissingExtra, Unfinished, one_line
from ..readers.raw_file import is_stream
from .record import digest_of

if TYPE_CHECKING:
    from .engine import Outcome

Shard = TypeVar("Shard")
Result = TypeVar("Result")

WAIT_VARIABLE = "DIALMETER_CLUSTER_WAIT"
"""The environment variable with the number of seconds to wait for workers if all of them are gone; default 600."""
_CONNECT_SECONDS = 10
_NOTICE_SECONDS = 30
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
        Unfinished: the connection to the scheduler was lost, or there were no workers for too long.
    """
    from .engine import Done, Lost

    limit = _wait_limit()
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
                f"{cluster.address}: the cluster does not answer ({reason}); the same command continues"
            ) from None
        pending: deque[tuple[Any, tuple[str, float] | None]] = deque()
        submitted = 0
        for _ in range(len(shards)):
            while submitted < len(shards) and len(pending) < _AHEAD * sum(threads.values()):
                shard = shards[submitted]
                submitted += 1
                resources = dict([cluster.resource]) if cluster.resource and special and special(shard) else None
                future = client.submit(operator.call, work_future, shard, pure=False, resources=resources)
                pending.append((future, cluster.resource if resources else None))
            try:
                yield Done(_wait_for_result(*pending.popleft(), cluster=cluster, limit=limit))
            except KilledWorker as error:
                yield Lost(f"{error.allowed_failures + 1} workers died while processing it")


def _itself(work: Callable[[Shard], Result]) -> Callable[[Shard], Result]:
    return work


def _wait_limit() -> float:
    setting = os.environ.get(WAIT_VARIABLE, "600")
    if not setting.isdecimal():
        raise DialmeterError(f"{WAIT_VARIABLE} is {one_line(setting)!r}; write a number of seconds, such as 600")
    return int(setting)


def _wait_for_result(future: Any, resource: tuple[str, float] | None, cluster: Cluster, limit: float) -> Any:
    """Return the result of a shard. Check the scheduler and the workers while waiting, because their loss is not always reported."""
    from distributed.comm.core import CommClosedError

    lost = Unfinished(f"{cluster.address}: the scheduler is gone; start it again and the same command continues")
    deserted, noticed = monotonic(), False
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            if future.client.status not in ("running", "connecting"):
                raise lost from None
            if _has_worker(future.client, resource):
                deserted, noticed = monotonic(), False
                continue
            missing = f"{cluster.address}: the scheduler has no workers" + (f" with {resource[0]}" if resource else "")
            if monotonic() - deserted > limit:
                hint = f"after {limit:g} seconds ({WAIT_VARIABLE}); start some and the same command continues"
                raise Unfinished(f"{missing} {hint}") from None
            if monotonic() - deserted > _NOTICE_SECONDS and not noticed:
                sys.stderr.write(f"warning: {missing}; waiting for some, at most {limit:g} seconds ({WAIT_VARIABLE})\n")
                noticed = True
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
        raise MissingExtra("--workers tcp://…", "cluster") from None
    # Errors are reported as one line below. The packages would also log them, with tracebacks.
    import logging

    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
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
    if not _has_worker(client, cluster.resource):
        raise DialmeterError(
            f"{cluster.address}: no worker has {name}={amount:g}; start one with `dask worker --resources {name}={amount:g}`"
        )


def _has_worker(client: Any, resource: tuple[str, float] | None) -> bool:
    """Return whether the scheduler has a worker, with a resource if one is given."""
    name, amount = resource or ("", 0)
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return any(worker.get("resources", {}).get(name, 0) >= amount for worker in workers)


class Environment(Struct, frozen=True):
    """The version of dialmeter of a process, a digest of its source, and one of each input: None if it cannot be read."""

    version: str
    source: str
    inputs: tuple[str | None, ...]


def describe_environment(paths: Sequence[str]) -> Environment:
    """Return the version and source of dialmeter in this process, and the inputs as it sees them."""
    return Environment(__version__, _source_digest(), tuple(map(_input_digest, paths)))


@cache
def _source_digest() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(each for each in package.rglob("*") if each.suffix in (".py", ".toml")):
        digest.update(f"{path.relative_to(package)} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()


def _input_digest(path: str) -> str | None:
    try:
        return None if is_stream(path) else digest_of(path)
    except InputError:
        return None


def check_environment(worker: str, theirs: Environment, ours: Environment, inputs: Sequence[str]) -> None:
    """Raise an error if a worker has another version or other inputs than this process.

    Raises:
        DialmeterError: the versions or sources differ, or the worker cannot read a file or finds other content.

    Example:
        >>> here = Environment("1.0", "f00d", ("c0de",))
        >>> check_environment("tcp://10.0.0.2:4711", Environment("1.0", "f00d", (None,)), here, ["d.jsonl"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: d.jsonl: worker tcp://10.0.0.2:4711 cannot read it; all workers need it at the same path
    """
    if theirs.version != ours.version:
        raise DialmeterError(f"worker {worker} has dialmeter {theirs.version}, but this process has {ours.version}")
    if theirs.source != ours.source:
        raise DialmeterError(f"worker {worker} has another source of dialmeter {ours.version}; install the same one")
    for path, content, expected in zip(inputs, theirs.inputs, ours.inputs, strict=True):
        if content is None:
            raise DialmeterError(f"{path}: worker {worker} cannot read it; all workers need it at the same path")
        if content != expected:
            raise DialmeterError(f"{path}: has other content on worker {worker} than here")
