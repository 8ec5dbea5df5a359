"""How far work has come, where it is known how much there is: a bar on a terminal, a line per 10 % elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

Item = TypeVar("Item")


def counted(items: Iterable[Item], total: int, doing: str, quiet: bool) -> Iterator[Item]:
    """Passes items on and shows how many there have been.

    Args:
        items: the work, as it gets done.
        total: how many there will be.
        doing: what is being done, in a word.
        quiet: show nothing.
    """
    if quiet or not total:
        yield from items
    elif sys.stderr.isatty():
        yield from _with_bar(items, total, doing)
    else:
        yield from _with_lines(items, total, doing)


def bar(column: ProgressColumn) -> Progress:
    """A bar on standard error, with a column that says how much is done; its tasks have a field ``rate``."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        column,
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _with_bar(items: Iterable[Item], total: int, doing: str) -> Iterator[Item]:
    from rich.progress import MofNCompleteColumn

    with bar(MofNCompleteColumn()) as progress:
        task = progress.add_task(doing, total=total, rate="")
        for count, each in enumerate(items, 1):
            yield each
            elapsed = progress.tasks[0].elapsed
            progress.update(task, completed=count, rate=f"{count / elapsed:,.0f}/s" if elapsed else "")


def _with_lines(items: Iterable[Item], total: int, doing: str) -> Iterator[Item]:
    told = 0
    for count, each in enumerate(items, 1):
        yield each
        if 10 * count // total > told:
            told = 10 * count // total
            click.echo(f"{doing}: {10 * told} % ({count:,} of {total:,})", err=True)
