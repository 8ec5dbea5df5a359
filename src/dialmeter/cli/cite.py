"""``dialmeter cite``"""

from __future__ import annotations

import click

from ..citations import for_measures
from ..errors import DialmeterError
from ..runs import open_run


@click.command()
@click.argument("run", required=False)
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to cite; may be repeated.")
def cite(run: str | None, measures: tuple[str, ...]) -> None:
    """Print BibTeX for what a RUN (a folder made with --out) or the named measures rest on, and signatures of the run."""
    if run is None and not measures:
        raise DialmeterError("name a run folder, or measures with --measure")
    named = list(measures)
    if run is not None:
        scores = open_run(run).scores
        named += [score["measure"] for score in scores]
        for score in scores:
            click.echo(f"% {score['signature']}")
    click.echo("\n\n".join(for_measures(named)))
