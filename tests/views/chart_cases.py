"""Data for charts: typical, empty, missing, constant, single and large."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dialmeter.views.chart_files import Chart
from dialmeter.views.charts import canvas, points
from dialmeter.views.charts.bars import BARS, MISTAKES, mistake_rows
from dialmeter.views.charts.data import ChartOptions, Estimate
from dialmeter.views.charts.grid import TRAIT_GRID, VALUES, trait_frame, value_rows
from dialmeter.views.charts.lines import SHARES, SQUARE, TURNS
from dialmeter.views.charts.points import SCATTER

MEASURES = ["JGA", "SA", "AGA", "RSA", "FGA(lam=0.5)", "GCA"]
SYSTEMS = ["SOM-DST", "TripPy", "TRADE", "copy-previous"]
JGA = "share of turns exactly right (JGA)"
TO, NU = "tail-orientedness of mistakes", "non-uniformity of mistakes"
KINDS = [(kind, age) for kind in ("missed", "wrong", "extra") for age in ("new", "carried-over")]
nan = float("nan")


def estimate(value: float, half: float = 0.02) -> Estimate:
    return Estimate(value, value - half, value + half)


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).random(shape)


def scores(systems: list[str], measures: list[str]) -> dict[str, dict[str, float]]:
    values = numbers(1, len(systems), len(measures)).round(3)
    return {system: dict(zip(measures, row, strict=True)) for system, row in zip(systems, values.tolist(), strict=True)}


def with_intervals(plain: dict[str, dict[Any, float]]) -> dict[str, dict[Any, Estimate]]:
    return {system: {key: estimate(value) for key, value in row.items()} for system, row in plain.items()}


def dialogues(n: int) -> list[Any]:
    to, nu, noise = numbers(2, 3, n)
    return [to - 0.5, 2 * nu, np.clip(0.8 - 0.5 * to + 0.2 * noise, 0, 1)]


def curves(shares: list[float]) -> dict[str, dict[float, Estimate]]:
    return {
        measure: {share: estimate((0.5 + 0.08 * index) * share ** (0.3 - 0.05 * index), 0.02) for share in shares}
        for index, measure in enumerate(MEASURES)
    }


def turns(n: int, systems: list[str]) -> dict[str, dict[int, Estimate]]:
    return {
        system: {turn: estimate(max(0.02, 0.95 - 0.06 * index) * 0.93**turn, 0.03) for turn in range(1, n + 1)}
        for index, system in enumerate(systems)
    }


def slots(n: int) -> dict[str, dict[tuple[str, str], int]]:
    sizes = np.random.default_rng(3).integers(0, 120, (n, 6))
    names = ["hotel-area", "hotel-book people", "restaurant-price range", "train-leave at", "taxi-destination"]
    return {
        names[row] if row < len(names) else f"domain-slot {row}": dict(zip(KINDS, counts, strict=True))
        for row, counts in enumerate(sizes.tolist())
    }


def values(n: int) -> dict[tuple[str | None, str | None], int]:
    known = ["centre", "north", "south", "east", "west", "dontcare", None]
    pool = known[:n] if n < 8 else [*known, *(f"value number {each}" for each in range(n))]
    pairs = np.random.default_rng(4).integers(0, len(pool), (n, 2))
    found: dict[tuple[str | None, str | None], int] = {(each, each): 300 for each in pool if each}
    for first, second in pairs.tolist():
        found[pool[first], pool[second]] = found.get((pool[first], pool[second]), 0) + 7
    return found


def many(word: str, n: int = 5000) -> list[str]:
    return [f"{word} {each}" for each in range(n)]


def bar_chart(scores: Any, title: str = "Systems under each measure", **more: Any) -> Chart:
    rows = [(name, key, *point) for name, points in scores.items() for key, point in points.items()]
    return Chart("bars", title, BARS, rows, **more)


def scatter(x: Any, y: Any, labels: tuple[str, str] = (TO, JGA), **options: Any) -> Chart:
    rows = [(str(at), *pair) for at, pair in enumerate(zip(x, y, strict=True), 1)]
    title = "Does the measure depend on the position of mistakes?"
    return Chart("scatter", title, SCATTER, rows, ("dialogue", *labels), options=ChartOptions(**options))


def traits(columns: Any, labels: tuple[str, str, str] = (TO, NU, JGA), bins: int = 6) -> Chart:
    frame = trait_frame(zip(*columns, strict=True), *labels, bins=bins)
    return Chart("grid", "Mean score by two traits of the dialogues", TRAIT_GRID, **frame)


def share_chart(
    scores: Any, reference: str = "", title: str = "Measures with little training data", **more: Any
) -> Chart:
    rows = [(name, key, *points[key]) for name, points in scores.items() for key in sorted(points)]
    if reference:
        title = "Differences between measures with little training data"
    return Chart("shares", title, SHARES, rows, options=ChartOptions(reference=reference or ""), **more)


def square_chart(judges: Any, y_label: str = "share") -> Chart:
    rows = [(name, x, *point) for name, points in judges.items() for x, point in points.items()]
    return Chart("square", "Are the probabilities right?", SQUARE, rows, x_label="mean probability", y_label=y_label)


def turn_chart(scores: Any, dialogues: dict[int, int], y_label: str = JGA) -> Chart:
    rows = [
        (name, turn, *point, dialogues.get(turn)) for name, points in scores.items() for turn, point in points.items()
    ]
    return Chart("turns", "Score by turn", TURNS, rows, y_label=y_label)


def mistake_chart(counts: Any, **more: Any) -> Chart:
    return Chart("mistakes", "Mistakes per slot", MISTAKES, mistake_rows(counts), **more)


def value_chart(pairs: Any, slot: str = "hotel-area", **more: Any) -> Chart:
    return Chart("values", f"Gold and predicted values: {slot}", VALUES, value_rows(pairs), **more)


Case = Callable[[], Any]
CHARTS: dict[str, dict[str, Callable[[], Chart]]] = {
    "bars": {
        "typical": lambda: bar_chart(with_intervals(scores(SYSTEMS, MEASURES)), y_label=JGA),
        "empty": lambda: bar_chart({}),
        "missing": lambda: bar_chart({"a": {"JGA": Estimate(None), "SA": Estimate(0.5, nan, None)}}),
        "nothing": lambda: bar_chart({"a": {"JGA": Estimate(None)}}),
        "single": lambda: bar_chart({"a": {"JGA": Estimate(0.5, 0.6, 0.7)}}),
        "large": lambda: bar_chart(with_intervals(scores(many("system"), MEASURES))),
    },
    "scatter": {
        "typical": lambda: scatter(dialogues(600)[0], dialogues(600)[2]),
        "empty": lambda: scatter([], []),
        "missing": lambda: scatter([0.1, None, nan], [None, 0.5, 0.5]),
        "constant": lambda: scatter([0.1] * 9, [0.5] * 9),
        "single": lambda: scatter([0.1], [0.5]),
        "full": lambda: scatter(*dialogues(points.MAX_POINTS)[1:]),
        "large": lambda: scatter(dialogues(5000)[0], dialogues(5000)[2]),
        "large constant": lambda: scatter([0.0] * 5000, [1.0] * 5000),
    },
    "trait_grid": {
        "typical": lambda: traits(dialogues(600)),
        "empty": lambda: traits([[], [], []]),
        "missing": lambda: traits([[0.1, None], [nan, 0.5], [0.5, 0.5]]),
        "constant": lambda: traits([[0.0] * 9, [0.0] * 9, [1.0] * 9]),
        "single": lambda: traits([[0.1], [0.2], [0.3]]),
        "large": lambda: traits(dialogues(5000), bins=99),
    },
    "few_shot": {
        "typical": lambda: share_chart(curves([0.01, 0.05, 0.1, 0.25, 1.0]), y_label=JGA),
        "zero": lambda: share_chart(curves([0, 0.01, 0.05, 0.1, 1.0]), y_label=JGA),
        "narrow": lambda: share_chart(curves([0.2, 0.3, 0.4]), y_label=JGA),
        "empty": lambda: share_chart({}),
        "missing": lambda: share_chart(
            {"JGA": {0.1: Estimate(None), 0.2: Estimate(0.5, None, 1)}, "SA": {nan: estimate(1)}}
        ),
        "single": lambda: share_chart({"JGA": {0.1: estimate(0.5)}}),
        "large": lambda: share_chart(curves([each / 5000 for each in range(1, 5001)])),
        "many": lambda: share_chart({each: {0.01: estimate(0.5), 1: estimate(0.6)} for each in many("m", 300)}),
    },
    "difference": {
        "typical": lambda: share_chart(curves([0.01, 0.05, 0.1, 0.25, 1.0]), "GCA"),
        "empty": lambda: share_chart({}, "GCA"),
        "missing": lambda: share_chart({"JGA": {0.1: Estimate(nan)}}, "GCA"),
        "single": lambda: share_chart({"JGA": {0.1: estimate(-0.2)}}, "GCA"),
        "large": lambda: share_chart(curves([each / 5000 for each in range(5000)]), "GCA"),
    },
    "square": {
        "typical": lambda: square_chart({"mine": {at / 10: estimate(at / 10, 0.1) for at in range(11)}}),
        "empty": lambda: square_chart({}),
        "missing": lambda: square_chart({"mine": {0.5: Estimate(None), nan: estimate(0.5)}}),
        "single": lambda: square_chart({"mine": {0.5: estimate(0.5)}}),
        "large": lambda: square_chart(
            {each: {at / 500: estimate(at / 500) for at in range(500)} for each in many("m", 30)}
        ),
    },
    "by_turn": {
        "typical": lambda: turn_chart(turns(14, SYSTEMS), {t: 1000 - 70 * t for t in range(1, 15)}),
        "empty": lambda: turn_chart({}, {}),
        "missing": lambda: turn_chart({"a": {1: Estimate(None), 2: Estimate(0.5)}}, {}),
        "single": lambda: turn_chart(turns(1, ["a"]), {1: 1}),
        "large": lambda: turn_chart(turns(5000, SYSTEMS), {t: 5001 - t for t in range(1, 5001)}),
    },
    "error_classes": {
        "typical": lambda: mistake_chart(slots(12)),
        "empty": lambda: mistake_chart({}),
        "zero": lambda: mistake_chart({"hotel-area": {("missed", "new"): 0}}),
        "single": lambda: mistake_chart({"hotel-area": {("missed", "new"): 1}}),
        "large": lambda: mistake_chart(slots(5000)),
    },
    "confusion": {
        "typical": lambda: value_chart(values(7)),
        "empty": lambda: value_chart({}),
        "zero": lambda: value_chart({("a", "b"): 0}),
        "single": lambda: value_chart({("east", None): 1}),
        "large": lambda: value_chart(values(5000)),
    },
}
CASES: dict[str, dict[str, Case]] = {
    chart: {name: lambda make=make: make().draw() for name, make in cases.items()} for chart, cases in CHARTS.items()
}


@cache
def case_svg(chart: str, case: str = "typical") -> str:
    """A case as SVG."""
    return svg(CASES[chart][case]())


def svg(figure: Any) -> str:
    return canvas.render(figure, "svg").decode("utf-8")


def shown(text: str) -> list[str]:
    """The texts of a chart, in order."""
    return ["".join(each.itertext()).strip() for each in ET.fromstring(text).iter() if each.tag.endswith("}text")]


def write_all(folder: Path) -> None:
    figures = {chart: cases["typical"]() for chart, cases in CASES.items()}
    figures["hexagons"] = CASES["scatter"]["large"]()
    for chart, figure in figures.items():
        # One chart in every format: formats differ in how they write, not in what is drawn.
        for kind in canvas.KINDS if chart == "bars" else ("svg",):
            canvas.save(figure, folder / f"{chart}.{kind}")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
