"""``dialmeter demo``"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from ..errors import DialmeterError
from ..report.compare import long_table
from ..report.demo import demo_report
from ..report.tables import render
from ..report.tracker import shared_signature
from ..resampling import Resampling
from ..tracking.compare import compare
from ..tracking.result import TrackerResult
from ..tracking.scorer import score_file

_TRACKERS = ("steady", "hasty")
_STORY = """
JGA puts hasty first, FGA and GCA put steady first. steady makes few mistakes, but early ones, which JGA counts again at every
later turn; hasty makes many and takes them back at the next turn. The lead in GCA survives the correction for ten tests, the
lead in JGA does not. Look at a dialogue behind the numbers:
"""


@click.command()
@click.option("--out", default="demo-run", show_default=True, metavar="DIR", help="Where the report goes.")
@click.option("--force", is_flag=True, help="Replace a report that is there.")
def demo(out: str, force: bool) -> None:
    """Score two trackers on dialogues of an invented town that come with dialmeter."""
    target = Path(out) / "report.md"
    if target.exists() and not force:
        raise DialmeterError(f"{target}: is there already; replace it with --force")
    how = Resampling(resamples=10_000)
    results = {name: _scored(name, how) for name in _TRACKERS}
    compared = compare(results, how)
    first = results["steady"]
    click.echo(f"Two trackers on {first.dialogues} dialogues, {first.turns} turns, of an invented town.\n")
    click.echo(render(long_table(compared), "text"))
    click.echo(f"\nsignature  {shared_signature([score for result in results.values() for score in result.scores])}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(demo_report(compared), "utf-8")
    except OSError as error:
        raise DialmeterError(f"{target}: cannot be written: {error.strerror or error}") from None
    click.echo(_STORY)
    with as_file(files("dialmeter.demo_data").joinpath("hasty.jsonl")) as path:
        click.echo(f"  dialmeter tracker score {path} --show {results['hasty'].worst(1)[0].dialogue}")
    click.echo(f"\nreport: {target}")


def _scored(name: str, how: Resampling) -> TrackerResult:
    with as_file(files("dialmeter.demo_data").joinpath(f"{name}.jsonl")) as path:
        return score_file(str(path), by=["domain"], resampling=how)
