"""A few-shot study as tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.comparability import joint_signature
from ..studies.curve.curve import Curve, CurvePoint, CurveTrend, Kind
from ..studies.curve.curve_scores import CurveEstimate
from ..studies.curve.zero_shot import MEAN, POOLED, DomainTable
from .chart_files import Chart, chart, slug
from .charts import bars, data, lines
from .tables import Table, highest, interval, percent, records_table


def tables_of(curve: Curve) -> Iterator[Table]:
    """All tables in the order in which they are printed; none that is empty."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        trends = [trend for trend in curve.trends if trend.domain == domain]
        about = f", domain {domain}" if domain else ""
        yield _values(points, about)
        if curve.resampling or curve.reference:
            yield _intervals(points, curve.reference, about)
        if trends:
            yield _trends(trends, curve, about)
    for table in curve.tables:
        yield _domains(table)
        if curve.resampling:
            yield _domain_intervals(table)


def share(ratio: float | None) -> str:
    """A share of training data.

    Example:
        >>> share(0.05), share(0), share(None)
        ('0.05', '0', '–')
    """
    return "–" if ratio is None else f"{ratio:g}"


def signed(value: float | None) -> str:
    """A difference in percentage points.

    Example:
        >>> signed(0.0123), signed(-0.5), signed(-1e-9), signed(None)
        ('+1.23', '-50.00', '+0.00', '–')
    """
    # Adding zero turns -0.0 into 0.0.
    return "–" if value is None else f"{round(100 * value, 2) + 0.0:+.2f}"


def _values(points: Sequence[CurvePoint], about: str) -> Table:
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


def _intervals(points: Sequence[CurvePoint], reference: str | None, about: str) -> Table:
    compared = ("difference", "over seeds", "over dialogues") if reference else ()
    rows = tuple(
        (
            point.measure,
            share(point.ratio),
            percent(point.value.value),
            *_limits(point.value),
            *(_difference(point.difference) if reference else ()),
        )
        for point in points
    )
    headings = ("measure", "ratio", "value", "over seeds", "over dialogues", *compared)
    against = f", and differences to {reference}" if reference else ""
    return Table(
        f"intervals over seeds and over dialogues{against}{about}", headings, rows, frozenset(range(1, len(headings)))
    )


def _difference(found: CurveEstimate | None) -> tuple[str, ...]:
    return ("", "", "") if found is None else (signed(found.value), *_limits(found))


def _limits(found: CurveEstimate) -> tuple[str, str]:
    return interval(found.seeds), interval(found.dialogues)


def _trends(trends: Sequence[CurveTrend], curve: Curve, about: str) -> Table:
    """The published figure in numbers: does a measure come nearer to the reference with more data?"""
    unit = "per tenfold training data" if curve.scale == "log" else "per whole training set"
    of = {(trend.measure, trend.of): trend for trend in trends}
    rows = []
    for measure in dict.fromkeys(trend.measure for trend in trends):
        own, apart = of[measure, "value"], of.get((measure, "distance"))
        cells: tuple[str, ...] = ("", "", "", "")
        if apart:
            cells = (signed(apart.slope.value), *_limits(apart.slope), apart.verdict if curve.resampling else "")
        rows.append((measure, signed(own.slope.value), *_limits(own.slope), *(cells if curve.reference else ())))
    headings: tuple[str, ...] = ("measure", "slope", "over files", "over dialogues")
    if curve.reference:
        headings += (f"distance to {curve.reference}", "over files", "over dialogues", "with more data it")
    return Table(f"trend in points {unit}{about}", headings, tuple(rows), frozenset(range(1, 7)))


def _domains(table: DomainTable) -> Table:
    measures = [row.measure for row in table.rows]
    rows = [
        (name, str(dialogues), *(percent(row.domains[name].value) for row in table.rows))
        for name, dialogues in table.domains.items()
    ]
    best = highest(rows, range(2, len(measures) + 2))
    rows.append((MEAN, "", *(percent(row.mean.value) for row in table.rows)))
    rows.append((POOLED, "", *(percent(row.pooled.value) for row in table.rows)))
    numeric = frozenset(range(1, len(measures) + 2))
    return Table(f"by domain{_at(table)}", ("domain", "dialogues", *measures), tuple(rows), numeric, best=best)


