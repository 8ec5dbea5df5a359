"""Charts put values where they belong, lose nothing when they bin, and their tables hold all of it."""

from __future__ import annotations

import numpy as np
import pytest

from dialmeter.views.chart_files import Chart
from dialmeter.views.charts import canvas, lines, points
from dialmeter.views.charts.bars import SPREAD
from dialmeter.views.charts.data import Estimate, count_per_bin
from dialmeter.views.html_env import environment
from dialmeter.views.pages.charts import draw_for_page, theme_svg
from dialmeter.views.tables import render

from .chart_cases import (
    CASES,
    MEASURES,
    SYSTEMS,
    bar_chart,
    curves,
    dialogues,
    mistake_chart,
    scatter,
    scores,
    share_chart,
    slots,
    traits,
    turn_chart,
    turns,
    value_chart,
    values,
    with_intervals,
)


def test_bar_positions() -> None:
    axes = bar_chart({"a": {"JGA": Estimate(0.25, 0.2, 0.4)}, "b": {"SA": Estimate(0.75)}}).draw().axes[0]
    assert [patch.get_height() for patch in axes.patches] == [0.25, 0.75]
    segments = axes.collections[0].get_segments()
    assert [float(y) for _, y in segments[0]] == pytest.approx([0.2, 0.4])
    assert [text.get_text() for text in axes.texts] == ["25.0", "75.0"]


def test_points_binned() -> None:
    few, lots = CASES["scatter"]["full"]().axes[0], CASES["scatter"]["large"]().axes[0]
    assert len(few.collections[0].get_offsets()) == points.MAX_POINTS
    assert lots.collections[0].get_array().sum() == 5000


def test_correlation_can_be_given() -> None:
    figure = scatter([1, 2, 3], [1, 2, 4], correlation=Estimate(0.25, 0.1, 0.4)).draw()
    assert "correlation 0.25 [0.10, 0.40], 3 dialogues" in figure.get_suptitle()


def test_binned_means_and_cells() -> None:
    to, nu, score = dialogues(777)
    found = points.binned_means(to, score)
    assert sum(n for _, _, n in found) == 777
    assert sum(mean.value * n for _, mean, n in found) == pytest.approx(score.sum())
    cells = traits((to, nu, score), bins=5).rows
    assert sum(n for *_, n in cells) == 777
    assert sum(mean * n for *_, mean, n in cells) == pytest.approx(score.sum())


@pytest.mark.parametrize("log", [False, True])
def test_trend_is_least_squares(log: bool) -> None:
    shares, heights = [0.01, 0.05, 0.2, 1.0], [0.3, 0.1, 0.4, 0.2]
    points = {share: Estimate(height) for share, height in zip(shares, heights, strict=True)}
    x = np.log10(shares) if log else np.array(shares)
    slope, start = np.polyfit(x, heights, 1)
    assert lines.trend({**points, 0.5: Estimate(None)}, log) == [
        (share, pytest.approx(start + slope * at)) for share, at in ((0.01, x[0]), (1.0, x[-1]))
    ]


def test_log_scale_of_shares() -> None:
    scales = {case: CASES["few_shot"][case]().axes[0].get_xscale() for case in ("typical", "zero", "narrow", "single")}
    assert scales == {"typical": "log", "zero": "symlog", "narrow": "linear", "single": "linear"}


def test_slots_ranked_with_others() -> None:
    axes = mistake_chart(slots(100)).draw().axes[0]
    names = [text.get_text() for text in axes.get_yticklabels()]
    sums = [int(text.get_text().split()[0].replace(",", "")) for text in axes.texts if text.get_text()[0].isdigit()]
    assert len(names) == 41
    assert names[-1] == "others (60 slots)"
    assert sums[:40] == sorted(sums[:40], reverse=True)
    assert sum(sums) == sum(sum(parts.values()) for parts in slots(100).values())


