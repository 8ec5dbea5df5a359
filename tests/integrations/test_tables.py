"""The three queries of the page over Parquet rows have the same answers in all three tools."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dialmeter.cli.main import run
from dialmeter.core.open_runs import open_run

from .examples import PAGE, run_example


@pytest.fixture
def rows(folder: Path) -> None:
    """The runs of the page, made by its commands."""
    commands = re.findall(r"^dialmeter (score .* -o runs/.*|convert runs/.* --to parquet)$", PAGE, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        with pytest.raises(SystemExit) as stop:
            run([*command.split(), "--quiet"])
        assert stop.value.code == 0


@pytest.mark.usefixtures("rows")
def test_queries_of_page() -> None:
    base, new = (open_run(f"runs/{name}") for name in ("base", "new"))
    ids = [row["id"] for row in new]
    fga = sorted(zip(new.index()["FGA(lam=0.5)"].tolist(), ids, strict=True))[:10]
    change = zip((new.index()["GCA"] - base.index()["GCA"]).tolist(), ids, strict=True)
    lost = sorted((difference, name) for difference, name in change if difference < 0)
    turns = [turn for row in new for turn in row["turns"]]
    slots = Counter(slot for turn in turns for slot, found in turn["slots"].items() if found["age"] == "new")
    assert len(lost) > 5
    assert len(slots) > 5

    def pairs(found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        return [(value, name) for name, value in found]

    for tool in ("duckdb", "polars"):
        names: dict[str, Any] = run_example("DuckDB, polars and pandas", f"# {tool}\n")
        assert pairs(names["worst"]) == fga
        assert pairs(names["lost"]) == lost
        assert dict(names["slots"]) == slots
    names = run_example("DuckDB, polars and pandas", "# pandas\n")
    assert pairs(list(names["worst"].items())) == fga
    assert pairs(list(names["lost"].items())) == lost
    assert names["slots"].to_dict() == slots
