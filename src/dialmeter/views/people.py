"""Agreement of judges with people as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..core.account import format_accounts
from ..errors import one_line
from ..judges.people.correlate import CONTEXT_LEVEL, MEASURES, SYSTEM_LEVEL, FacetAgreement
from ..judges.people.result import DifferingItem, PeopleResult
from .chart_files import Chart, slug
from .charts.bars import BARS
from .charts.data import ChartOptions, Estimate, grouped, number_cell, point
from .charts.points import SCATTER
from .labels import label_charts
from .tables import Table, coefficient, grid_of, limits, table_of

_SCATTERS = 12
"""Largest number of judges with a scatter chart."""


def overview_table(result: PeopleResult) -> Table:
    """Return Spearman over items: one row per judge, one column per facet."""
    correlations, level = result.named_scores, result.items.level
    rows = {
        column.name: {each: correlations["Spearman", column.name, each, level].value for each in result.facets}
        for column in result.columns
    }
    title = f"Spearman with the mean rating of people, over {'replies' if level == 'reply' else 'dialogues'}"
    return grid_of(title, rows, "judge", result.facets, "coefficient")


def facet_table(result: PeopleResult, facet: str) -> Table:
    """Return all correlations of one facet: one row per judge, the highest Spearman first."""
    correlations = result.named_scores
    level = result.items.level
    rows = []
    for column in result.columns:
        item_level = [correlations[measure, column.name, facet, level] for measure in MEASURES]
        others = [correlations.get(("Spearman", column.name, facet, each)) for each in (CONTEXT_LEVEL, SYSTEM_LEVEL)]
        spearman = item_level[1].value
        cells = (
            column.name,
            *(cell for each in item_level for cell in (coefficient(each.value), limits(each.ci))),
            *("" if each is None else coefficient(each.value) for each in others),
            str(item_level[0].n),
            str(item_level[0].unscored or ""),
            item_level[0].reason,
        )
        rows.append((-2.0 if spearman is None else spearman, cells))
    rows.sort(key=lambda each: -each[0])
    headings = (
        "judge",
        *(word for measure in MEASURES for word in (measure, "interval")),
        *("within contexts", "over systems", "n", "unscored", "note"),
    )
    numeric = frozenset(range(1, len(headings) - 1))
    return Table(f"agreement with people on {one_line(facet)}", headings, tuple(cells for _, cells in rows), numeric)


def rater_table(raters: Sequence[FacetAgreement]) -> Table:
    """Return the agreement of raters, and the highest correlation that a judge can be expected to reach."""
    hardly = "judges cannot be ranked: raters hardly agree"
    return table_of(
        "agreement of raters",
        raters,
        "<facet | items | alpha interval=alpha_interval:coefficient | alpha ordinal=alpha_ordinal:coefficient",
        "ICC(1,1)=icc1:coefficient | ICC(1,k)=icc1k:coefficient | ceiling √ICC(1,k)=ceiling:coefficient",
        ("<note", lambda each: hardly if each.rankable is False else each.reason),
    )


def leave_one_out_table(result: PeopleResult) -> Table:
    """Return the correlations of judges and left-out raters with the same target, in the main facet."""
    return table_of(
        f"against one left-out rater on {one_line(result.main_facet)}: Spearman with the mean of the other raters",
        [each for each in result.left_out if each.facet == result.main_facet],
        "<judge | judge=judge_value:coefficient | rater=rater_value:coefficient",
        ("<judge better at positions", lambda each: f"{each.better} of {each.positions}"),
    )


def differences_table(result: PeopleResult, facets: Sequence[str]) -> Table:
    """Return the differences of the other judges from the first: Spearman by resampling, Pearson with Zou's interval."""
    differences = [each for each in result.differences if each.facet in facets]
    pearson = {(each.facet, each.other): each for each in differences if each.measure == "Pearson"}
    rows = [each for each in differences if each.measure == "Spearman"]
    is_significant = any(each.verdict != "cannot tell" for each in differences)
    return table_of(
        "paired comparison on the same items (other minus judge)",
        rows,
        "<facet | <judge | <other | Spearman difference=difference:coefficient | interval=ci:limits",
        "p (Holm)=p_holm:p",
        ("Pearson difference", lambda each: coefficient(pearson[each.facet, each.other].difference)),
        ("Zou's interval", lambda each: limits(pearson[each.facet, each.other].zou)),
        "n | <other is=verdict | <note=reason",
        foot=()
        if is_significant or not rows
        else ("no difference is significant: these items cannot rank the judges",),
    )


def differing_table(result: PeopleResult, judge: str, most: int) -> Table:
    """Return the items on which a judge and people differ most."""

    def text(each: DifferingItem) -> str:
        item = result.item(each.item)
        return one_line(item.reply or next((move.text for move in reversed(item.moves)), ""))

    return table_of(
        f"where {one_line(judge)} and people differ most on {one_line(result.main_facet)}",
        result.worst(most, judge),
        "<item",
        ("<text", text),
        "score:number",
        ("rating", lambda each: f"{each.rating:.2f}"),
        ("rank difference in percent", lambda each: f"{100 * each.difference:+.0f}"),
    )


def every_correlation(result: PeopleResult) -> Table:
    """Return a machine-readable table with one row per correlation."""
    return table_of(
        "",
        result.scores,
        "<measure | <judge | <facet | <level",
        ("value", lambda each: number_cell(each.value)),
        *(
            (end, lambda each, at=at: number_cell(each.ci[at] if each.ci else None))
            for at, end in enumerate(("low", "high"))
        ),
        "n | unscored",
        ("p", lambda each: number_cell(each.p)),
        ("<note", lambda each: each.reason or each.ci_reason),
    )


def tables_of(result: PeopleResult, *, everything: bool = False) -> Iterator[Table]:
    """Yield all non-empty tables in the order of printing."""
    main = result.main_facet
    if len(result.facets) > 1:
        yield overview_table(result)
    facets = result.facets if everything else [main]
    for facet in facets:
        yield facet_table(result, facet)
    tables = [differences_table(result, facets), leave_one_out_table(result), rater_table(result.raters)]
    *first, last = [table for table in tables if table.rows]
    yield from first
    yield replace(last, foot=tuple(format_accounts(result.accounts)))


def people_charts(result: PeopleResult) -> Iterator[Chart]:
    """Yield bars of Spearman by judge and facet, and for each judge its scores against the ratings of the main facet."""
    yield from label_charts(result)
    level, facet = result.items.level, result.main_facet
    rows = [
        (each.judge, each.facet, *point(each.value, each.ci))
        for each in grouped(result.scores, lambda each: each.judge)
        if (each.measure, each.level) == ("Spearman", level) and each.value is not None
    ]
    yield Chart("agreement", "Agreement of judges with people", BARS, rows, y_label="Spearman", as_percent=False)
    ratings = [item.rating(facet) for item in result.items.items]
    ids = [item.id for item in result.items.items]
    correlations = result.named_scores
    for column in result.columns[:_SCATTERS]:
        spearman = correlations["Spearman", column.name, facet, level]
        if spearman.value is None:
            continue
        yield Chart(
            f"scatter-{slug(column.name)}",
            f"{one_line(column.name)} and people",
            SCATTER,
            list(zip(ids, ratings, column.scores, strict=True)),
            (level, f"mean rating, {one_line(facet)}", f"score of {one_line(column.name)}"),
            as_percent=False,
            options=ChartOptions(Estimate(*point(spearman.value, spearman.ci))),
        )
