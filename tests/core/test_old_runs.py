"""Runs of an earlier version can be read, and a run with a newer schema is refused in one line.

The runs in ``old_runs`` have a few dialogues of the embedded town. They were written before the public names of dialmeter were
fixed in ``tests/package/surface.txt``. Do not write them again with newer code.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dialmeter import open_run

from ..cli.invoke import call, checked

OLD_RUNS = Path(__file__).parent / "old_runs"
KINDS = ("judge", "tracker", "user")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD_RUNS, tmp_path / "runs"))


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_opened_and_cited(kind: str, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = open_run(runs / kind)
    assert run.manifest["kind"] == kind
    assert len(list(run)) == len(run.index()["offset"]) > 0
    cited = call(capsys, "cite", runs / kind)
    assert cited.code == 0
    assert all(f"% {score['signature']}" in cited.out for score in run.scores)
    assert "@inproceedings" in cited.out


@pytest.mark.parametrize("style", ["html", "markdown", "latex"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_has_its_scores(
    kind: str, style: str, runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page"
    assert call(capsys, "report", runs / kind, "--as", style, "--out", page, "--quiet").code == 0
    text = page.read_text("utf-8")
    values = [score["value"] for score in open_run(runs / kind).scores if score["value"] is not None]
    assert values
    assert [value for value in values if f"{100 * value:.2f}" not in text] == []


def test_a_run_of_a_user_can_be_queried(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = [row["id"] for row in open_run(runs / "user")]
    document = checked(call(capsys, "user", "query", runs / "user", "--json"), "user-query")
    assert sorted(each["dialogue"] for each in document["dialogues"]) == sorted(ids)
    shown = call(capsys, "user", "query", runs / "user", "--dialogue", ids[0])
    assert shown.code == 0
    assert ids[0] in shown.out


def test_the_viewer_shows_every_row(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "view", runs, "--bundle", tmp_path / "site").code == 0
    pages = sorted((tmp_path / "site").glob("run-*-row-*.html"))
    ids = [row["id"] for kind in KINDS for row in open_run(runs / kind)]
    assert len(pages) == len(ids)
    assert [name for name, page in zip(ids, pages, strict=True) if name not in page.read_text("utf-8")] == []


@pytest.mark.parametrize("command", [["cite"], ["report"], ["user", "query"]], ids=" ".join)
def test_a_newer_schema_is_refused(command: list[str], runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = runs / "user" / "run.json"
    fields = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps({**fields, "schema": fields["schema"] + 1}), "utf-8")
    result = call(capsys, *command, runs / "user")
    assert result.code == 2
    assert result.complaint == f"{manifest}: schema version 2 is not supported; this version reads 1"


def test_old_verdicts_on_lost_points_are_refused(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = runs / "user" / "run.json"
    fields = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps({**fields, "blame": True, "verdicts": {"dialogues": {}, "units": {}}}), "utf-8")
    result = call(capsys, "report", runs / "user")
    assert result.code == 2
    assert result.complaint == f"{manifest}: an earlier version wrote its verdicts (--blame); score the dialogues again"
