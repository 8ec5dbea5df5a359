"""A few-shot study as tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.comparability import joint_signature
from ..studies.curve import MEAN, POOLED, Curve, CurveEstimate, CurvePoint, CurveTrend, DomainTable, Kind
from .chart_files import Chart, chart, slug
from .charts import bars, data, lines
from .tables import Table, highest, interval, percent, records_table


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
    rows = tuple(
        (
            share(ratio),
            str(len(cells[ratio, measures[0]].seeds)),
            *(percent(cells[ratio, measure].value.value) for measure in measures),
        )
        for ratio in dict.fromkeys(point.ratio for point in points)
    )
    title = f"values by share of training data, mean over seeds{about}"
    columns = range(2, len(measures) + 2)
    headings = ("ratio", "seeds", *measures)
    return Table(title, headings, rows, frozenset((0, 1, *columns)), best=highest(rows, columns))


def _interval_table(points: Sequence[CurvePoint], reference: str | None, about: str) -> Table:
    compared = ("difference", "over seeds", "over dialogues") if reference else ()
    rows = tuple(
        (
            point.measure,
            share(point.ratio),
            percent(point.value.value),
            *_interval_cells(point.value),
            *(_difference_cells(point.difference) if reference else ()),
        )
        for point in points
    )
    headings = ("measure", "ratio", "value", "over seeds", "over dialogues", *compared)
    against = f", and differences to {reference}" if reference else ""
    return Table(
        f"intervals over seeds and over dialogues{against}{about}", headings, rows, frozenset(range(1, len(headings)))
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
    rows = [
        (row.measure, name, percent(estimate.value), *_interval_cells(estimate), str(estimate.n))
        for row in table.rows
        for name, estimate in (*row.domains.items(), (MEAN, row.mean), (POOLED, row.pooled))
    ]
    headings = ("measure", "domain", "value", "over seeds", "over dialogues", "seeds")
    return Table(f"by domain, intervals{_ratio_note(table)}", headings, tuple(rows), frozenset({2, 3, 4, 5}))


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
    return {
        name: estimate.value if estimate else None,
        f"{prefix}seeds_ci": estimate.seeds if estimate else None,
        f"{prefix}dialogues_ci": estimate.dialogues if estimate else None,
        f"{prefix}n": estimate.n if estimate else None,
    }


def _signature(curve: Curve, measure: str, ratio: float | None, domain: str | None) -> str:
    """Return the joint signature of the files that a number is averaged over."""
    files = [file for file in curve.files if file.entry.ratio == ratio]
    if domain not in (MEAN, POOLED):
        files = [file for file in files if file.entry.domain == domain]
    return joint_signature([score.signature for file in files for score in file.scores if score.measure == measure])


def _ratio_note(table: DomainTable) -> str:
    return "" if table.ratio is None else ", zero-shot" if table.ratio == 0 else f", ratio {share(table.ratio)}"


def curve_charts(curve: Curve) -> Iterator[Chart]:
    """Yield curves, differences and distances by domain, and bars if domains are compared."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        ending = f"-{slug(domain)}" if domain else ""
        about = (f" in {domain}" if domain else "") + _interval_note(curve, points)
        title = f"Measures with little training data{about}"
        yield chart(f"curve{ending}", title, lines.draw, lines.table, _series(points, "value"))
        if curve.reference and (differences := _series(points, "difference")):
            reference, title = curve.reference, f"Difference of measures from {curve.reference}{about}"
            yield chart(
                f"difference{ending}", title, lines.draw_difference, lines.table, differences, reference=reference
            )
            distances, label = _series(points, "distance"), f"absolute difference to {reference}"
            yield chart(f"distance{ending}", title, lines.draw, lines.table, distances, y_label=label)
    for table in curve.tables:
        names = (*table.domains, MEAN, POOLED)
        scores = {name: {row.measure: _estimate(row.of(name)) for row in table.rows} for name in names}
        ending = "" if len(curve.tables) == 1 else f"-ratio-{share(table.ratio)}"
        yield chart(f"domains{ending}", "Measures by domain", bars.draw, bars.table, scores)


def _series(points: list[CurvePoint], kind: Kind) -> dict[str, dict[float, data.HasInterval]]:
    series: dict[str, dict[float, data.HasInterval]] = {}
    for point in points:
        estimate: CurveEstimate | None = getattr(point, kind)
        if estimate is not None and point.ratio is not None:
            series.setdefault(point.measure, {})[point.ratio] = _estimate(estimate)
    return series


def _interval_note(curve: Curve, points: list[CurvePoint]) -> str:
    if curve.resampling is None:
        return ""
    over = "seeds" if all(point.value.seeds for point in points) else "dialogues if there is one seed, else over seeds"
    return f"; {100 * curve.resampling.confidence:g} % intervals over {over}"


def _estimate(estimate: CurveEstimate) -> data.Estimate:
    """Return the value with its interval over seeds; with one seed, over dialogues."""
    low, high = estimate.seeds or estimate.dialogues or (None, None)
    return data.Estimate(estimate.value, low, high)
