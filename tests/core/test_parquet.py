"""Runs as Parquet, for use in polars or duckdb."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.open_runs import open_run

from ..cli.invoke import Cli
from ..two_trackers import written

polars = pytest.importorskip("polars", reason="the extra `tables` is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `tables` is not installed")


@pytest.fixture
def run(tmp_path: Path, cli: Cli) -> Path:
    out = tmp_path / "run"
    cli("score", written("hasty", tmp_path), "--out", out, "--quiet")
    return out


def test_parquet_of_run(run: Path, tmp_path: Path, cli: Cli) -> None:
    assert "36 rows to" in cli("convert", run, tmp_path / "rows.parquet").err
    table = parquet.read_table(tmp_path / "rows.parquet").to_pydict()
    opened = open_run(run)
    rows = list(opened)
    assert table["id"] == [row["id"] for row in rows]
    assert [json.loads(text) for text in table["row"]] == rows
    assert table["JGA"] == opened.index()["JGA"].tolist()
    assert set(table) == {"id", "row", *(score["measure"] for score in opened.scores)}


def test_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, run: Path) -> None:
    real_import = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.partition(".")[0] == "pyarrow":
            raise ImportError(name)
        return real_import(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert (
        cli.refused("convert", run, tmp_path / "new.parquet")
        == "convert --to parquet needs an optional part: pip install 'dialmeter[tables]'"
    )
    assert not (tmp_path / "new.parquet").exists()
