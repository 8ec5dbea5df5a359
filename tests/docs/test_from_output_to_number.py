"""The how-to "From my model's output to a number", followed step by step."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dialmeter import score_tracker

from ..cli.invoke import call

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "from-output-to-number.md").read_text("utf-8")
FILES = dict(re.findall(r'```\w+ title="([\w.]+)"\n(.*?)\n```\n', PAGE, re.DOTALL))
SIGNED = "JGA|rules:dialmeter|"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text + "\n", "utf-8")
    return tmp_path


def test_python_block_gives_number_of_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, {})
    value, signature = capsys.readouterr().out.split()
    assert value == "66.67"
    assert signature.startswith(SIGNED)
    from_csv = score_tracker("states.csv", measures=["JGA"], ci=0)
    from_completions = score_tracker("states.csv", "log.jsonl", ["JGA"], ci=0)
    assert from_csv.signature == from_completions.signature == signature
    assert from_csv.value == from_completions.value == 2 / 3


def test_joined_file_gives_same_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(FILES) == {"states.csv", "mine.csv", "log.jsonl"}
    [convert] = re.findall(r"^dialmeter (convert .*)$", PAGE, re.MULTILINE)
    assert call(capsys, *shlex.split(convert)).code == 0
    joined = score_tracker("joined.csv", measures=["JGA"])
    assert joined.signature == score_tracker("states.csv", measures=["JGA"]).signature
    assert joined.value == 2 / 3


def test_pandas_writes_file(folder: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [
        {"dialogue_id": "d1", "turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "it's"}},
        {"dialogue_id": "d2", "turn": 0, "gold": {}, "pred": {}},
    ]
    pandas.DataFrame(rows).to_csv("frame.csv", index=False)
    assert score_tracker("frame.csv", measures=["JGA"]).value == 0.5
