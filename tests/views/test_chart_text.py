"""Text in charts: labels in words, names from files as they are, links that lead nowhere dangerous."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import pytest

from dialmeter.views.charts import axes, canvas, words

from .chart_cases import (
    CASES,
    JGA,
    MEASURES,
    NU,
    SYSTEMS,
    TO,
    bar_chart,
    case_svg,
    estimate,
    mistake_chart,
    scatter,
    share_chart,
    shown,
    square_chart,
    svg,
    traits,
    turn_chart,
    value_chart,
)

HOSTILE = '_$x^2$ \\$5 <script>&"\u202eevil\x00\n\ud800\uffff 北京'
LITERAL = r'_$x^2$ \$5 <script>&"\u202eevil\x00\n\ud800\uffff 北京'
LABEL = "share of $turns$ right"


@cache
def hostile() -> dict[str, Any]:
    point = estimate(0.5)
    charts = {
        "bars": bar_chart({HOSTILE: {HOSTILE: point}}, title=HOSTILE, y_label=LABEL),
        "scatter": scatter([1, 2], [1, 2], (LABEL, HOSTILE)),
        "trait_grid": traits([[1, 2]] * 3, (LABEL, HOSTILE, HOSTILE)),
        "few_shot": share_chart({HOSTILE: {0.1: point}}, x_label=LABEL),
        "difference": share_chart({HOSTILE: {0.1: point}}, HOSTILE, x_label=LABEL),
        "by_turn": turn_chart({HOSTILE: {1: point}}, {1: 1}, y_label=LABEL),
        "square": square_chart({HOSTILE: {0.5: point}}, y_label=LABEL),
        "error_classes": mistake_chart({HOSTILE: {("missed", "new"): 3}}, x_label=LABEL),
        "confusion": value_chart({(HOSTILE, None): 1}, slot=HOSTILE, x_label=LABEL),
    }
    return {name: chart.draw() for name, chart in charts.items()}


@pytest.mark.parametrize("chart", CASES)
def test_file_text_shown(chart: str) -> None:
    figure = hostile()[chart]
    text = svg(figure)
    assert "<script" not in text
    assert not re.search("[\x00-\x08\u202e\uffff]", text)
    seen = " ".join(shown(text))
    assert LABEL in seen
    assert any(words.shorten(LITERAL, limit) in seen for limit in (20, 28, 32, 99))
    for kind in canvas.KINDS[1:]:
        assert canvas.render(figure, kind)


@pytest.mark.parametrize("chart", CASES)
def test_labels_are_in_words(chart: str) -> None:
    expected = {
        "bars": [*SYSTEMS, *MEASURES, JGA],
        "scatter": [TO, JGA, "correlation −0.", "600 dialogues", "mean in a bin"],
        "trait_grid": [TO, NU, JGA, "600 in all"],
        "few_shot": [*MEASURES, "share of the training data", JGA, "25 %"],
        "difference": ["JGA − GCA", "difference to GCA (percentage points)", "trend"],
        "by_turn": [*SYSTEMS, "turn", JGA, "number of dialogues"],
        "square": ["mine", "mean probability", "share", "80 %"],
        "error_classes": ["hotel-book people", "− missed, new", "≠ wrong, carried over", "+ extra, new"],
        "confusion": ["centre", "(absent)", "gold value", "predicted value", "number of turns", "hotel-area"],
    }
    seen = " ".join(shown(case_svg(chart)))
    assert [each for each in map(words.math_notation, expected[chart]) if each not in seen] == []


def test_links() -> None:
    point = {"a": {"JGA": estimate(0.5), "SA": estimate(0.6)}}
    links = {(0, 2): ('run.html?x=1&y="2"', ""), (1, 2): ("java\tscript:alert(1)", "")}
    charts = [
        bar_chart(point, links=links),
        turn_chart({"a": {1: estimate(0.5)}}, {1: 2}, y_label=""),
        mistake_chart({"s": {("extra", "new"): 1}}, links={(0, 5): ("#slot", "")}),
        value_chart({("a", None): 1}, links={(0, 2): ("#pair", "")}),
    ]
    charts[1].links[0, 5] = ("#turn", "")
    texts = [svg(chart.draw()) for chart in charts]
    found = [[dict(each.attrib) for each in ET.fromstring(text).iter() if each.tag.endswith("}a")] for text in texts]
    urls = ['run.html?x=1&y="2"', "#turn", "#slot", "#pair"]
    assert found == [[{"{http://www.w3.org/1999/xlink}href": url}] for url in urls]


@pytest.mark.parametrize(
    "url", ["javascript:x", " JavaScript:x", "data:text/html,x", "vbscript:x", "java\nscript:x", ""]
)
def test_script_is_no_link(url: str) -> None:
    from matplotlib.patches import Rectangle

    bar = Rectangle((0, 0), 1, 1)
    axes.set_link(bar, url)
    assert bar.get_url() is None
