"""Agreement of judges with people as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from ..core.account import format_accounts
from ..errors import one_line
from ..judges.people.correlate import CONTEXT_LEVEL, MEASURES, SYSTEM_LEVEL
from ..judges.people.result import PeopleResult
from .chart_files import Chart, chart, slug
from .charts import bars, points
from .charts.data import Estimate, number_cell
from .human import coefficient, limits
from .tables import Table, markdown_page, p_value

_SCATTERS = 12
"""Largest number of judges with a scatter chart."""


def overview_table(result: PeopleResult) -> Table:
    """Return Spearman over items: one row per judge, one column per dimension."""
    correlations = result.named_scores
    level = result.items.level
    rows = tuple(
        (
            column.name,
            *(coefficient(correlations["Spearman", column.name, each, level].value) for each in result.dimensions),
        )
        for column in result.columns
    )
    title = f"Spearman with the mean rating of people, over {'replies' if level == 'reply' else 'dialogues'}"
    return Table(title, ("judge", *result.dimensions), rows, frozenset(range(1, 1 + len(result.dimensions))))


def dimension_table(result: PeopleResult, dimension: str) -> Table:
    """Return all correlations of one dimension: one row per judge, the highest Spearman first."""
    correlations = result.named_scores
    level = result.items.level
    rows = []
    for column in result.columns:
        item_level = [correlations[measure, column.name, dimension, level] for measure in MEASURES]
        others = [
            correlations.get(("Spearman", column.name, dimension, each)) for each in (CONTEXT_LEVEL, SYSTEM_LEVEL)
        ]
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
    return Table(
        f"agreement with people on {one_line(dimension)}", headings, tuple(cells for _, cells in rows), numeric
    )


def raters_table(result: PeopleResult) -> Table:
    """Return the agreement of raters, and the highest correlation that a judge can be expected to reach."""
    rows = tuple(
        (
            each.dimension,
            str(each.items),
            *map(coefficient, (each.alpha_interval, each.alpha_ordinal, each.icc1, each.icc1k, each.ceiling)),
            "judges cannot be ranked: raters hardly agree" if each.rankable is False else each.reason,
        )
        for each in result.raters
    )
    headings = (
        "dimension",
        "items",
        "alpha interval",
        "alpha ordinal",
        "ICC(1,1)",
        "ICC(1,k)",
        "ceiling √ICC(1,k)",
        "note",
    )
    return Table("agreement of raters", headings, rows, frozenset(range(1, 7)))


def leave_one_out_table(result: PeopleResult) -> Table:
    """Return the correlations of judges and left-out raters with the same target, in the main dimension."""
    rows = tuple(
        (
            each.judge,
            coefficient(each.judge_value),
            coefficient(each.rater_value),
            f"{each.better} of {each.positions}",
        )
        for each in result.left_out
        if each.dimension == result.main_dimension
    )
    title = (
        f"against one left-out rater on {one_line(result.main_dimension)}: Spearman with the mean of the other raters"
    )
    return Table(title, ("judge", "judge", "rater", "judge better at positions"), rows, frozenset({1, 2}))


def differences_table(result: PeopleResult, dimensions: Sequence[str]) -> Table:
    """Return the differences of the other judges from the first: Spearman by resampling, Pearson with Zou's interval."""
    differences = [each for each in result.differences if each.dimension in dimensions]
    pearson = {(each.dimension, each.other): each for each in differences if each.measure == "Pearson"}
    rows = []
    for each in differences:
        if each.measure != "Spearman":
            continue
        other = pearson[each.dimension, each.other]
        rows.append(
            (
                each.dimension,
                each.judge,
                each.other,
                coefficient(each.difference),
                limits(each.ci),
                p_value(each.p_holm),
                coefficient(other.difference),
                limits(other.zou),
                str(each.n),
                each.verdict,
                each.reason,
            )
        )
    headings = (
        *("dimension", "judge", "other", "Spearman difference", "interval", "p (Holm)"),
        *("Pearson difference", "Zou's interval", "n", "other is", "note"),
    )
    is_significant = any(each.verdict != "cannot tell" for each in differences)
    foot = () if is_significant or not rows else ("no difference is significant: these items cannot rank the judges",)
    title = "paired comparison on the same items (other minus judge)"
    return Table(title, headings, tuple(rows), frozenset(range(3, 9)), foot=foot)


