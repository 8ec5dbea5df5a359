"""Charts fit a page: the width, resolution and size of text that were asked for, and no title where the paper has a caption."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from dialmeter.errors import DialmeterError
from dialmeter.views.charts import canvas
from dialmeter.views.charts.data import Estimate
from dialmeter.views.charts.fit import AS_DESIGNED, ChartFit, fitted, parse_width

from ..cli.invoke import call
from .chart_cases import CASES, bar_chart

SCORES = {"TRADE": {"JGA": Estimate(0.5, 0.4, 0.6), "FGA(lam=0.5)": Estimate(0.7)}}


def texts(figure: Figure) -> list[Text]:
    figure.draw_without_rendering()
    return [each for each in figure.findobj(Text) if each.get_text().strip() and each.get_visible()]


@pytest.mark.parametrize("name", CASES)
def test_chart_width_and_text(name: str) -> None:
    with fitted(ChartFit(width=3.3, font_size=8)):
        figure = CASES[name]["typical"]()
        assert figure.get_figwidth() == pytest.approx(3.3)
        drawn = figure.get_tightbbox()
        assert drawn.x0 > -0.03
        assert drawn.x1 < 3.33


def test_size_of_text_and_pixels() -> None:
    plain, large = bar_chart(SCORES).draw(), None
    with fitted(ChartFit(font_size=18, dpi=300)):
        large = bar_chart(SCORES).draw()
        image = Image.open(io.BytesIO(canvas.render(large, "png")))
    sizes = [{each.get_text(): each.get_fontsize() for each in texts(figure)} for figure in (plain, large)]
    shared = sizes[0].keys() & sizes[1].keys()
    assert {"score", "JGA", "TRADE"} <= shared
    assert all(sizes[1][text] == pytest.approx(2 * sizes[0][text]) for text in shared)
    assert image.width == round(300 * large.get_figwidth())
    assert round(image.info["dpi"][0]) == 300


def test_no_title() -> None:
    many = {f"system {number}": {"JGA": Estimate(0.5)} for number in range(30)}
    with fitted(ChartFit(title=False)):
        figure = bar_chart(many, title="Systems").draw()
    assert figure.get_suptitle() == "the first 12 of 30 systems"
    assert b"<dc:title>Systems</dc:title>" in canvas.render(figure, "svg")
    with fitted(ChartFit(title=False)):
        assert bar_chart(SCORES, title="Systems").draw().get_suptitle() == ""


def test_settings_end_with_block() -> None:
    before = canvas.render(bar_chart(SCORES).draw(), "svg")
    with pytest.raises(RuntimeError), fitted(ChartFit(3.0, 7.0, 600, False)):
        raise RuntimeError
    assert canvas.render(bar_chart(SCORES).draw(), "svg") == before
    with fitted(AS_DESIGNED):
        assert canvas.render(bar_chart(SCORES).draw(), "svg") == before


def test_mathematical_measure_names() -> None:
    names = ["FGA(lam=0.5)", "GCA(alpha=0.5)", "Pass(k=13)", "$x$(lam=0.5)", "my model(lam=0.5)", "FGA(lam=$1$)"]
    figure = bar_chart({"TRADE": dict.fromkeys(names, Estimate(0.5))}).draw()
    drawn = [each.get_text() for each in figure.axes[0].get_xticklabels()]
    assert drawn[:3] == ["FGA(λ=0.5)", "GCA(α=0.5)", "Pass¹³"]
    assert drawn[3:] == [r"\$x\$(lam=0.5)", "my model(lam=0.5)", r"FGA(lam=\$1\$)"]
    assert "FGA(λ=0.5)" in canvas.render(figure, "svg").decode()


@pytest.mark.parametrize("text", ["", "wide", "-3in", "1e9", "3 inches", "0.1in", "900cm", "3,3in", "²in"])
def test_what_is_no_width(text: str) -> None:
    with pytest.raises(DialmeterError, match=rf"^--chart width={re.escape(text)}: "):
        parse_width(text)


def test_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turn = '{"gold": {"inn-area": "east"}, "pred": {}}'
    (tmp_path / "a.jsonl").write_text(f'{{"dialogue_id": "d", "turns": [{turn}]}}\n', "utf-8")
    words = ("score", tmp_path / "a.jsonl", "-q", "--set", "ci=0", "--out", tmp_path / "run")
    assert call(capsys, *words).code == 0
    drawn = ("report", tmp_path / "run", "--charts", tmp_path / "charts", "-q")
    settings = ("chart-format=png", "width=84mm", "dpi=100", "font-size=7", "no-title")
    assert call(capsys, *drawn, *(word for each in settings for word in ("--chart", each))).code == 0
    made = sorted((tmp_path / "charts").glob("*.png"))
    assert made
    for each in made:
        with Image.open(each) as image:
            assert image.width == int(84 / 25.4 * 100)
    said = call(capsys, *drawn, "--chart", "width=wide")
    assert said.code == 2
    assert said.complaint.startswith("--chart width=wide: ")
