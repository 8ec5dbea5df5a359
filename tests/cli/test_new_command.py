"""The new command in docs/architecture.md works with the code and the diff of the page."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.golden.execution import call

from dialmeter.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")
TURN = '{"turn": %d, "gold": {"hotel-area": "east"}, "pred": {}}'
LINES = "".join(
    f'{{"dialogue_id": "{name}", "turns": [{", ".join(TURN % turn for turn in range(turns))}]}}\n'
    for name, turns in {"a": 1, "b": 2, "c": 2}.items()
)


@pytest.fixture
def lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Add the command, and write a file with dialogues of one and two turns."""
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    [(command, target, about)] = re.findall(r'^\+ +"(\w+)": \("(.+?)", "(.+?)"\),$', PAGE, re.MULTILINE)
    module_name = f"dialmeter.cli.{target.partition(':')[0]}"
    source = tmp_path / "turns.py"
    source.write_text(code, "utf-8")
    spec = importlib.util.spec_from_file_location(module_name, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module_name, module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(main._TRACKER, command, (target, about))
    file = tmp_path / "dialogues.jsonl"
    file.write_text(LINES, "utf-8")
    return str(file)


def test_every_style_works(lengths: str) -> None:
    code, text, _ = call(["tracker", "turns", lengths])
    assert code == 0
    assert [line.split() for line in text.splitlines()][-2:] == [["1", "1"], ["2", "2"]]
    assert call(["tracker", "turns", lengths, "-f", "csv"])[1].split() == ["turns,dialogues", "1,1", "2,2"]
    assert "| turns |" in call(["tracker", "turns", lengths, "-f", "markdown"])[1]
    assert r"\toprule" in call(["tracker", "turns", lengths, "-f", "latex"])[1]
    document = json.loads(call(["tracker", "turns", lengths, "-f", "json"])[1])
    assert document["command"] == "tracker turns"
    assert document["lengths"] == {"1": 1, "2": 2}


def test_chart_with_data(lengths: str, tmp_path: Path) -> None:
    folder = tmp_path / "charts"
    assert call(["tracker", "turns", lengths, "--charts", str(folder), "--quiet"])[0] == 0
    assert {"lengths.svg", "lengths.csv"} <= {path.name for path in folder.iterdir()}


def test_command_listing_and_refusals(lengths: str, tmp_path: Path) -> None:
    assert "How long dialogues are." in call(["tracker", "--help"])[1]
    code, _, error = call(["tracker", "turns", str(tmp_path / "none.jsonl")])
    assert code == 2
    assert len(error.splitlines()) == 1