def differing_table(result: PeopleResult, judge: str, most: int) -> Table:
    """Return the items on which a judge and people differ most."""
    rows = tuple(
        (
            each.item,
            one_line(item.reply or item.moves[-1].text),
            f"{each.score:.4g}",
            f"{each.rating:.2f}",
            f"{100 * each.difference:+.0f}",
        )
        for each in result.worst(most, judge)
        for item in [result.item(each.item)]
    )
    title = f"where {one_line(judge)} and people differ most on {one_line(result.main_dimension)}"
    headings = ("item", "text", "score", "rating", "rank difference in percent")
    return Table(title, headings, rows, frozenset({2, 3, 4}))


def every_correlation(result: PeopleResult) -> Table:
    """Return a machine-readable table with one row per correlation."""
    rows = tuple(
        (
            *each.names,
            *map(number_cell, (each.value, *(each.ci or (None, None)))),
            *(str(each.n), str(each.unscored), number_cell(each.p)),
            each.reason or each.ci_reason,
        )
        for each in result.scores
    )
    headings = ("measure", "judge", "dimension", "level", "value", "low", "high", "n", "unscored", "p", "note")
    return Table("", headings, rows, frozenset(range(4, 10)))


def tables_of(result: PeopleResult, *, everything: bool = False) -> Iterator[Table]:
    """Yield all non-empty tables in the order of printing.

    Args:
        result: the result of the comparison.
        everything: include details of every dimension, not only of the main one.
    """
    main = result.main_dimension
    if len(result.dimensions) > 1:
        yield overview_table(result)
    dimensions = result.dimensions if everything else [main]
    for dimension in dimensions:
        yield dimension_table(result, dimension)
    tables = [differences_table(result, dimensions), leave_one_out_table(result), raters_table(result)]
    *first, last = [table for table in tables if table.rows]
    yield from first
    yield replace(last, foot=tuple(format_accounts(result.accounts)))


def markdown_report(name: str, result: PeopleResult) -> str:
    """Return the report of a run as one page of Markdown."""
    facts = ", ".join(f"{count} {unit}" for unit, count in result.counts.items())
    names = [column.name for column in result.columns if not column.trivial][:_SCATTERS]
    details = [table for judge in names if (table := differing_table(result, judge, 10)).rows]
    return markdown_page(name, f"{facts}.", tables_of(result), result.notices, details)


def people_charts(result: PeopleResult) -> Iterator[Chart]:
    """Yield bars of Spearman by judge and dimension, and for each judge its scores against the ratings of the main dimension."""
    level, dimension = result.items.level, result.main_dimension
    scores: dict[str, dict[str, Estimate]] = {}
    for each in result.scores:
        if (each.measure, each.level) == ("Spearman", level) and each.value is not None:
            scores.setdefault(each.judge, {})[each.dimension] = Estimate(each.value, *(each.ci or ()))
    title = "Agreement of judges with people"
    yield chart("agreement", title, bars.draw, bars.table, scores, y_label="Spearman", as_percent=False)
    ratings = [item.rating(dimension) for item in result.items.items]
    ids = [item.id for item in result.items.items]
    correlations = result.named_scores
    for column in result.columns[:_SCATTERS]:
        spearman = correlations["Spearman", column.name, dimension, level]
        if spearman.value is None:
            continue
        x_label, y_label = f"mean rating, {one_line(dimension)}", f"score of {one_line(column.name)}"
        yield chart(
            f"scatter-{slug(column.name)}",
            f"{one_line(column.name)} and people",
            partial(points.draw, x_label=x_label, y_label=y_label, as_percent=False, unit=level),
            partial(points.table, x_label=x_label, y_label=y_label, dialogues=ids, unit=level),
            ratings,
            column.scores,
            correlation=Estimate(spearman.value, *(spearman.ci or ())),
        )
