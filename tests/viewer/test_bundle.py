"""The bundle holds the worst rows, counts the rest, and never overwrites what is not a bundle."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.viewer.bundle import write_bundle
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.select import RowQuery, select

from .made import dialmeter

POLICY = (
    "default-src &#39;none&#39;; script-src &#39;self&#39;; style-src &#39;self&#39; &#39;unsafe-inline&#39;; "
    "img-src &#39;self&#39; data:; base-uri &#39;none&#39;; form-action &#39;self&#39;"
)


@pytest.fixture(scope="module")
def small(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle with room for ten rows of each of two runs."""
    out = tmp_path_factory.mktemp("small") / "site"
    found = write_bundle([str(runs / "trackers")], out, most=20)
    assert found == (2, 20, 52)
    return out


def test_worst_rows_kept(runs: Path, small: Path) -> None:
    for number, name in enumerate(("keyword", "own"), 1):
        run = OpenedRun(runs / "trackers" / name)
        worst = sorted(select(run, RowQuery()).positions[:10].tolist())
        kept = sorted(int(path.stem.rpartition("-")[2]) for path in small.glob(f"run-{number}-row-*.html"))
        assert kept == worst
        assert "The 10 worst of 36 dialogues" in (small / f"run-{number}-rows.html").read_text("utf-8")


def test_policy_of_every_page(small: Path) -> None:
    for path in small.glob("*.html"):
        text = path.read_text("utf-8")
        assert POLICY in text
        assert not re.findall(r'(?:src|href)="(?:https?:|//|/)', text), path.name


def test_only_bundle_is_replaced(runs: Path, small: Path, tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="--force"):
        write_bundle([str(runs / "trackers")], small)
    (tmp_path / "thesis.html").write_text("mine")
    with pytest.raises(DialmeterError, match="not an empty folder"):
        write_bundle([str(runs)], tmp_path, force=True)
    assert (tmp_path / "thesis.html").read_text() == "mine"


def test_broken_runs_listed(runs: Path, tmp_path: Path) -> None:
    for name in ("torn", "half", "hostile"):
        shutil.copytree(runs / name, tmp_path / "runs" / name)
    found = write_bundle([str(tmp_path / "runs")], tmp_path / "site")
    assert (found.runs, found.rows) == (1, 1)
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "its rows cannot be read" in text
    assert "not finished" in text


def test_senseless_options(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="no such folder"):
        dialmeter("view", tmp_path / "nowhere")
    with pytest.raises(DialmeterError, match=r"cannot listen on 192\.0\.2\.1"):
        dialmeter("view", runs, "--host", "192.0.2.1", "--port", "0")


def test_report_of_several_runs_as_folder(runs: Path, tmp_path: Path) -> None:
    chosen = [runs / "trackers" / name for name in ("own", "keyword")]
    dialmeter("report", *chosen, "--out", f"{tmp_path / 'site'}/", "-q")
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert ">own<" in text
    assert ">keyword<" in text
    assert ">nameless<" not in text
    with pytest.raises(DialmeterError, match="--force"):
        dialmeter("report", *chosen, "--out", f"{tmp_path / 'site'}/", "-q")
    dialmeter("report", chosen[0], "--out", f"{tmp_path / 'site'}/", "-q", "--force")
    assert ">keyword<" not in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_report_with_latex_settings(runs: Path, tmp_path: Path) -> None:
    dialmeter("report", runs / "trackers" / "own", "--out", tmp_path / "r.tex", "--latex", "label=tab:own", "-q")
    assert r"\label{tab:own}" in (tmp_path / "r.tex").read_text("utf-8")
