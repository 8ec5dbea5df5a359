"""A few-shot study as tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from msgspec.structs import replace

from ..core.comparability import joint_signature
from ..studies.curve import MEAN, POOLED, Curve, CurveEstimate, CurvePoint, CurveTrend, DomainTable, Kind
from .chart_files import Chart, slug
from .charts import data
from .charts.bars import BARS
from .charts.data import ChartOptions
from .charts.lines import SHARES
from .tables import Table, highest, interval, percent, records_table, signed, table_of


def tables_of(curve: Curve) -> Iterator[Table]:
    """Yield all non-empty tables in the order of printing."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        trends = [trend for trend in curve.trends if trend.domain == domain]
        yield from _point_tables(curve, points, f", domain {domain}" if domain else "")
        if trends:
            yield _trend_table(trends, curve, f", domain {domain}" if domain else "")
    for table in curve.tables:
        yield from _domain_tables(curve, table)


def share(ratio: float | None) -> str:
    """Format a share of training data.

    Example:
        >>> share(0.05), share(0), share(None)
        ('0.05', '0', '–')
    """
    return "–" if ratio is None else f"{ratio:g}"


def _point_tables(curve: Curve, points: Sequence[CurvePoint], about: str) -> Iterator[Table]:
    """Yield the values of one domain, then their intervals and their differences from the reference."""
    measures = list(dict.fromkeys(point.measure for point in points))
    cells = {(point.ratio, point.measure): point for point in points}
    table = table_of(
        f"values by share of training data, mean over seeds{about}",
        dict.fromkeys(point.ratio for point in points),
        ("ratio", share),
        ("seeds", lambda ratio: len(cells[ratio, measures[0]].seeds)),
        *((name, lambda ratio, name=name: percent(cells[ratio, name].value.value)) for name in measures),
    )
    yield replace(table, best=highest(table.rows, range(2, len(measures) + 2)))
    headings = ("difference", "over seeds", "over dialogues") if curve.reference else ()
    if curve.resampling or curve.reference:
        yield table_of(
            "intervals over seeds and over dialogues"
            + (f", and differences to {curve.reference}" if curve.reference else "")
            + about,
            points,
            "<measure",
            ("ratio", lambda each: share(each.ratio)),
            "value=value.value:percent | over seeds=value.seeds:interval | over dialogues=value.dialogues:interval",
            *(
                (heading, lambda each, at=at: _cells(each.difference)[at] if each.difference else "")
                for at, heading in enumerate(headings)
            ),
        )


def _cells(estimate: CurveEstimate) -> tuple[str, str, str]:
    """Return a difference, and its intervals over seeds and over dialogues."""
    return signed(estimate.value), interval(estimate.seeds), interval(estimate.dialogues)


def _trend_table(trends: Sequence[CurveTrend], curve: Curve, about: str) -> Table:
    """Return the published figure as numbers: the trend of each measure, and of its distance to the reference."""
    unit = "per tenfold training data" if curve.scale == "log" else "per whole training set"
    by_measure = {(trend.measure, trend.of): trend for trend in trends}
    rows = []
    for measure in dict.fromkeys(trend.measure for trend in trends):
        distance = by_measure.get((measure, "distance"))
        cells: tuple[str, ...] = ("", "", "", "")
        if distance:
            cells = (*_cells(distance.slope), distance.verdict if curve.resampling else "")
        rows.append((measure, *_cells(by_measure[measure, "value"].slope), *(cells if curve.reference else ())))
    headings: tuple[str, ...] = ("measure", "slope", "over files", "over dialogues")
    if curve.reference:
        headings += (f"distance to {curve.reference}", "over files", "over dialogues", "with more data it")
    return Table(f"trend in points {unit}{about}", headings, tuple(rows), frozenset(range(1, 7)))


def _domain_tables(curve: Curve, table: DomainTable) -> Iterator[Table]:
    """Yield the values by domain, then their intervals."""
    note = "" if table.ratio is None else ", zero-shot" if table.ratio == 0 else f", ratio {share(table.ratio)}"
    names = (*table.domains, MEAN, POOLED)
    values = table_of(
        f"by domain{note}",
        names,
        ("<domain", str),
        ("dialogues", lambda name: table.domains.get(name, "")),
        *((row.measure, lambda name, row=row: percent(row.of(name).value)) for row in table.rows),
    )
    yield replace(values, best=highest(values.rows[:-2], range(2, len(table.rows) + 2)))
    if curve.resampling:
        yield table_of(
            f"by domain, intervals{note}",
            [(row.measure, name, row.of(name)) for row in table.rows for name in names],
            ("<measure", itemgetter(0)),
            ("<domain", itemgetter(1)),
            ("value", lambda each: percent(each[2].value)),
            ("over seeds", lambda each: interval(each[2].seeds)),
            ("over dialogues", lambda each: interval(each[2].dialogues)),
            ("seeds", lambda each: each[2].n),
        )


