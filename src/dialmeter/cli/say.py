"""What commands print beside their result: JSON documents, warnings, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from .._version import __version__
from ..errors import InputError, one_line
from ..model import Notice
from ..readers.corpus import Corpus
from .progress import bar

if TYPE_CHECKING:
    from ..readers.conversations import Conversations
    from ..tracking.diagnosis.suspicions import Finding
    from ..views.chart_files import Chart

SCHEMA = 1


def document(kind: str, command: str, scores: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """The document that every command prints with --json."""
    warnings = [
        {"code": notice.code, "count": notice.count, "message": notice.message, "where": list(notice.where)}
        for notice in more.pop("warnings", ())
    ]
    head = {"schema": SCHEMA, "dialmeter": __version__, "kind": kind, "command": command, "scores": scores}
    accounts: dict[str, Any] = {name: more.pop(name) for name in ("account", "accounts") if name in more}
    return {**head, **accounts, "counts": more.pop("counts", {}), "warnings": warnings, **more}


def print_json(thing: dict[str, Any]) -> None:
    """One document on standard output, and nothing else there."""
    text = msgspec.json.format(msgspec.json.encode(thing), indent=1).decode()
    click.echo("\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n")))


def _escaped(line: str) -> str:
    """JSON in which what a terminal would obey is written as \\u and its number: the same document."""
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)


def draw(charts: Iterable[Chart], options: dict[str, Any]) -> list[str]:
    """Draws charts where --charts asks for them, and says where they are."""
    from ..views.chart_files import write_charts

    if not options["charts"]:
        return []
    written = write_charts(options["charts"], charts, options["chart_format"])
    if not options["quiet"]:
        click.echo(f"{len(written)} charts, each with its data, in {one_line(options['charts'], 200)}", err=True)
    return written


def warn(notices: Sequence[Notice], quiet: bool) -> None:
    """Warnings on standard error, one line each."""
    if quiet:
        return
    for notice in notices:
        where = f" [{'; '.join(notice.where[:3])}{'; …' if len(notice.where) > 3 else ''}]" if notice.where else ""
        click.echo(f"warning: {one_line(notice.message + where, 400)}", err=True)


def diagnose(found: Sequence[Finding], quiet: bool) -> None:
    """The findings of a diagnosis on standard error, one line each."""
    if not quiet:
        for finding in found:
            click.echo(f"diagnosis: {one_line(finding.message, 1000)}", err=True)


def refusals(refused: Sequence[InputError]) -> list[Notice]:
    """One warning for the dialogues that could not be read, with the reason of each of the first ten."""
    if not refused:
        return []
    message = f"{len(refused)} dialogue{'s' if len(refused) > 1 else ''} left out"
    return [Notice("left-out", len(refused), message, tuple(str(each) for each in refused[:10]))]


def watched(dialogues: Iterable[Any], corpus: Corpus | Conversations, quiet: bool) -> Iterator[Any]:
    """Passes dialogues on and shows how far reading has come: a bar on a terminal, a line per 10 % elsewhere."""
    if quiet:
        yield from dialogues
    elif sys.stderr.isatty():
        yield from _with_bar(dialogues, corpus)
    else:
        yield from _with_lines(dialogues, corpus)


def _with_bar(dialogues: Iterable[Any], corpus: Corpus | Conversations) -> Iterator[Any]:
    from rich.progress import TaskProgressColumn

    with bar(TaskProgressColumn()) as progress:
        task = progress.add_task("scoring", total=None, rate="")
        for count, each in enumerate(dialogues, 1):
            yield each
            if count % 500 == 0:
                speed = progress.tasks[0].elapsed or 0
                rate = f"{count / speed:,.0f} dialogues/s" if speed else ""
                share = corpus.share_read
                progress.update(task, completed=share or 0, total=None if share is None else 1.0, rate=rate)


def _with_lines(dialogues: Iterable[Any], corpus: Corpus | Conversations) -> Iterator[Any]:
    told = 0
    for count, each in enumerate(dialogues, 1):
        yield each
        tenths = int(10 * (corpus.share_read or 0)) if count % 500 == 0 else 0
        if tenths > told:
            told = tenths
            click.echo(f"scoring: {10 * told} % ({count:,} dialogues)", err=True)
