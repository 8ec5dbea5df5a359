"""Progress: a bar on a terminal, a line per 10 % elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from ..errors import one_line
from ..views.tables import decimals

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ..readers.formats import OpenFile

Item = TypeVar("Item")
Progressing: TypeAlias = Callable[[str, int, int], None]
"""Called with a name, the number of finished units, and the number of all units."""
_PLAN = "dialmeter.progress"


@dataclass
class _Plan:
    """Number of files that a command reads one after the other, number of started files, and last printed tenth."""

    files: int = 1
    begun: int = 0
    printed: int = 0


def expect_files(files: int) -> None:
    """Set the number of files that the command reads. Progress lines then count all files together."""
    click.get_current_context().meta[_PLAN] = _Plan(files)


def track_count(items: Iterable[Item], total: int, doing: str, quiet: bool, unit: str = "") -> Iterator[Item]:
    """Yield items and show the number of finished items, after the word ``doing`` and before the word ``unit``."""
    if quiet or not total:
        yield from items
    elif sys.stderr.isatty():
        from rich.progress import MofNCompleteColumn

        with _bar(MofNCompleteColumn()) as progress:
            task = progress.add_task(doing, total=total, rate="")
            for count, each in enumerate(items, 1):
                yield each
                elapsed = progress.tasks[0].elapsed
                progress.update(task, completed=count, rate=f"{count / elapsed:,.0f}/s" if elapsed else "")
    else:
        yield from _in_tenths(items, lambda count: 10 * count // total, doing, f" of {total:,} {unit}".rstrip())


def track_files(files: Iterable[Item], quiet: bool) -> Iterator[Item]:
    """Yield files to score and show the number of finished files, if there are ten or more."""
    listed = list(files)
    yield from track_count(listed, len(listed), "scoring", quiet or len(listed) < 10, "files")


def track_reading(dialogues: Iterable[Any], corpus: OpenFile, quiet: bool) -> Iterator[Any]:
    """Yield dialogues and show the share of the file that has been read."""
    if quiet:
        yield from dialogues
    elif sys.stderr.isatty():
        from rich.progress import TaskProgressColumn

        with _bar(TaskProgressColumn()) as progress:
            task = progress.add_task("scoring", total=None, rate="")
            for count, each in enumerate(dialogues, 1):
                yield each
                if count % 500 == 0:
                    elapsed = progress.tasks[0].elapsed or 0
                    rate = f"{count / elapsed:,.0f} dialogues/s" if elapsed else ""
                    share = corpus.share_read
                    progress.update(task, completed=share or 0, total=None if share is None else 1.0, rate=rate)
    else:

        def tenths(count: int) -> int:
            return 0 if count % 500 else int(10 * (corpus.share_read or 0))

        yield from _in_tenths(dialogues, tenths, "scoring", " dialogues")


def _in_tenths(items: Iterable[Item], tenths: Callable[[int], int], doing: str, unit: str) -> Iterator[Item]:
    """Yield items and print a line at each tenth of the work. ``tenths`` gets the number of items so far."""
    context = click.get_current_context(silent=True)
    plan: _Plan = (context.meta.get(_PLAN) if context else None) or _Plan()
    before = min(plan.begun, plan.files)
    plan.begun += 1
    of_files = f"file {plan.begun} of {plan.files}, " if plan.files > 1 else ""
    for count, each in enumerate(items, 1):
        yield each
        of_file = tenths(count)
        done = (10 * before + of_file) // plan.files
        # A small file ends before its first tenth and needs no line.
        if of_file and plan.printed < done <= 10:
            plan.printed = done
            click.echo(f"{doing}: {10 * done} % ({of_files}{count:,}{unit})", err=True)


def _bar(column: ProgressColumn) -> Progress:
    """Return a progress bar on standard error. Its tasks have a field ``rate``."""
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


def judge_progress(doing: str, quiet: bool, judges: int = 1) -> Progressing | None:
    """Return a callback that shows the progress of judges: one updated line on a terminal, a line per 10 % elsewhere.

    Returns None if ``quiet``.
    """
    shares: dict[str, float] = {}
    printed = 0
    on_terminal = sys.stderr.isatty()

    def show(judge: str, done: int, total: int) -> None:
        nonlocal printed
        shares[judge] = done / max(1, total)
        tenths = int(10 * sum(shares.values()) / max(judges, len(shares)) + 1e-9)
        if on_terminal:
            click.echo(f"\r\x1b[K{doing}: {one_line(judge, 40)} {done:,} of {total:,}", err=True, nl=done == total)
        elif printed < tenths and done < total:
            printed = tenths
            click.echo(f"{doing}: {10 * tenths} % ({one_line(judge, 40)} {done:,} of {total:,})", err=True)

    return None if quiet else show


def attack_progress(doing: str, quiet: bool) -> Progressing | None:
    """Return a callback that shows the progress of attacks: one updated line on a terminal, a line per 10 % elsewhere.

    Returns None if ``quiet``.
    """
    if quiet:
        return None
    printed = 0

    def show(attack: str, done: int, total: int) -> None:
        nonlocal printed
        tenths = 10 * done // total
        if sys.stderr.isatty():
            click.echo(f"\r{doing}: {done:,} of {total:,} cases ({attack})".ljust(72) + "\r", err=True, nl=False)
        elif tenths > printed:
            printed = tenths
            click.echo(f"{doing}: {10 * tenths} % ({done:,} of {total:,} cases)", err=True)

    return show


def training_progress(seed: int, quiet: bool) -> Callable[[int, Any], None]:
    """Return a callback that prints the quality of a judge after each epoch of its training."""

    def show(epoch: int, quality: Any) -> None:
        if not quiet:
            uar, spearman = f"UAR {quality.uar:.3f}", f"Spearman {decimals(quality.spearman)}"
            click.echo(f"training: seed {seed}, epoch {epoch}: {uar}, {spearman}", err=True)

    return show
