"""Charts put values where they belong, lose nothing when they bin, and their tables hold all of it."""

from __future__ import annotations

import numpy as np
import pytest

from dialmeter.views.chart_files import chart
from dialmeter.views.charts import bars, canvas, grid, lines, points
from dialmeter.views.charts.data import Estimate
from dialmeter.views.html_env import environment
from dialmeter.views.pages.charts import draw_for_page, theme_svg
from dialmeter.views.tables import render

from .chart_cases import (
    CASES,
    GRID,
    MEASURES,
    POINTS,
    SYSTEMS,
    curves,
    dialogues,
    scores,
    slots,
    turns,
    values,
    with_intervals,
)


def test_bars_stand_where_the_values_say() -> None:
    axes = bars.draw({"a": {"JGA": Estimate(0.25, 0.2, 0.4)}, "b": {"SA": Estimate(0.75)}}).axes[0]
    assert [patch.get_height() for patch in axes.patches] == [0.25, 0.75]
    segments = axes.collections[0].get_segments()
    assert [float(y) for _, y in segments[0]] == pytest.approx([0.2, 0.4])
    assert [text.get_text() for text in axes.texts] == ["25.0", "75.0"]


def test_points_are_binned_above_the_limit() -> None:
    few, lots = CASES["scatter"]["full"]().axes[0], CASES["scatter"]["large"]().axes[0]
    assert len(few.collections[0].get_offsets()) == points.MAX_POINTS
    assert lots.collections[0].get_array().sum() == 5000


def test_a_correlation_can_be_given() -> None:
    figure = points.draw([1, 2, 3], [1, 2, 4], correlation=Estimate(0.25, 0.1, 0.4), **POINTS)
    assert "correlation 0.25 [0.10, 0.40], 3 dialogues" in figure.get_suptitle()


def test_binned_means_and_cells_lose_no_dialogue() -> None:
    to, nu, score = dialogues(777)
    found = points.binned_means(to, score)
    assert sum(n for _, _, n in found) == 777
    assert sum(mean.value * n for _, mean, n in found) == pytest.approx(score.sum())
    cells = grid.trait_grid(to, nu, score, bins=5).cells
    assert sum(n for _, n in cells.values()) == 777
    assert sum(mean * n for mean, n in cells.values()) == pytest.approx(score.sum())


@pytest.mark.parametrize("log", [False, True])
def test_the_trend_is_least_squares(log: bool) -> None:
    shares, heights = [0.01, 0.05, 0.2, 1.0], [0.3, 0.1, 0.4, 0.2]
    points = {share: Estimate(height) for share, height in zip(shares, heights, strict=True)}
    x = np.log10(shares) if log else np.array(shares)
    slope, start = np.polyfit(x, heights, 1)
    assert lines.trend({**points, 0.5: Estimate(None)}, log) == [
        (share, pytest.approx(start + slope * at)) for share, at in ((0.01, x[0]), (1.0, x[-1]))
    ]


def test_shares_beyond_a_decade_are_on_a_log_scale() -> None:
    scales = {case: CASES["few_shot"][case]().axes[0].get_xscale() for case in ("typical", "zero", "narrow", "single")}
    assert scales == {"typical": "log", "zero": "symlog", "narrow": "linear", "single": "linear"}


def test_slots_are_ranked_and_the_rest_is_others() -> None:
    axes = bars.draw_mistakes(slots(100)).axes[0]
    names = [text.get_text() for text in axes.get_yticklabels()]
    sums = [int(text.get_text().split()[0].replace(",", "")) for text in axes.texts if text.get_text()[0].isdigit()]
    assert len(names) == 41
    assert names[-1] == "others (60 slots)"
    assert sums[:40] == sorted(sums[:40], reverse=True)
    assert sum(sums) == sum(sum(parts.values()) for parts in slots(100).values())


def test_confusion_keeps_every_count() -> None:
    axes = grid.draw_confusion({**{(f"v{n}", f"v{n + 1}"): 2 for n in range(30)}, ("v1", None): 5}, slot="s").axes[0]
    assert sum(int(text.get_text()) for text in axes.texts) == 65
    assert [text.get_text() for text in axes.get_xticklabels()][-2:] == ["(other)", "(absent)"]


def test_tables_hold_all_data() -> None:
    to, nu, score = dialogues(50)
    tables = {
        "parallel": (lines.parallel_table(scores(SYSTEMS, MEASURES)), 4),
        "bars": (bars.table(with_intervals(scores(SYSTEMS, MEASURES))), 24),
        "scatter": (points.table(to, score, **POINTS), 50),
        "trait_grid": (grid.traits_table(to, nu, score, **GRID), len(grid.trait_grid(to, nu, score).cells)),
        "few_shot": (lines.table(curves([0.1, 1.0])), 12),
        "by_turn": (lines.turns_table(turns(7, SYSTEMS), {1: 5}), 28),
        "error_classes": (bars.mistakes_table(slots(100)), 100),
        "confusion": (grid.confusion_table(values(100)), len(values(100))),
    }
    for name, (table, rows) in tables.items():
        assert len(table.rows) == rows, name
        assert {len(row) for row in table.rows} == {len(table.headings)}
        assert render(table, "csv").startswith(table.headings[0])


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2, 1"):
        points.draw([1, 2], [1], **POINTS)


def test_one_bar_does_not_flatten_the_others() -> None:
    sizes = {"a": Estimate(1), "b": Estimate(3), "c": Estimate(900)}
    axes = bars.draw({"run": sizes}, as_percent=False, y_label="events").axes[0]
    assert axes.get_yscale() == "log"
    shortest, longest = sorted(bar.get_window_extent().height for bar in axes.patches)[:: len(sizes) - 1]
    assert shortest > longest / 20
    assert bars.draw({"run": {"a": Estimate(0.01), "b": Estimate(0.9)}}).axes[0].get_yscale() == "linear"
    spread = bars.draw_spread([0.1] * 2 + [0.5] * 3 + [1.0] * 500, title="JGA", x_label="JGA").axes[0]
    assert spread.get_yscale() == "log"


def test_where_bars_are_stacked_the_table_comes_first() -> None:
    counts = {"inn-area": {("wrong", "new"): 900}, "inn-day": {("missed", "new"): 2}, "inn-name": {("over", "new"): 1}}
    made = chart("mistakes", "Mistakes per slot", bars.draw_mistakes, bars.mistakes_table, counts)
    figure = environment().get_template("macros.html").module.figure  # type: ignore[attr-defined]
    first = figure(draw_for_page(made._replace(table_first=True), 1))
    assert first.index("<figcaption") < first.index("<svg")
    assert "<details open>" in first
    after = figure(draw_for_page(made, 1))
    assert after.index("<svg") < after.index("<figcaption")


def test_marks_that_are_too_small_are_no_links() -> None:
    links = {("run", "tall"): "rows?by=tall", ("run", "low"): "rows?by=low"}
    drawn = bars.draw({"run": {"tall": Estimate(0.9), "low": Estimate(0.001)}}, links=links)
    svg = theme_svg(canvas.render(drawn, "svg"), "c1-", narrowest=496)
    assert "rows?by=tall" in svg
    assert "rows?by=low" not in svg