def _domain_intervals(table: DomainTable) -> Table:
    rows = [
        (row.measure, name, percent(found.value), *_limits(found), str(found.n))
        for row in table.rows
        for name, found in (*row.domains.items(), (MEAN, row.mean), (POOLED, row.pooled))
    ]
    headings = ("measure", "domain", "value", "over seeds", "over dialogues", "seeds")
    return Table(f"by domain, intervals{_at(table)}", headings, tuple(rows), frozenset({2, 3, 4, 5}))


def csv_tables(curve: Curve) -> Iterator[Table]:
    """Points, trends and domains with one number per cell, for other programs."""
    yield records_table(
        [
            {
                "domain": point.domain or "",
                "ratio": point.ratio,
                "measure": point.measure,
                **_numbers(point.value),
                **_numbers(point.difference, "difference"),
                "signature": _signature(curve, point.measure, point.ratio, point.domain),
            }
            for point in curve.points
        ]
    )
    yield records_table(
        [
            {"domain": each.domain or "", "measure": each.measure, "of": each.of, **_numbers(each.slope, "slope")}
            | {"verdict": each.verdict}
            for each in curve.trends
        ]
    )
    yield records_table(
        [
            {"ratio": table.ratio, "domain": name, "measure": row.measure, **_numbers(row.of(name))}
            | {"signature": _signature(curve, row.measure, table.ratio, name)}
            for table in curve.tables
            for row in table.rows
            for name in (*table.domains, MEAN, POOLED)
        ]
    )


def _numbers(found: CurveEstimate | None, name: str = "value") -> dict[str, object]:
    prefix = "" if name == "value" else f"{name}_"
    return {
        name: found.value if found else None,
        f"{prefix}seeds_ci": found.seeds if found else None,
        f"{prefix}dialogues_ci": found.dialogues if found else None,
        f"{prefix}n": found.n if found else None,
    }


def _signature(curve: Curve, measure: str, ratio: float | None, domain: str | None) -> str:
    """Of the files that a number is the mean of."""
    files = [file for file in curve.files if file.entry.ratio == ratio]
    if domain not in (MEAN, POOLED):
        files = [file for file in files if file.entry.domain == domain]
    return joint_signature([score.signature for file in files for score in file.scores if score.measure == measure])


def _at(table: DomainTable) -> str:
    return "" if table.ratio is None else ", zero-shot" if table.ratio == 0 else f", ratio {share(table.ratio)}"


def curve_charts(curve: Curve) -> Iterator[Chart]:
    """Curves, differences and distances by domain, and bars where domains are compared."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        ending = f"-{slug(domain)}" if domain else ""
        about = (f" in {domain}" if domain else "") + _interval_note(curve, points)
        title = f"Measures with little training data{about}"
        yield chart(f"curve{ending}", title, lines.draw, lines.table, _series(points, "value"))
        if curve.reference and (apart := _series(points, "difference")):
            of, title = curve.reference, f"How far measures lie from {curve.reference}{about}"
            yield chart(f"difference{ending}", title, lines.draw_difference, lines.table, apart, reference=of)
            size, label = _series(points, "distance"), f"absolute difference to {of}"
            yield chart(f"distance{ending}", title, lines.draw, lines.table, size, y_label=label)
    for table in curve.tables:
        names = (*table.domains, MEAN, POOLED)
        scores = {name: {row.measure: _drawn(row.of(name)) for row in table.rows} for name in names}
        ending = "" if len(curve.tables) == 1 else f"-ratio-{share(table.ratio)}"
        yield chart(f"domains{ending}", "Measures by domain", bars.draw, bars.table, scores)


def _series(points: list[CurvePoint], kind: Kind) -> dict[str, dict[float, data.HasInterval]]:
    series: dict[str, dict[float, data.HasInterval]] = {}
    for point in points:
        found: CurveEstimate | None = getattr(point, kind)
        if found is not None and point.ratio is not None:
            series.setdefault(point.measure, {})[point.ratio] = _drawn(found)
    return series


def _interval_note(curve: Curve, points: list[CurvePoint]) -> str:
    if curve.resampling is None:
        return ""
    over = (
        "seeds" if all(point.value.seeds for point in points) else "dialogues where there is one seed, else over seeds"
    )
    return f"; {100 * curve.resampling.confidence:g} % intervals over {over}"


def _drawn(found: CurveEstimate) -> data.Estimate:
    """With the interval over seeds; over dialogues where there is one seed."""
    low, high = found.seeds or found.dialogues or (None, None)
    return data.Estimate(found.value, low, high)
