"""The heat map can draw any input."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from dialmeter.views.charts import canvas, grid

NAMES = {"row_label": "user", "column_label": "system", "value_label": "goals completed", "title": "Goals completed"}
Values = dict[tuple[str, str], float | None]


def texts(values: Values, rows: list[str], columns: list[str], **more: bool) -> list[str]:
    figure = grid.draw(values, rows=rows, columns=columns, **NAMES, **more)  # type: ignore[arg-type]
    data = canvas.render(figure, "svg")
    assert data == canvas.render(figure, "svg")
    ET.fromstring(data)
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_grid() -> None:
    values: Values = {("a", "x"): 0.125, ("a", "y"): 1.0, ("b", "x"): 0.0, ("b", "y"): None}
    assert texts(values, ["a", "b"], ["x", "y"]) == ["12.5", "100.0", "0.0"]
    assert texts({("a", "x"): 9.25}, ["a"], ["x"], as_percent=False) == ["9.2"]


@pytest.mark.parametrize("values", [{}, {("a", "x"): None}, {("a", "x"): float("nan")}])
def test_nothing_to_draw(values: Values) -> None:
    assert texts(values, ["a"], ["x"]) == ["no data"]


def test_more_than_fit() -> None:
    names = [f"agent {number}" for number in range(30)]
    figure = grid.draw({(one, other): 0.5 for one in names for other in names}, rows=names, columns=names, **NAMES)
    assert len(figure.axes[0].texts) == grid.MAX_NAMES**2
    assert "the first 20 of 30 user" in figure.get_suptitle()


def test_the_table_has_every_pair() -> None:
    table = grid.table({("a", "x"): 0.5, ("b", "x"): None}, row_label="user", column_label="system", value_label="done")
    assert table.rows == (("a", "x", "0.5"), ("b", "x", ""))