def csv_tables(curve: Curve) -> Iterator[Table]:
    """Yield points, trends and domains as machine-readable tables."""
    yield records_table(
        [
            {
                "domain": point.domain or "",
                "ratio": point.ratio,
                "measure": point.measure,
                **_record(point.value),
                **_record(point.difference, "difference"),
                "signature": _signature(curve, point.measure, point.ratio, point.domain),
            }
            for point in curve.points
        ]
    )
    yield records_table(
        [
            {"domain": each.domain or "", "measure": each.measure, "of": each.of, **_record(each.slope, "slope")}
            | {"verdict": each.verdict}
            for each in curve.trends
        ]
    )
    yield records_table(
        [
            {"ratio": table.ratio, "domain": name, "measure": row.measure, **_record(row.of(name))}
            | {"signature": _signature(curve, row.measure, table.ratio, name)}
            for table in curve.tables
            for row in table.rows
            for name in (*table.domains, MEAN, POOLED)
        ]
    )


def _record(estimate: CurveEstimate | None, name: str = "value") -> dict[str, object]:
    prefix = "" if name == "value" else f"{name}_"
    fields = {name: "value", f"{prefix}seeds_ci": "seeds", f"{prefix}dialogues_ci": "dialogues", f"{prefix}n": "n"}
    return {key: getattr(estimate, field, None) for key, field in fields.items()}


def _signature(curve: Curve, measure: str, ratio: float | None, domain: str | None) -> str:
    """Return the joint signature of the files that a number is averaged over."""
    files = [file for file in curve.files if file.entry.ratio == ratio]
    if domain not in (MEAN, POOLED):
        files = [file for file in files if file.entry.domain == domain]
    return joint_signature(
        [score.signature for file in files for score in file.result.scores if score.measure == measure]
    )


def curve_charts(curve: Curve) -> Iterator[Chart]:
    """Yield curves, differences and distances by domain, and bars if domains are compared."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        ending = f"-{slug(domain)}" if domain else ""
        about = f" in {domain}" if domain else ""
        if curve.resampling is not None:
            by_seeds = all(point.value.seeds for point in points)
            over = "seeds" if by_seeds else "dialogues if there is one seed, else over seeds"
            about += f"; {100 * curve.resampling.confidence:g} % intervals over {over}"
        title = f"Measures with little training data{about}"
        yield Chart(f"curve{ending}", title, SHARES, _rows(points, "value"))
        if curve.reference and (differences := _rows(points, "difference")):
            reference, title = curve.reference, f"Difference of measures from {curve.reference}{about}"
            yield Chart(f"difference{ending}", title, SHARES, differences, options=ChartOptions(reference=reference))
            distances, label = _rows(points, "distance"), f"absolute difference to {reference}"
            yield Chart(f"distance{ending}", title, SHARES, distances, y_label=label)
    for table in curve.tables:
        names = (*table.domains, MEAN, POOLED)
        rows = [(name, row.measure, *_estimate(row.of(name))) for name in names for row in table.rows]
        ending = "" if len(curve.tables) == 1 else f"-ratio-{share(table.ratio)}"
        yield Chart(f"domains{ending}", "Measures by domain", BARS, rows)


def _rows(points: list[CurvePoint], kind: Kind) -> list[tuple[Any, ...]]:
    """Return the estimates by measure and share."""
    return [
        (measure, each.ratio, *_estimate(estimate))
        for measure in dict.fromkeys(each.measure for each in points)
        for each in sorted((each for each in points if each.ratio is not None), key=attrgetter("ratio"))
        if each.measure == measure and (estimate := getattr(each, kind)) is not None
    ]


def _estimate(estimate: CurveEstimate) -> tuple[float | None, ...]:
    """Return the value with its interval over seeds; with one seed, over dialogues."""
    return data.point(estimate.value, estimate.seeds or estimate.dialogues)
