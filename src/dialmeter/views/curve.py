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
from .tables import Table, highest, interval, percent, records_table, table_of


def tables_of(curve: Curve) -> Iterator[Table]:
    """Yield all non-empty tables in the order of printing."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        trends = [trend for trend in curve.trends if trend.domain == domain]
        about = f", domain {domain}" if domain else ""
        yield _value_table(points, about)
        if curve.resampling or curve.reference:
            yield _interval_table(points, curve.reference, about)
        if trends:
            yield _trend_table(trends, curve, about)
    for table in curve.tables:
        yield _domain_table(table)
        if curve.resampling:
            yield _domain_interval_table(table)


def share(ratio: float | None) -> str:
    """Format a share of training data.

    Example:
        >>> share(0.05), share(0), share(None)
        ('0.05', '0', '–')
    """
    return "–" if ratio is None else f"{ratio:g}"


def signed(value: float | None) -> str:
    """Format a difference in percentage points.

    Example:
        >>> signed(0.0123), signed(-0.5), signed(-1e-9), signed(None)
        ('+1.23', '-50.00', '+0.00', '–')
    """
    # Adding zero turns -0.0 into 0.0.
    return "–" if value is None else f"{round(100 * value, 2) + 0.0:+.2f}"


def _value_table(points: Sequence[CurvePoint], about: str) -> Table:
    measures = list(dict.fromkeys(point.measure for point in points))
    cells = {(point.ratio, point.measure): point for point in points}
    table = table_of(
        f"values by share of training data, mean over seeds{about}",
        dict.fromkeys(point.ratio for point in points),
        ("ratio", share),
        ("seeds", lambda ratio: len(cells[ratio, measures[0]].seeds)),
        *((name, lambda ratio, name=name: percent(cells[ratio, name].value.value)) for name in measures),
    )
    return replace(table, best=highest(table.rows, range(2, len(measures) + 2)))


def _interval_table(points: Sequence[CurvePoint], reference: str | None, about: str) -> Table:
    differences = (
        ("difference", lambda each: _difference_cells(each.difference)[0]),
        ("over seeds", lambda each: _difference_cells(each.difference)[1]),
        ("over dialogues", lambda each: _difference_cells(each.difference)[2]),
    )
    against = f", and differences to {reference}" if reference else ""
    return table_of(
        f"intervals over seeds and over dialogues{against}{about}",
        points,
        "<measure",
        ("ratio", lambda each: share(each.ratio)),
        "value=value.value:percent | over seeds=value.seeds:interval | over dialogues=value.dialogues:interval",
        *(differences if reference else ()),
    )


def _difference_cells(estimate: CurveEstimate | None) -> tuple[str, ...]:
    return ("", "", "") if estimate is None else (signed(estimate.value), *_interval_cells(estimate))


def _interval_cells(estimate: CurveEstimate) -> tuple[str, str]:
    return interval(estimate.seeds), interval(estimate.dialogues)


def _trend_table(trends: Sequence[CurveTrend], curve: Curve, about: str) -> Table:
    """Return the published figure as numbers: the trend of each measure, and of its distance to the reference."""
    unit = "per tenfold training data" if curve.scale == "log" else "per whole training set"
    by_measure = {(trend.measure, trend.of): trend for trend in trends}
    rows = []
    for measure in dict.fromkeys(trend.measure for trend in trends):
        own, distance = by_measure[measure, "value"], by_measure.get((measure, "distance"))
        cells: tuple[str, ...] = ("", "", "", "")
        if distance:
            cells = (
                signed(distance.slope.value),
                *_interval_cells(distance.slope),
                distance.verdict if curve.resampling else "",
            )
        rows.append(
            (measure, signed(own.slope.value), *_interval_cells(own.slope), *(cells if curve.reference else ()))
        )
    headings: tuple[str, ...] = ("measure", "slope", "over files", "over dialogues")
    if curve.reference:
        headings += (f"distance to {curve.reference}", "over files", "over dialogues", "with more data it")
    return Table(f"trend in points {unit}{about}", headings, tuple(rows), frozenset(range(1, 7)))


def _domain_table(table: DomainTable) -> Table:
    measures = [row.measure for row in table.rows]
    rows = [
        (name, str(dialogues), *(percent(row.domains[name].value) for row in table.rows))
        for name, dialogues in table.domains.items()
    ]
    best = highest(rows, range(2, len(measures) + 2))
    rows.append((MEAN, "", *(percent(row.mean.value) for row in table.rows)))
    rows.append((POOLED, "", *(percent(row.pooled.value) for row in table.rows)))
    numeric = frozenset(range(1, len(measures) + 2))
    return Table(f"by domain{_ratio_note(table)}", ("domain", "dialogues", *measures), tuple(rows), numeric, best=best)


def _domain_interval_table(table: DomainTable) -> Table:
    return table_of(
        f"by domain, intervals{_ratio_note(table)}",
        [
            (row.measure, name, estimate)
            for row in table.rows
            for name, estimate in (*row.domains.items(), (MEAN, row.mean), (POOLED, row.pooled))
        ],
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


def _ratio_note(table: DomainTable) -> str:
    return "" if table.ratio is None else ", zero-shot" if table.ratio == 0 else f", ratio {share(table.ratio)}"


def curve_charts(curve: Curve) -> Iterator[Chart]:
    """Yield curves, differences and distances by domain, and bars if domains are compared."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        ending = f"-{slug(domain)}" if domain else ""
        about = (f" in {domain}" if domain else "") + _interval_note(curve, points)
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


def _interval_note(curve: Curve, points: list[CurvePoint]) -> str:
    if curve.resampling is None:
        return ""
    over = "seeds" if all(point.value.seeds for point in points) else "dialogues if there is one seed, else over seeds"
    return f"; {100 * curve.resampling.confidence:g} % intervals over {over}"


def _estimate(estimate: CurveEstimate) -> tuple[float | None, ...]:
    """Return the value with its interval over seeds; with one seed, over dialogues."""
    return data.point(estimate.value, estimate.seeds or estimate.dialogues)
