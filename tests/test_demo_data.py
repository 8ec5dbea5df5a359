"""The dialogues that come with dialmeter, and the demo on them."""

from __future__ import annotations

import importlib.util
import io
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

from dialmeter.cli.main import run
from dialmeter.formats.native import write
from dialmeter.resampling import Resampling
from dialmeter.tracking.compare import compare
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import score_file

TRACKERS = ("steady", "hasty")
DATA = files("dialmeter.demo_data")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    path = Path(__file__).parents[1] / "tools" / "make_demo_dialogues.py"
    spec = importlib.util.spec_from_file_location("make_demo_dialogues", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results() -> dict[str, TrackerResult]:
    return {name: score_file(str(DATA.joinpath(f"{name}.jsonl"))) for name in TRACKERS}


@pytest.mark.parametrize("name", TRACKERS)
def test_the_generator_gives_the_shipped_bytes(generator: ModuleType, name: str) -> None:
    file = io.BytesIO()
    write(generator.dialogues(name), file)
    assert file.getvalue() == DATA.joinpath(f"{name}.jsonl").read_bytes()


def test_what_is_in_the_dialogues(generator: ModuleType, results: dict[str, TrackerResult]) -> None:
    dialogues = generator.dialogues("steady")
    assert len(dialogues) >= 30
    assert results["steady"].data == results["hasty"].data
    values = {value for dialogue in dialogues for turn in dialogue.turns for value in turn.gold.values()}
    assert {"dontcare", "cheap|moderate"} <= values
    assert any("-" in value for value in values)
    pairs = [
        (one.gold, two.gold)
        for dialogue in dialogues
        for one, two in zip(dialogue.turns, dialogue.turns[1:], strict=False)
    ]
    assert any(one.keys() - two.keys() for one, two in pairs), "a deletion"
    assert any(one == two for one, two in pairs), "a turn that changes nothing"
    assert all(turn.user for dialogue in dialogues for turn in dialogue.turns)


def test_the_story_that_the_demo_tells(results: dict[str, TrackerResult]) -> None:
    found = {each.measure: each for each in compare(results, Resampling(resamples=10_000)).versus}
    assert found["JGA"].difference is not None
    assert found["GCA"].difference is not None
    assert found["JGA"].difference > 0 > found["GCA"].difference
    assert found["JGA"].p_holm is not None
    assert found["GCA"].p_holm is not None
    assert found["GCA"].p_holm < 0.05 < found["JGA"].p_holm


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = str(tmp_path / "demo")
    with pytest.raises(SystemExit) as stop:
        run(["demo", "--out", out])
    printed = capsys.readouterr().out
    assert not stop.value.code
    assert printed.rstrip().endswith(f"report: {Path(out) / 'report.md'}")
    report = (tmp_path / "demo" / "report.md").read_text("utf-8")
    assert "| JGA | steady | 37.59 |" in report
    with pytest.raises(SystemExit) as again:
        run(["demo", "--out", out])
    assert again.value.code == 2
