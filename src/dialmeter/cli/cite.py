"""``dialmeter cite``"""

from __future__ import annotations

from pathlib import Path

import click

from ..citations import for_measures
from ..core.open_runs import open_run
from ..errors import DialmeterError, one_line
from .option_kinds import max_bytes_option


@click.command()
@click.argument("things", nargs=-1, metavar="[RUN|MEASURE]...")
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to cite; may be repeated.")
@max_bytes_option
def cite(things: tuple[str, ...], measures: tuple[str, ...]) -> None:
    """Print BibTeX for what a RUN (a folder made with --out) or a MEASURE rests on, and the signatures of a run."""
    if not things and not measures:
        raise DialmeterError("name a run folder or a measure")
    named = list(measures)
    for thing in things:
        if not Path(thing).exists() and _is_measure(thing):
            named.append(thing)
            continue
        scores = open_run(thing).scores
        named += [score["measure"] for score in scores]
        for score in scores:
            click.echo(f"% {one_line(str(score.get('signature') or 'no signature'), 4000)}")
    click.echo("\n\n".join(for_measures(named)))


def _is_measure(name: str) -> bool:
    try:
        for_measures([name])
    except DialmeterError:
        return False
    return True
