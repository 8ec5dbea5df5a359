"""Work in shards: the options for workers and clusters, progress, and lost shards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ..core.cluster import Cluster
from ..core.engine import Lost, map_shards
from ..errors import DialmeterError, Unfinished, one_line
from ..progress import track_count
from .options import combine_options, option

Task = TypeVar("Task")
Result = TypeVar("Result")

LARGE = 64 * 1024 * 1024
"""Size of input in bytes above which all cores are used, unless --workers is given."""


def _split_workers(context: click.Context, _: click.Parameter, text: str | None) -> int | None:
    """Return the number of processes; a scheduler, also that of the configuration, becomes the parameter ``cluster``."""
    context.params["cluster"] = context.lookup_default("cluster") if text is None else text if "://" in text else None
    if not text or "://" in text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise DialmeterError(
            f"--workers {one_line(text)}: write a number of processes, or a scheduler such as tcp://host:8786"
        )
    return int(text)


work_options = combine_options(
    option(
        "--workers N|tcp://HOST:PORT",
        "Number of processes (default: 1 for small input, all cores for large input), or a Dask scheduler.",
        callback=_split_workers,
    ),
    option("--cluster-ca FILE", "TLS for a cluster: certificate of the authority (CA)."),
    option("--cluster-cert FILE", "TLS for a cluster: certificate of the client."),
    option("--cluster-key FILE", "TLS for a cluster: key of the client."),
)


def cluster_from_options(options: dict[str, Any]) -> Cluster | None:
    """Return the cluster of --workers with its TLS files; None without it."""
    files = {name: options[f"cluster_{name}"] for name in ("ca", "cert", "key")}
    if not options["cluster"]:
        if any(files.values()):
            raise DialmeterError("the TLS files of a cluster need --workers tcp://HOST:PORT")
        if options.get("cluster_resource"):
            raise DialmeterError("the resource of a cluster needs --workers tcp://HOST:PORT")
        return None
    resource = None
    if text := options.get("cluster_resource"):
        name, _, amount = text.partition("=")
        if not name.strip() or not amount.replace(".", "", 1).isdecimal() or not float(amount):
            raise DialmeterError(f"cluster-resource {one_line(text)}: write NAME=AMOUNT, such as GPU=1")
        resource = name.strip(), float(amount)
    return Cluster(options["cluster"], files["ca"], files["cert"], files["key"], resource)


def workers_from_options(options: dict[str, Any], inputs: Sequence[str]) -> int:
    """Return the number of processes: --workers, or 1 for small input, or one per core for large input."""
    if options["workers"]:
        return int(options["workers"])
    size = sum(Path(path).stat().st_size for path in inputs if Path(path).is_file())
    return os.cpu_count() or 1 if size > LARGE else 1


def is_local_work(options: dict[str, Any], inputs: Sequence[str], tasks: int) -> bool:
    """Return True if the work is done in this process."""
    return cluster_from_options(options) is None and (workers_from_options(options, inputs) == 1 or tasks <= 1)


def run_shards(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    options: dict[str, Any],
    inputs: Sequence[str],
    *,
    run_single: Callable[[Task], Result] | None = None,
    special: Callable[[Task], bool] | None = None,
) -> Iterator[Result]:
    """Run tasks here, in other processes or on a cluster, and yield their results in order.

    If shards are lost, the other shards are finished first.

    Args:
        work: runs a task, in any process.
        tasks: one per shard; each is looked up only when it starts.
        options: the options of the command.
        inputs: the files that are read.
        run_single: runs the task in this process if there is only one, with finer progress than that of shards.
        special: returns True for tasks that need a worker with the resource of --cluster-resource.

    Raises:
        Unfinished: shards were lost.
    """
    cluster = cluster_from_options(options)
    workers = workers_from_options(options, inputs)
    if is_local_work(options, inputs, len(tasks)):
        if run_single is not None and len(tasks) == 1:
            yield run_single(tasks[0])
        else:
            results = (work(tasks[place]) for place in range(len(tasks)))
            yield from track_count(results, len(tasks), "shards")
        return
    lost: list[tuple[int, Lost]] = []
    paths = [path for path in inputs if path != "-"]
    outcomes = map_shards(work, tasks, workers, cluster, paths, special=special)
    for number, outcome in enumerate(track_count(outcomes, len(tasks), "shards")):
        if isinstance(outcome, Lost):
            lost.append((number, outcome))
        else:
            yield outcome.value
    if lost:
        number, first = lost[0]
        at = f" at {first.at}" if first.at else ""
        raise Unfinished(
            f"{len(lost)} of {len(tasks)} shards failed, first shard {number}{at}: {first.reason}; "
            "with --out the others are saved; the same command continues"
        )
