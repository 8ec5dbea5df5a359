"""Work in shards from the command line: how many workers or which cluster, progress, shards that are lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import click

from ..core.cluster import Cluster
from ..core.engine import Lost, map_shards
from ..errors import DialmeterError, Unfinished, one_line
from .options import combine_options
from .progress import track_count

Task = TypeVar("Task")
Result = TypeVar("Result")

LARGE = 64 * 1024 * 1024
"""From so many bytes of input on, all cores are used unless --workers says otherwise."""

work_options = combine_options(
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes to use; by default one for small input and all cores for large.",
    ),
    click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler to work on, as tcp://host:8786."),
    click.option("--cluster-ca", metavar="FILE", help="TLS: the authority's certificate."),
    click.option("--cluster-cert", metavar="FILE", help="TLS: our certificate."),
    click.option("--cluster-key", metavar="FILE", help="TLS: our key."),
)


def cluster_from_options(options: dict[str, Any]) -> Cluster | None:
    """The cluster that --cluster names, with its TLS files."""
    files = {name: options[f"cluster_{name}"] for name in ("ca", "cert", "key")}
    if not options["cluster"]:
        if any(files.values()):
            raise DialmeterError("--cluster-ca, --cluster-cert and --cluster-key go with --cluster")
        if options.get("cluster_resource"):
            raise DialmeterError("--cluster-resource goes with --cluster")
        return None
    resource = parse_resource(options["cluster_resource"]) if options.get("cluster_resource") else None
    return Cluster(options["cluster"], files["ca"], files["cert"], files["key"], resource)


def parse_resource(text: str) -> tuple[str, float]:
    """A resource of workers from text.

    Example:
        >>> parse_resource("GPU=1")
        ('GPU', 1.0)
    """
    name, _, amount = text.partition("=")
    try:
        found = float(amount)
    except ValueError:
        found = 0.0
    if not name.strip() or not 0 < found < inf:
        raise DialmeterError(f"--cluster-resource {one_line(text)}: write it as NAME=AMOUNT, as in GPU=1")
    return name.strip(), found


def workers_from_options(options: dict[str, Any], inputs: Sequence[str]) -> int:
    """How many processes: what --workers says, or one, or one per core for large input."""
    if options["workers"]:
        return int(options["workers"])
    size = sum(Path(path).stat().st_size for path in inputs if Path(path).is_file())
    return os.cpu_count() or 1 if size > LARGE else 1


def is_local_work(options: dict[str, Any], inputs: Sequence[str], tasks: int) -> bool:
    """Is the work done in this process?"""
    return cluster_from_options(options) is None and (workers_from_options(options, inputs) == 1 or tasks <= 1)


def run_shards(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    options: dict[str, Any],
    inputs: Sequence[str],
    *,
    alone: Callable[[Task], Result] | None = None,
    special: Callable[[Task], bool] | None = None,
) -> Iterator[Result]:
    """The result of each task, in order; if shards are lost, the others are finished first.

    Args:
        work: does a task, in whatever process.
        tasks: one per shard, looked up when it is its turn.
        options: of the command.
        inputs: the files that are read.
        alone: does the only task in this process, where it can show finer progress than that of shards.
        special: says which tasks are only for workers that have the resource of --cluster-resource.

    Raises:
        Unfinished: shards were lost.
    """
    cluster = cluster_from_options(options)
    workers = workers_from_options(options, inputs)
    if is_local_work(options, inputs, len(tasks)):
        if alone is not None and len(tasks) == 1:
            yield alone(tasks[0])
        else:
            done = (work(tasks[place]) for place in range(len(tasks)))
            yield from track_count(done, len(tasks), "shards", options["quiet"])
        return
    lost: list[tuple[int, Lost]] = []
    paths = [path for path in inputs if path != "-"]
    outcomes = map_shards(work, tasks, workers, cluster, paths, special=special)
    for number, outcome in enumerate(track_count(outcomes, len(tasks), "shards", options["quiet"])):
        if isinstance(outcome, Lost):
            lost.append((number, outcome))
        else:
            yield outcome.value
    if lost:
        number, first = lost[0]
        at = f" at {first.at}" if first.at else ""
        raise Unfinished(
            f"{len(lost)} of {len(tasks)} shards could not be done, the first of them shard {number}{at}: {first.reason}; "
            "the rest is kept with --out, go on with --resume"
        )