def test_confusion_keeps_every_count() -> None:
    pairs = {**{(f"v{n}", f"v{n + 1}"): 2 for n in range(30)}, ("v1", None): 5}
    axes = value_chart(pairs).draw().axes[0]
    assert sum(int(text.get_text()) for text in axes.texts) == 65
    assert [text.get_text() for text in axes.get_xticklabels()][-2:] == ["(other)", "(absent)"]


def test_tables_hold_all_data() -> None:
    to, nu, score = dialogues(50)
    charts = [
        (bar_chart(with_intervals(scores(SYSTEMS, MEASURES))), 24),
        (scatter(to, score), 50),
        (traits((to, nu, score)), len(traits((to, nu, score)).rows)),
        (share_chart(curves([0.1, 1.0])), 12),
        (turn_chart(turns(7, SYSTEMS), {1: 5}), 28),
        (mistake_chart(slots(100)), 100),
        (value_chart(values(100)), len(values(100))),
    ]
    for chart, rows in charts:
        assert len(chart.table.rows) == rows, chart.name
        assert {len(row) for row in chart.table.rows} == {len(chart.table.headings)}
        assert render(chart.table, "csv").startswith(chart.table.headings[0])


def test_cells_of_tables() -> None:
    texts = [
        bar_chart({"SOM-DST": {"JGA": Estimate(0.52, 0.50, 0.54)}}),
        share_chart({"JGA": {0.1: Estimate(0.5, 0.4, 0.6)}}),
        turn_chart({"SOM-DST": {1: Estimate(0.9, 0.8, 1.0)}}, {1: 10}),
        mistake_chart({"hotel-area": {("missed", "new"): 3}}),
        value_chart({("east", None): 1}),
        scatter([0.1], [None]),
    ]
    assert [chart.table.rows[0] for chart in texts] == [
        ("SOM-DST", "JGA", "0.52", "0.5", "0.54"),
        ("JGA", "0.1", "0.5", "0.4", "0.6"),
        ("SOM-DST", "1", "0.9", "0.8", "1", "10"),
        ("hotel-area", "3", "0", "0", "0", "0", "0", "3"),
        ("east", "", "1"),
        ("1", "0.1", ""),
    ]


def test_dominant_bar() -> None:
    sizes = {"a": Estimate(1), "b": Estimate(3), "c": Estimate(900)}
    axes = bar_chart({"run": sizes}, as_percent=False, y_label="events").draw().axes[0]
    assert axes.get_yscale() == "log"
    shortest, longest = sorted(bar.get_window_extent().height for bar in axes.patches)[:: len(sizes) - 1]
    assert shortest > longest / 20
    assert bar_chart({"run": {"a": Estimate(0.01), "b": Estimate(0.9)}}).draw().axes[0].get_yscale() == "linear"
    spread = Chart("spread", "JGA", SPREAD, count_per_bin([0.1] * 2 + [0.5] * 3 + [1.0] * 500))
    assert spread.draw().axes[0].get_yscale() == "log"


def test_table_before_stacked_bars() -> None:
    counts = {"inn-area": {("wrong", "new"): 900}, "inn-day": {("missed", "new"): 2}, "inn-name": {("extra", "new"): 1}}
    figure = environment().get_template("macros.html").module.figure  # type: ignore[attr-defined]
    first = figure(draw_for_page(mistake_chart(counts, table_first=True), 1))
    assert first.index("<figcaption") < first.index("<svg")
    assert "<details open>" in first
    after = figure(draw_for_page(mistake_chart(counts), 1))
    assert after.index("<svg") < after.index("<figcaption")


def test_small_marks_without_links() -> None:
    links = {(0, 2): ("rows?by=tall", "tall"), (1, 2): ("rows?by=low", "low")}
    chart = bar_chart({"run": {"tall": Estimate(0.9), "low": Estimate(0.001)}}, links=links)
    svg = theme_svg(canvas.render(chart.draw(), "svg"), "c1-", narrowest=496)
    assert "rows?by=tall" in svg
    assert "rows?by=low" not in svg
