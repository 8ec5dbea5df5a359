"""Every chart draws whatever it is given, in bounds and style, and gives the same bytes every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.views.charts import canvas, palette

from . import chart_cases
from .chart_cases import CASES, case_svg, svg

ALL = [(chart, case) for chart, cases in CASES.items() for case in cases]


def drawn_marks(text: str) -> int:
    """Everything that is painted: shapes outside definitions, and each use of a definition."""
    outside = re.sub(r"<defs>.*?</defs>", "", text, flags=re.DOTALL)
    return len(re.findall(r"<(?:path|use|rect|circle|polygon|image)\b", outside))


@pytest.mark.parametrize(("chart", "case"), ALL)
def test_draws_in_bounds(chart: str, case: str) -> None:
    text = case_svg(chart, case)
    ET.fromstring(text)
    assert drawn_marks(text) <= canvas.MAX_MARKS
    assert len(text) < 500_000
    assert "no data" in text or case not in {"empty", "zero" if chart != "few_shot" else "", "nothing"}


def test_bytes_without_hash_seed_or_clock(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    # This process has another hash seed than the one below.
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.Popen(
        [sys.executable, chart_cases.__file__, str(there)],
        env={**os.environ, "PYTHONHASHSEED": seed, "TZ": "UTC+1", "SOURCE_DATE_EPOCH": "999999999"},
    )
    chart_cases.write_all(here)
    assert other.wait() == 0
    drawn = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (here, there)]
    assert len(drawn[0]) == len(CASES) + 1 + 2
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("chart", CASES)
def test_figure_save_order(chart: str) -> None:
    first, second = CASES[chart]["typical"](), CASES[chart]["typical"]()
    canvas.render(first, "png")
    canvas.render(first, "pdf")
    assert canvas.render(first, "svg") == canvas.render(second, "svg") == canvas.render(second, "svg")


@pytest.mark.parametrize(("chart", "case"), [(chart, case) for chart in CASES for case in ("typical", "large")])
def test_theme_colours(chart: str, case: str) -> None:
    from matplotlib.colors import to_hex

    constants = {value for value in vars(palette).values() if isinstance(value, str) and re.fullmatch("#.{6}", value)}
    ramps = {to_hex(palette.ramp(steps)(step)) for steps in range(1, 16) for step in range(steps)}
    text = case_svg(chart, case)
    assert set(re.findall("#[0-9a-f]{6}", text)) - constants - ramps == set()
    assert "<image" not in text
    assert not re.findall(r"<text(?![^>]*fill: #)", text)
    assert "sans-serif" in text


def test_user_settings() -> None:
    import matplotlib

    expected = case_svg("bars")
    with matplotlib.rc_context({"font.size": 30, "text.parse_math": False, "svg.fonttype": "path", "axes.grid": True}):
        before = dict(matplotlib.rcParams)
        assert svg(CASES["bars"]["typical"]()) == expected
        assert dict(matplotlib.rcParams) == before


def test_independent_threads() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    names = ["bars", "few_shot", "by_turn", "bars"]
    found: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda at=at, each=each: found.update({at: svg(CASES[each]["typical"]())}))
        for at, each in enumerate(names)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[at] for at in range(4)] == [case_svg(each) for each in names]
    assert dict(matplotlib.rcParams) == before


def test_imports_of_matplotlib() -> None:
    code = (
        "import sys; from dialmeter.views.charts import bars, canvas, grid, lines, points; "
        " print([m for m in ('matplotlib', 'numpy', 'scipy') if m in sys.modules]); "
        "from dialmeter.views.chart_files import Chart; "
        "chart = Chart('a', 'a', points.SCATTER, [('a', 1, 1), ('b', 2, 2), ('c', 3, 1)]); "
        "[canvas.render(chart.draw(), kind) for kind in canvas.KINDS]; "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[]", "False"]


def test_save_goes_by_ending(tmp_path: Path) -> None:
    figure = CASES["bars"]["single"]()
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "PNG": b"\x89PNG"}
    for ending, start in starts.items():
        path = canvas.save(figure, tmp_path / f"chart.{ending}")
        assert path.read_bytes().startswith(start)
    with pytest.raises(DialmeterError, match=r"\.svg, \.pdf or \.png"):
        canvas.save(figure, tmp_path / "chart.gif")
