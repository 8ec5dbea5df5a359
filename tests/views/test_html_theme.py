"""Charts for pages: all colours become variables, ids stay apart, links keep their names and stay in the page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from dialmeter.views.chart_files import Chart
from dialmeter.views.charts import canvas, palette
from dialmeter.views.charts.bars import SPREAD
from dialmeter.views.charts.data import Estimate, count_per_bin
from dialmeter.views.html_env import asset, safe_text
from dialmeter.views.pages.charts import VARIABLES, theme_svg

from .chart_cases import bar_chart, mistake_chart

COUNTS = {"hotel-area": {("missed", "new"): 3, ("wrong", "carried-over"): 2, ("extra", "new"): 1}}
ADDRESS = "/rows/a?slot=hotel-area&class=missed&q=\"'<>"


def case_svg() -> bytes:
    return canvas.render(mistake_chart(COUNTS, links={(0, 1): (ADDRESS, "")}).draw(), "svg")


def test_palette_replaced() -> None:
    shown = theme_svg(case_svg(), "c1-")
    left = [colour for colour in VARIABLES if colour.lower() in shown.lower()]
    assert not left
    for colour in (palette.BLUE, palette.VERMILION, palette.ORANGE, palette.INK):
        assert f"var({VARIABLES[colour]})" in shown


def test_variables_of_both_themes() -> None:
    light, dark = asset("viewer.css").split("@media (prefers-color-scheme: dark)", 1)
    for variable in VARIABLES.values():
        assert f"{variable}:" in light
        assert f"{variable}:" in dark.partition("* {")[0]


def test_id_prefixes() -> None:
    root = ET.fromstring(theme_svg(case_svg(), "c7-"))
    ids = {each.get("id") for each in root.iter() if each.get("id")}
    assert all(name.startswith("c7-") for name in ids)
    text = theme_svg(case_svg(), "c7-")
    used = re.findall(r"url\(#([^)]+)\)", text) + re.findall(r'<use[^>]* href="#([^"]+)"', text)
    assert used
    assert set(used) <= ids


def test_link_names_and_targets() -> None:
    root = ET.fromstring(theme_svg(case_svg(), "", {ADDRESS: "hotel-area: <missed>"}))
    [link] = root.iter("a")
    assert link.get("href") == ADDRESS
    assert link.get("aria-label") == "hotel-area: <missed>"
    assert link.findtext("title") == "hotel-area: <missed>"
    assert link.get("target") is None
    assert root.get("role") == "group"
    assert root.get("aria-label") == "Mistakes per slot"


def test_chart_bytes() -> None:
    assert theme_svg(case_svg(), "c1-") == theme_svg(case_svg(), "c1-")


def test_hostile_names_stay_text() -> None:
    evil = "</svg><script>alert(1)</script>"
    shown = theme_svg(canvas.render(bar_chart({evil: {evil: Estimate(0.5)}}, title=evil).draw(), "svg"), "c1-")
    assert "<script" not in shown
    assert not list(ET.fromstring(shown).iter("script"))


@pytest.mark.parametrize("values", [[], [float("nan")], [0.5], [0.0, 1.0], [-3.0, 12.0], [2.0, 2.0]])
def test_spread_takes_any_scores(values: list[float]) -> None:
    chart = Chart("spread", "t", SPREAD, count_per_bin(values))
    assert canvas.render(chart.draw(), "svg").startswith(b"<?xml")
    assert sum(int(row[2]) for row in chart.table.rows) == sum(value == value for value in values)


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\u200b", "\ufeff", "\x00", "\x1b", "\u2028"])
def test_hidden_letters(letter: str) -> None:
    shown = str(safe_text(f"a{letter}b"))
    assert letter not in shown
    assert f"U+{ord(letter):04X}" in shown


def test_joiners_kept() -> None:
    assert str(safe_text("می\u200cخواهم")) == "می\u200cخواهم"
