"""Charts that every kind of run has: its measures, and how the scores of its rows are spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..chart_files import slug
from ..charts import bars
from ..charts import spread as spread_chart
from ..charts.data import Estimate
from .kinds import Picture, RowsLink

if TYPE_CHECKING:
    from .opened import Opened


def measures(runs: Sequence[Opened], link: RowsLink) -> Picture:
    """Measures side by side; a bar leads to the rows, the worst under the measure first."""
    scores = {
        run.key: {score["measure"]: Estimate(score.get("value"), *(score.get("ci") or ())) for score in run.scores}
        for run in runs
    }
    links = {
        (run.key, measure): link(run, {"by": measure})
        for run in runs
        for measure in scores[run.key]
        if measure in run.columns
    }
    many = runs[0].kind.UNIT[1]
    words = {address: f"{key}, {measure}: {many}, the worst first" for (key, measure), address in links.items()}
    return bar_chart("measures", "Scores with intervals", "score in percent", scores, links=links, words=words)


def bar_chart(
    name: str,
    title: str,
    y_label: str,
    scores: Mapping[str, Mapping[str, Estimate]],
    *,
    links: Mapping[tuple[str, str], str],
    words: Mapping[str, str],
    as_percent: bool = True,
) -> Picture:
    """Bars by group and name, each of which leads to its rows."""
    return Picture(
        name,
        title,
        lambda: bars.draw(scores, title=title, y_label=y_label, as_percent=as_percent, links=links),
        bars.table(scores),
        words,
    )


def spread(run: Opened, link: RowsLink, of: str = "") -> Picture:
    """How many rows have which score; a bar leads to the rows that it counts."""
    measure = run.ranking
    values = run.columns[measure]
    one, many = run.kind.UNIT
    limits = spread_chart.edges(values)
    links, words = {}, {}
    for at, size in enumerate(spread_chart.counted(values, limits)):
        if size:
            low, high = 100 * limits[at], 100 * limits[at + 1]
            # The last range has its upper end, which the others leave to the next.
            upper = {"high": f"{high:g}"} if at + 2 < len(limits) else {}
            links[at] = link(run, {"by": measure, "low": f"{low:g}", **upper})
            words[links[at]] = f"{size:,} {many} with {measure} from {low:g} to {high:g}"
    title = f"{many.capitalize()} by their score{of}"
    label = f"{measure}, per {one}"
    return Picture(
        f"spread-{slug(run.key)}",
        title,
        lambda: spread_chart.draw(
            values,
            title=title,
            x_label=label,
            y_label=f"number of {many}",
            links=links,
        ),
        spread_chart.table(values),
        words,
    )
