"""The heat map can draw any input."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from dialmeter.views.chart_files import Chart
from dialmeter.views.charts import canvas, grid

Values = dict[tuple[str, str], float | None]


def heat_map(values: Values, **more: bool) -> Chart:
    rows = [(*pair, value) for pair, value in values.items()]
    return Chart("cross", "Goals completed", grid.HEAT_MAP, rows, ("user", "system", "goals completed"), **more)


def texts(values: Values, **more: bool) -> list[str]:
    figure = heat_map(values, **more).draw()
    data = canvas.render(figure, "svg")
    assert data == canvas.render(figure, "svg")
    ET.fromstring(data)
    return [text.get_text() for text in figure.axes[0].texts]


def test_grid() -> None:
    values: Values = {("a", "x"): 0.125, ("a", "y"): 1.0, ("b", "x"): 0.0, ("b", "y"): None}
    assert texts(values) == ["12.5", "100.0", "0.0"]
    assert texts({("a", "x"): 9.25}, as_percent=False) == ["9.2"]


@pytest.mark.parametrize("values", [{}, {("a", "x"): None}, {("a", "x"): float("nan")}])
def test_nothing_to_draw(values: Values) -> None:
    assert texts(values) == ["no data"]


def test_more_than_fit() -> None:
    names = [f"bot {number}" for number in range(30)]
    figure = heat_map({(one, other): 0.5 for one in names for other in names}).draw()
    assert len(figure.axes[0].texts) == grid.MAX_NAMES**2
    assert "the first 20 of 30 user" in figure.get_suptitle()


def test_table_has_every_pair() -> None:
    table = heat_map({("a", "x"): 0.5, ("b", "x"): None}).table
    assert table.rows == (("a", "x", "0.5"), ("b", "x", ""))
