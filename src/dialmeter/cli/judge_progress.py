"""How far a judge, or attacks on one, have come."""

from __future__ import annotations

import sys

import click

from ..errors import one_line
from ..judges.ask import Watch
from ..judges.attack_run import Tell


def watching(doing: str, quiet: bool) -> Watch | None:
    """Says how far each judge has come: in place on a terminal, a line per 10 % elsewhere, nothing if quiet."""
    told: dict[str, int] = {}
    on_terminal = sys.stderr.isatty()

    def watch(judge: str, done: int, total: int) -> None:
        tenths = 10 * done // max(1, total)
        if on_terminal:
            click.echo(f"\r\x1b[K{doing}: {one_line(judge, 40)} {done:,} of {total:,}", err=True, nl=done == total)
        elif tenths > told.get(judge, 0) and done < total:
            click.echo(f"{doing}: {one_line(judge, 40)} {10 * tenths} % ({done:,} of {total:,})", err=True)
        told[judge] = tenths

    return None if quiet else watch


def telling(doing: str, quiet: bool) -> Tell | None:
    """Says how far attacks have come: in place on a terminal, a line per 10 % elsewhere, nothing if quiet."""
    if quiet:
        return None
    told = 0

    def tell(attack: str, made: int, wanted: int) -> None:
        nonlocal told
        tenths = 10 * made // wanted
        if sys.stderr.isatty():
            click.echo(f"\r{doing}: {made:,} of {wanted:,} cases ({attack})".ljust(72) + "\r", err=True, nl=False)
        elif tenths > told:
            told = tenths
            click.echo(f"{doing}: {10 * tenths} % ({made:,} of {wanted:,} cases)", err=True)

    return tell
