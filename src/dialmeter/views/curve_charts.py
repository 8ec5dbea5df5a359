"""The pictures of a few-shot study: curves, differences to the reference, and bars by domain; each also as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from ..studies.curve.curve import Curve, Kind, Point
from ..studies.curve.curve_scores import CurveEstimate
from ..studies.curve.zero_shot import MEAN, POOLED
from .chart_files import Chart, slug
from .charts import bars, data
from .charts import lines as few_shot
from .curve import share


def curve_charts(curve: Curve) -> Iterator[Chart]:
    """Curves, differences and distances by domain, and bars where domains are compared."""
    for domain in dict.fromkeys(point.domain for point in curve.points):
        points = [point for point in curve.points if point.domain == domain]
        ending = f"-{slug(domain)}" if domain else ""
        about = (f" in {domain}" if domain else "") + _intervals(curve, points)
        series = _series(points, "value")
        figure = few_shot.draw(series, title=f"Measures with little training data{about}")
        yield Chart(f"curve{ending}", figure, few_shot.table(series))
        if curve.reference and (apart := _series(points, "difference")):
            title = f"How far measures lie from {curve.reference}{about}"
            figure = few_shot.draw_difference(apart, reference=curve.reference, title=title)
            yield Chart(f"difference{ending}", figure, few_shot.table(apart))
            size = _series(points, "distance")
            figure = few_shot.draw(size, title=title, y_label=f"absolute difference to {curve.reference}")
            yield Chart(f"distance{ending}", figure, few_shot.table(size))
    for table in curve.tables:
        names = (*table.domains, MEAN, POOLED)
        scores = {name: {row.measure: _drawn(row.of(name)) for row in table.rows} for name in names}
        ending = "" if len(curve.tables) == 1 else f"-ratio-{share(table.ratio)}"
        yield Chart(f"domains{ending}", bars.draw(scores, title="Measures by domain"), bars.table(scores))


def _series(points: list[Point], kind: Kind) -> dict[str, dict[float, data.HasInterval]]:
    series: dict[str, dict[float, data.HasInterval]] = {}
    for point in points:
        found: CurveEstimate | None = getattr(point, kind)
        if found is not None and point.ratio is not None:
            series.setdefault(point.measure, {})[point.ratio] = _drawn(found)
    return series


def _intervals(curve: Curve, points: list[Point]) -> str:
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
