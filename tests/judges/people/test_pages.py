"""Runs of judge human on pages: every item, and text from files that is never markup."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dialmeter.views.html import html_report
from dialmeter.views.pages.opened import Opened
from dialmeter.views.plain_report import plain_report

from ...cli.invoke import call
from .test_people import rated, write

SCRIPT = "<script>document.title='owned'</script>"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Opened:
    items = rated()
    items[0] = msgspec.structs.replace(items[0], reply=SCRIPT, system=SCRIPT)
    file = write(items, tmp_path / "ratings.jsonl")
    said = call(capsys, "judge", "human", file, "--resamples", "100", "--out", tmp_path / "run", "--quiet")
    assert said.code == 0
    return Opened(tmp_path / "run")


def test_text_is_escaped(run: Opened) -> None:
    page = html_report([run])
    assert SCRIPT not in page
    assert "&lt;script&gt;document.title" in page


def test_rows_are_sorted_by_the_largest_difference(run: Opened) -> None:
    assert run.ranking == "largest difference"
    assert set(run.columns) == {"good", "bad", "largest difference"}
    row = run.row(0)
    shown = run.kind.page(row, {"judge": "good"})
    assert [judge["name"] for judge in shown["judges"] if judge["marked"]] == ["good"]
    assert shown["ratings"][0][0] == "overall"


def test_headline_and_command(run: Opened) -> None:
    assert run.kind.headline(run.manifest).text.startswith("Spearman 0.")
    assert run.kind.headline(run.manifest).text.endswith("(good)")
    words = run.kind.again(run.manifest)
    assert words[:3] == ["judge", "human", "ratings.jsonl"]
    assert "Correlations with the mean rating of people" in plain_report([run], "markdown")
    assert run.kind.headline({"scores": 1, "trivial": 2}).text == "no judge"
