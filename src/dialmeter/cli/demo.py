"""``dialmeter demo``"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from ..errors import DialmeterError
from ..report.demo import comparison_table, demo_report
from ..report.tables import render
from ..report.tracker import shared_signature
from ..tracking.result import TrackerResult
from ..tracking.scorer import score_file
from .say import warn

_TRACKERS = ("steady", "hasty")


@click.command()
@click.option("--out", default="demo-run", show_default=True, metavar="DIR", help="Where the report goes.")
@click.option("--force", is_flag=True, help="Replace a report that is there.")
@click.option("--quiet", "-q", is_flag=True, help="No warnings.")
def demo(out: str, force: bool, quiet: bool) -> None:
    """Score two trackers on dialogues of an invented town that come with dialmeter."""
    target = Path(out) / "report.md"
    if target.exists() and not force:
        raise DialmeterError(f"{target}: is there already; replace it with --force")
    results = {name: _scored(name) for name in _TRACKERS}
    first = next(iter(results.values()))
    click.echo(f"Two trackers on {first.dialogues} dialogues, {first.turns} turns, of an invented town.\n")
    click.echo(render(comparison_table(results), "text"))
    click.echo(f"\nsignature  {shared_signature([score for result in results.values() for score in result.scores])}\n")
    for name, result in results.items():
        if not quiet and result.notices:
            click.echo(f"{name}:", err=True)
        warn(result.notices, quiet)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(demo_report(results), "utf-8")
    except OSError as error:
        raise DialmeterError(f"{target}: cannot be written: {error.strerror or error}") from None
    click.echo(f"report: {target}")


def _scored(name: str) -> TrackerResult:
    with as_file(files("dialmeter.demo_data").joinpath(f"{name}.jsonl")) as path:
        return score_file(str(path), by=["domain"])
