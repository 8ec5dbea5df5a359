"""Progress of work: a bar on a terminal, a line per 10 % elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ..judges.ask import Watch
    from ..readers.formats import OpenFile

Item = TypeVar("Item")
_PLAN = "dialmeter.progress"


@dataclass
class _Plan:
    """The files that a command reads one after the other, and how many tenths of all of them were printed."""

    files: int = 1
    begun: int = 0
    printed: int = 0


def expect_files(files: int) -> None:
    """Says how many files the command reads, so that lines of progress count for all of them together."""
    click.get_current_context().meta[_PLAN] = _Plan(files)


def track_count(items: Iterable[Item], total: int, doing: str, quiet: bool) -> Iterator[Item]:
    """Passes items on and shows how many are done.

    Args:
        items: the work, as it gets done.
        total: how many there will be.
        doing: what is being done, in a word.
        quiet: show nothing.
    """
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
        yield from _in_tenths(items, lambda count: 10 * count // total, doing, f" of {total:,}")


def track_reading(dialogues: Iterable[Any], corpus: OpenFile, quiet: bool) -> Iterator[Any]:
    """Passes dialogues on and shows how much of the file has been read."""
    if quiet:
        yield from dialogues
    elif sys.stderr.isatty():
        from rich.progress import TaskProgressColumn

        with _bar(TaskProgressColumn()) as progress:
            task = progress.add_task("scoring", total=None, rate="")
            for count, each in enumerate(dialogues, 1):
                yield each
                if count % 500 == 0:
                    speed = progress.tasks[0].elapsed or 0
                    rate = f"{count / speed:,.0f} dialogues/s" if speed else ""
                    share = corpus.share_read
                    progress.update(task, completed=share or 0, total=None if share is None else 1.0, rate=rate)
    else:

        def tenths(count: int) -> int:
            return 0 if count % 500 else int(10 * (corpus.share_read or 0))

        yield from _in_tenths(dialogues, tenths, "scoring", " dialogues")


def _in_tenths(items: Iterable[Item], tenths: Callable[[int], int], doing: str, unit: str) -> Iterator[Item]:
    """Passes items on and prints a line whenever another tenth of the work is done, by the number of items so far."""
    context = click.get_current_context(silent=True)
    plan: _Plan = (context.meta.get(_PLAN) if context else None) or _Plan()
    before = min(plan.begun, plan.files)
    plan.begun += 1
    of_files = f"file {plan.begun} of {plan.files}, " if plan.files > 1 else ""
    for count, each in enumerate(items, 1):
        yield each
        of_file = tenths(count)
        done = (10 * before + of_file) // plan.files
        # A small file is done before its first tenth, and needs no line.
        if of_file and plan.printed < done <= 10:
            plan.printed = done
            click.echo(f"{doing}: {10 * done} % ({of_files}{count:,}{unit})", err=True)


def _bar(column: ProgressColumn) -> Progress:
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


def judge_progress(doing: str, quiet: bool, judges: int = 1) -> Watch | None:
    """Shows the progress of judges: in place on a terminal, a line per 10 % of all elsewhere, nothing if quiet."""
    shares: dict[str, float] = {}
    printed = 0
    on_terminal = sys.stderr.isatty()

    def watch(judge: str, done: int, total: int) -> None:
        nonlocal printed
        shares[judge] = done / max(1, total)
        tenths = int(10 * sum(shares.values()) / max(judges, len(shares)) + 1e-9)
        if on_terminal:
            click.echo(f"\r\x1b[K{doing}: {one_line(judge, 40)} {done:,} of {total:,}", err=True, nl=done == total)
        elif printed < tenths and done < total:
            printed = tenths
            click.echo(f"{doing}: {10 * tenths} % ({one_line(judge, 40)} {done:,} of {total:,})", err=True)

    return None if quiet else watch


def attack_progress(doing: str, quiet: bool) -> Watch | None:
    """Shows the progress of attacks: in place on a terminal, a line per 10 % elsewhere, nothing if quiet."""
    if quiet:
        return None
    printed = 0

    def tell(attack: str, made: int, wanted: int) -> None:
        nonlocal printed
        tenths = 10 * made // wanted
        if sys.stderr.isatty():
            click.echo(f"\r{doing}: {made:,} of {wanted:,} cases ({attack})".ljust(72) + "\r", err=True, nl=False)
        elif tenths > printed:
            printed = tenths
            click.echo(f"{doing}: {10 * tenths} % ({made:,} of {wanted:,} cases)", err=True)

    return tell
