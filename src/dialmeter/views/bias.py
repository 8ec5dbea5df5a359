"""The bias study as tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Any

from msgspec.structs import asdict

from ..studies.bias import (
    FILTER_WORDS,
    REFERENCE,
    RIVAL,
    TRAITS,
    WORDS,
    BiasStudy,
    Filter,
)
from ..tracking.result import TrackerResult
from .chart_files import Chart, slug
from .charts.data import ChartOptions, Estimate, point
from .charts.grid import TRAIT_GRID, trait_frame
from .charts.points import SCATTER
from .tables import Table, coefficient, grid_of, percent, records_table, table_of

WIDE_FILTERS: tuple[Filter, ...] = ("none", "published")
VERSIONS = (("TO", "NU"), ("TO1", "NU1"))


def scores_table(study: BiasStudy, result: TrackerResult) -> Table:
    """Return the scores of a tracker, and the means of the traits of its dialogues."""
    means = {
        f"mean {which}": f"{fsum(row.traits[which] for row in study.rows) / len(study.rows):.3f}"
        for which in VERSIONS[0]
    }
    row = {**{score.measure: percent(score.value) for score in result.scores}, **means}
    return grid_of("scores", {study.system: row}, "tracker", row, foot=(result.account.line,))


def _trait_table(
    title: str,
    headings: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    traits: Sequence[str],
    cells: Mapping[Any, str],
) -> Table:
    """Return a table with a column for every trait and filter."""
    columns = [(trait, filter_name) for trait in traits for filter_name in WIDE_FILTERS]
    whole = (*headings, *(f"{trait}, {FILTER_WORDS[filter_name]}" for trait, filter_name in columns))
    body = tuple((*row, *(cells[row, *at] for at in columns)) for row in rows)
    return Table(f"{title} with {' and '.join(traits)}", whole, body, frozenset(range(len(headings), len(whole))))


def tables_of(study: BiasStudy, every_pair: bool = False) -> list[Table]:
    """Return the non-empty tables of one study: no pairs if there is one measure, no claim without GCA and FGA.

    The tables are the test of the papers' claim for their own pair of measures; the correlation of measures with traits; the
    differences of correlations with Zou's interval, for pairs with GCA or for every pair; the correlations between measures;
    and the correlations whose sign depends on the published filter.
    """
    if study.no_correlation:
        return []
    claim = table_of(
        f"the papers' claim: {REFERENCE} follows the trait less than {RIVAL} does",
        [each for each in study.verdicts if each.rival == RIVAL],
        "<trait",
        ("<dialogues", lambda each: FILTER_WORDS[each.filter]),
        "n",
        (f"r {RIVAL}", lambda each: coefficient(each.rival_r)),
        (f"r {REFERENCE}", lambda each: coefficient(each.reference_r)),
        ("|r| differs by", lambda each: coefficient(each.strength, each.strength_ci)),
        ("<the claim", lambda each: WORDS[each.outcome]),
        ("<signed test", lambda each: WORDS[each.as_tested]),
        ("published r", lambda each: " / ".join(f"{r:.2f}" for r in each.published or ())),
    )
    cells = {((each.measure,), each.trait, each.filter): coefficient(each.r, each.ci) for each in study.correlations}
    measures = [(measure,) for measure in study.measures]
    tables = [claim, *(_trait_table("correlation", ("measure",), measures, traits, cells) for traits in VERSIONS)]
    differences = {
        ((each.first, each.second), each.trait, each.filter): coefficient(each.difference, each.ci)
        for each in study.pairs
    }
    pairs = [pair for pair in combinations(study.measures, 2) if every_pair or REFERENCE in pair]
    tables += [
        _trait_table("r(first) minus r(second)", ("first", "second"), pairs, traits, differences)
        for traits in VERSIONS[: 2 if every_pair else 1]
    ]
    if len(study.measures) > 1:
        rows: dict[str, dict[str, str]] = {measure: {} for measure in study.measures}
        for each in study.between:
            if each.filter == "none":
                rows[each.first][each.second] = rows[each.second][each.first] = coefficient(each.r)
        tables.append(grid_of("correlation between measures", rows, "all dialogues", study.measures))
    signs = table_of(
        "correlations whose sign the published filter changes",
        study.sign_changes,
        "<trait | <measure",
        (FILTER_WORDS["none"], "none:coefficient"),
        (FILTER_WORDS["published"], "published:coefficient"),
    )
    return [table for table in (*tables, signs) if table.rows]


def long_table(studies: Sequence[BiasStudy], pairs: bool = False) -> Table:
    """Return a machine-readable table with one row per correlation, or per pair."""
    records = [
        {**asdict(each), "system": study.system}
        for study in studies
        for each in (study.pairs if pairs else study.correlations)
    ]
    return records_table(records, ("system", *(_PAIR if pairs else _CORRELATION)))


_CORRELATION = ("trait", "measure", "filter", "partner", "r", "ci", "n", "unscored", "reason")
_PAIR = (
    *("trait", "first", "second", "filter", "first_r", "second_r"),
    *("difference", "ci", "strength", "strength_ci", "n", "unscored", "reason"),
)


def bias_charts(studies: Sequence[BiasStudy]) -> Iterator[Chart]:
    """Yield for every study and measure a scatter plot over each trait, and the grid of both traits."""
    words = {trait: f"{TRAITS[trait]} ({trait})" for trait in VERSIONS[0]}
    for study, measure in ((each, measure) for each in studies for measure in each.measures):
        stem = slug(f"{study.system}-{measure}")
        values = [row.values[measure] for row in study.rows]
        columns = {trait: [row.traits[trait] for row in study.rows] for trait in VERSIONS[0]}
        names = [row.dialogue if study.system == row.system else f"{row.system}: {row.dialogue}" for row in study.rows]
        found = {each.trait: each for each in study.correlations if (each.measure, each.filter) == (measure, "none")}
        for trait, column in columns.items():
            correlation = found[trait]
            yield Chart(
                f"{stem}-{trait.lower()}",
                f"{study.system}: does {measure} depend on {trait}?",
                SCATTER,
                list(zip(names, column, values, strict=True)),
                ("dialogue", words[trait], measure),
                options=ChartOptions(Estimate(*point(correlation.r, correlation.ci)), correlation.reason or ""),
            )
        (first, across), (second, upward) = columns.items()
        title = f"{study.system}: {measure} by {first} and {second}"
        frame = trait_frame(zip(across, upward, values, strict=True), words[first], words[second], measure)
        yield Chart(f"{stem}-grid", title, TRAIT_GRID, **frame)
