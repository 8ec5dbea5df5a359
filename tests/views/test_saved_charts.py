"""The charts of a run: kept as data by the command, drawn by pages and by ``report --charts``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import msgspec
import pytest
from tests.cli.invoke import Cli

from dialmeter.errors import InputError
from dialmeter.views.charts import canvas
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.saved_charts import SavedChart, charts_to_json

from .chart_cases import CHARTS

RUNS = {
    "score": ("score base.jsonl --set ci=0", {"measures", "by-turn", "mistakes"}),
    "user": ("score agenda.jsonl --set profile=town --set ci=0", {"1a-domains", "7-requests-again"}),
    "judge": ("score cases.jsonl -j overlap --set ci=0", {"errors-agenda.jsonl"}),
    "system": ("score desk-base.json --set ci=0", {"success", "endings"}),
    "compare": ("compare base.jsonl new.jsonl", {"ladder", "measures"}),
    "study": ("study bias base.jsonl new.jsonl -m JGA", {"base-jga-to"}),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from dialmeter.cli.demo import write_sample

    folder = tmp_path_factory.mktemp("charts")
    write_sample(folder, force=True)
    return folder


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_keeps_its_charts(
    name: str, sample: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sample)
    command, expected = RUNS[name]
    cli(*command.split(), "-o", str(tmp_path / "run"))
    cli("report", str(tmp_path / "run"), "--charts", str(tmp_path / "figs"), "--chart", "chart-format=png", "-q")
    drawn = {each.stem for each in (tmp_path / "figs").glob("*.png")}
    assert expected <= drawn
    assert drawn == {each.stem for each in (tmp_path / "figs").glob("*.csv")}
    assert not (tmp_path / "run" / "report.html").exists()
    for each in (tmp_path / "figs").glob("*.csv"):
        assert len(next(csv.reader(each.read_text("utf-8").splitlines()))) > 1


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in CHARTS.items() for case in cases])
def test_saved_chart_is_the_same_chart(name: str, case: str) -> None:
    chart = CHARTS[name][case]()
    (saved,) = msgspec.json.decode(charts_to_json([chart]), type=list[SavedChart])
    again = saved.chart()
    assert again.table.rows == chart.table.rows
    chart.links.clear()
    assert canvas.render(again.draw(), "svg") == canvas.render(chart.draw(), "svg")


@pytest.mark.parametrize(
    "change",
    [
        {"mark": "pie"},
        {"rows": [["a", "b", "0.5", None, None]]},
        {"rows": [["a", "b", 0.5]]},
        {"rows": 3},
        {"name": None},
    ],
)
def test_damaged_charts(change: dict, sample: Path, tmp_path: Path, cli: Cli) -> None:
    cli("score", str(sample / "base.jsonl"), "--set", "ci=0", "-o", str(tmp_path / "run"))
    file = tmp_path / "run" / "charts.json"
    charts = json.loads(file.read_text("utf-8"))
    charts[0] |= change
    file.write_text(json.dumps(charts), "utf-8")
    with pytest.raises(InputError, match=r"charts\.json: damaged: "):
        _ = OpenedRun(tmp_path / "run").saved_charts
    assert "charts.json: damaged" in cli("report", str(tmp_path / "run"), "--charts", str(tmp_path / "f"), code=2).err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("width=wide", "--chart width=wide: not a length"),
        ("chart-format=gif", "--chart chart-format=gif: write svg, pdf, png"),
        ("dpi=x", "--chart dpi=x: write a number from 30 to 2400"),
        ("colour=red", "--chart colour: "),
    ],
)
def test_bad_settings(setting: str, message: str, sample: Path, tmp_path: Path, cli: Cli) -> None:
    cli("score", str(sample / "base.jsonl"), "--set", "ci=0", "-o", str(tmp_path / "run"))
    result = cli("report", str(tmp_path / "run"), "--charts", str(tmp_path / "f"), "--chart", setting, code=2)
    assert message in result.err
