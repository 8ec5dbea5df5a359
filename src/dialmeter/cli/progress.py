"""Progress on standard error: a bar on a terminal, a line per 10 % elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from msgspec import Struct

from ..progress import State, shown_by
from ..views.tables import decimals

Item = TypeVar("Item")


class _Display(Struct):
    """Shows the progress of a command.

    Attributes:
        files: number of files that the command reads one after the other; progress lines count all of them together.
        begun: number of started files.
        printed: last printed tenth.
        busy: True while work is shown; work within it is not shown.
    """

    files: int = 1
    begun: int = 0
    printed: int = 0
    busy: bool = False

    def __call__(self, items: Iterable[Item], doing: str, state: State, every: int) -> Iterator[Item]:
        """Yield items and show the share of the work: a bar on a terminal, which moves with ``every`` so many items, or tenths."""
        if self.busy:
            yield from items
            return
        self.busy = True
        try:
            yield from (_in_bar if sys.stderr.isatty() else self._in_tenths)(items, doing, state, every)
        finally:
            self.busy = False

    def _in_tenths(self, items: Iterable[Item], doing: str, state: State, every: int) -> Iterator[Item]:
        """Yield items and print a line at each tenth of the work."""
        before = min(self.begun, self.files)
        self.begun += 1
        of_files = f"file {self.begun} of {self.files}, " if self.files > 1 else ""
        for count, each in enumerate(items, 1):
            yield each
            if count % every == 0:
                share, done, words = state(count)
                of_file = int(10 * (share or 0) + 1e-9)
                tenth = (10 * before + of_file) // self.files
                # A small file ends before its first tenth and needs no line.
                if of_file and self.printed < tenth <= 10:
                    self.printed = tenth
                    click.echo(f"{doing}: {10 * tenth} % ({of_files}{done:,}{words})", err=True)


@contextmanager
def showing_progress(*, quiet: bool) -> Iterator[None]:
    """Show the progress of all work in the block, unless it is ``quiet``."""
    token = shown_by.set(None if quiet else _Display())
    try:
        yield
    finally:
        shown_by.reset(token)


def expect_files(files: int) -> None:
    """Set the number of files that the command reads."""
    display = shown_by.get()
    if isinstance(display, _Display):
        display.files = files


def _in_bar(items: Iterable[Item], doing: str, state: State, every: int) -> Iterator[Item]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    count_column = TextColumn("{task.fields[count]}")
    columns = (TextColumn(doing), BarColumn(), TaskProgressColumn(), count_column, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=None, count="")
        for count, each in enumerate(items, 1):
            yield each
            if count % every == 0:
                (share, done, words), seconds = state(count), progress.tasks[0].elapsed
                text = f"{done:,}{words}" + (f", {done / seconds:,.0f}/s" if seconds else "")
                progress.update(task, completed=share or 0, total=None if share is None else 1.0, count=text)


def training_progress(seed: int, quiet: bool) -> Callable[[int, Any], None]:
    """Return a callback that prints the quality of a judge after each epoch of its training."""

    def show(epoch: int, quality: Any) -> None:
        if not quiet:
            uar, spearman = f"UAR {quality.uar:.3f}", f"Spearman {decimals(quality.spearman)}"
            click.echo(f"training: seed {seed}, epoch {epoch}: {uar}, {spearman}", err=True)

    return show
