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
    else:
        yield from _tracked(items, lambda count: count / total, doing, f" of {total:,} {unit}".rstrip())


def track_files(files: Iterable[Item], quiet: bool) -> Iterator[Item]:
    """Yield files to score and show the number of finished files, if there are ten or more."""
    listed = list(files)
    yield from track_count(listed, len(listed), "scoring", quiet or len(listed) < 10, "files")


def track_reading(dialogues: Iterable[Any], corpus: OpenFile, quiet: bool) -> Iterator[Any]:
    """Yield dialogues and show the share of the file that has been read."""
    yield from dialogues if quiet else _tracked(dialogues, lambda _: corpus.share_read, "scoring", " dialogues", 500)


def _tracked(
    items: Iterable[Item], share: Callable[[int], float | None], doing: str, unit: str, every: int = 1
) -> Iterator[Item]:
    """Yield items and show the share of the work: a bar on a terminal, which moves with ``every`` so many items, or tenths."""
    if not sys.stderr.isatty():
        yield from _in_tenths(items, lambda count: 0 if count % every else int(10 * (share(count) or 0)), doing, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    count_column = TextColumn("{task.fields[count]}")
    columns = (TextColumn(doing), BarColumn(), TaskProgressColumn(), count_column, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=None, count="")
        for count, each in enumerate(items, 1):
            yield each
            if count % every == 0:
                done, seconds = share(count), progress.tasks[0].elapsed
                text = f"{count:,}{unit}" + (f", {count / seconds:,.0f}/s" if seconds else "")
                progress.update(task, completed=done or 0, total=None if done is None else 1.0, count=text)


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


def call_progress(doing: str, quiet: bool, judges: int = 0) -> Progressing | None:
    """Return a callback that shows the progress of requests: one updated line on a terminal, a line per 10 % elsewhere.

    With ``judges``, each name has its own number of units; otherwise the cases of all names are counted together. None if ``quiet``.
    """
    shares: dict[str, float] = {}
    printed = 0
    on_terminal = sys.stderr.isatty()

    def show(name: str, done: int, total: int) -> None:
        nonlocal printed
        shares[name if judges else ""] = done / max(1, total)
        tenths = int(10 * sum(shares.values()) / max(judges, len(shares)) + 1e-9)
        counts = f"{one_line(name, 40)} {done:,} of {total:,}" if judges else f"{done:,} of {total:,} cases"
        if on_terminal:
            click.echo(f"\r\x1b[K{doing}: {counts}", err=True, nl=done == total)
        elif printed < tenths and (done < total or not judges):
            printed = tenths
            click.echo(f"{doing}: {10 * tenths} % ({counts})", err=True)

    return None if quiet else show


def training_progress(seed: int, quiet: bool) -> Callable[[int, Any], None]:
    """Return a callback that prints the quality of a judge after each epoch of its training."""

    def show(epoch: int, quality: Any) -> None:
        if not quiet:
            uar, spearman = f"UAR {quality.uar:.3f}", f"Spearman {decimals(quality.spearman)}"
            click.echo(f"training: seed {seed}, epoch {epoch}: {uar}, {spearman}", err=True)

    return show
