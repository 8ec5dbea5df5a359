"""``dialmeter cite``"""

from __future__ import annotations

from pathlib import Path

import click

from ..citations import for_measures
from ..core.open_runs import open_run
from ..errors import DialmeterError, one_line
from .options import command, max_bytes_option
from .printer import Block, Output


@command(last=[max_bytes_option])
@click.argument("things", nargs=-1, metavar="[RUN|MEASURE]...")
@click.option("--measure", "measures", multiple=True, metavar="M", help="Measure to cite; may be repeated.")
def cite(things: tuple[str, ...], measures: tuple[str, ...]) -> Output:
    """Print the BibTeX entries to cite for a RUN (a folder made with --out) or a MEASURE, and the signatures of a run."""
    if not things and not measures:
        raise DialmeterError("give the folder of a run, or a measure")
    measure_names, lines = list(measures), []
    for thing in things:
        if not Path(thing).exists() and _is_measure(thing):
            measure_names.append(thing)
            continue
        scores = open_run(thing).scores
        measure_names += [score["measure"] for score in scores]
        lines += [f"% {one_line(str(score.get('signature') or 'no signature'), 4000)}" for score in scores]
    return Output(parts=[Block("\n".join([*lines, "\n\n".join(for_measures(measure_names))]))])


def _is_measure(name: str) -> bool:
    try:
        for_measures([name])
    except DialmeterError:
        return False
    return True
