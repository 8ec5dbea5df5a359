"""Data for charts: typical, empty, missing, constant, single and large."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dialmeter.stats import Interval
from dialmeter.views.charts import bars, canvas, grid, lines, points
from dialmeter.views.charts.data import Estimate

MEASURES = ["JGA", "SA", "AGA", "RSA", "FGA(lam=0.5)", "GCA"]
SYSTEMS = ["SOM-DST", "TripPy", "TRADE", "copy-previous"]
JGA = "share of turns exactly right (JGA)"
TO, NU = "tail-orientedness of mistakes", "non-uniformity of mistakes"
KINDS = [(kind, age) for kind in ("missed", "wrong", "over") for age in ("new", "carried-over")]
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


Case = Callable[[], Any]
GRID = {"x_label": TO, "y_label": NU, "score_label": JGA}
POINTS = {"x_label": TO, "y_label": JGA}
CASES: dict[str, dict[str, Case]] = {
    "parallel": {
        "typical": lambda: lines.draw_parallel(scores(SYSTEMS, MEASURES)),
        "empty": lambda: lines.draw_parallel({}),
        "missing": lambda: lines.draw_parallel({"a": {"JGA": None, "SA": 0.5}, "b": {"JGA": nan, "SA": 0.5}}),
        "single": lambda: lines.draw_parallel({"a": {"JGA": 0.5}}),
        "large": lambda: lines.draw_parallel(scores(many("system"), MEASURES)),
    },
    "bars": {
        "typical": lambda: bars.draw(with_intervals(scores(SYSTEMS, MEASURES)), y_label=JGA),
        "empty": lambda: bars.draw({}),
        "missing": lambda: bars.draw({"a": {"JGA": Estimate(None), "SA": Estimate(0.5, nan, None)}, "b": {}}),
        "nothing": lambda: bars.draw({"a": {"JGA": Estimate(None)}}),
        "single": lambda: bars.draw({"a": {"JGA": Interval(0.5, 0.6, 0.7, n=3)}}),
        "large": lambda: bars.draw(with_intervals(scores(many("system"), MEASURES))),
    },
    "scatter": {
        "typical": lambda: points.draw(dialogues(600)[0], dialogues(600)[2], **POINTS),
        "empty": lambda: points.draw([], [], **POINTS),
        "missing": lambda: points.draw([0.1, None, nan], [None, 0.5, 0.5], **POINTS),
        "constant": lambda: points.draw([0.1] * 9, [0.5] * 9, **POINTS),
        "single": lambda: points.draw([0.1], [0.5], **POINTS),
        "full": lambda: points.draw(*dialogues(points.MAX_POINTS)[1:], **POINTS),
        "large": lambda: points.draw(dialogues(5000)[0], dialogues(5000)[2], **POINTS),
        "large constant": lambda: points.draw([0.0] * 5000, [1.0] * 5000, **POINTS),
    },
    "trait_grid": {
        "typical": lambda: grid.draw_traits(*dialogues(600), **GRID),
        "empty": lambda: grid.draw_traits([], [], [], **GRID),
        "missing": lambda: grid.draw_traits([0.1, None], [nan, 0.5], [0.5, 0.5], **GRID),
        "constant": lambda: grid.draw_traits([0.0] * 9, [0.0] * 9, [1.0] * 9, **GRID),
        "single": lambda: grid.draw_traits([0.1], [0.2], [0.3], **GRID),
        "large": lambda: grid.draw_traits(*dialogues(5000), bins=99, **GRID),
    },
    "few_shot": {
        "typical": lambda: lines.draw(curves([0.01, 0.05, 0.1, 0.25, 1.0]), y_label=JGA),
        "zero": lambda: lines.draw(curves([0, 0.01, 0.05, 0.1, 1.0]), y_label=JGA),
        "narrow": lambda: lines.draw(curves([0.2, 0.3, 0.4]), y_label=JGA),
        "empty": lambda: lines.draw({}),
        "missing": lambda: lines.draw(
            {"JGA": {0.1: Estimate(None), 0.2: Estimate(0.5, None, 1)}, "SA": {nan: estimate(1)}}
        ),
        "single": lambda: lines.draw({"JGA": {0.1: estimate(0.5)}}),
        "large": lambda: lines.draw(curves([each / 5000 for each in range(1, 5001)])),
        "many": lambda: lines.draw({each: {0.01: estimate(0.5), 1: estimate(0.6)} for each in many("m", 300)}),
    },
    "difference": {
        "typical": lambda: lines.draw_difference(curves([0.01, 0.05, 0.1, 0.25, 1.0])),
        "empty": lambda: lines.draw_difference({}),
        "missing": lambda: lines.draw_difference({"JGA": {0.1: Estimate(nan)}}),
        "single": lambda: lines.draw_difference({"JGA": {0.1: estimate(-0.2)}}),
        "large": lambda: lines.draw_difference(curves([each / 5000 for each in range(5000)])),
    },
    "by_turn": {
        "typical": lambda: lines.draw_turns(turns(14, SYSTEMS), {t: 1000 - 70 * t for t in range(1, 15)}, y_label=JGA),
        "empty": lambda: lines.draw_turns({}, {}, y_label=JGA),
        "missing": lambda: lines.draw_turns({"a": {1: Estimate(None), 2: Estimate(0.5)}, "b": {}}, {}, y_label=JGA),
        "single": lambda: lines.draw_turns(turns(1, ["a"]), {1: 1}, y_label=JGA),
        "large": lambda: lines.draw_turns(turns(5000, SYSTEMS), {t: 5001 - t for t in range(1, 5001)}, y_label=JGA),
    },
    "error_classes": {
        "typical": lambda: bars.draw_mistakes(slots(12)),
        "empty": lambda: bars.draw_mistakes({}),
        "zero": lambda: bars.draw_mistakes({"hotel-area": {("missed", "new"): 0}}),
        "single": lambda: bars.draw_mistakes({"hotel-area": {("missed", "new"): 1}}),
        "large": lambda: bars.draw_mistakes(slots(5000)),
    },
    "confusion": {
        "typical": lambda: grid.draw_confusion(values(7), slot="hotel-area"),
        "empty": lambda: grid.draw_confusion({}, slot="hotel-area"),
        "zero": lambda: grid.draw_confusion({("a", "b"): 0}, slot="hotel-area"),
        "single": lambda: grid.draw_confusion({("east", None): 1}, slot="hotel-area"),
        "large": lambda: grid.draw_confusion(values(5000), slot="hotel-area"),
    },
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
