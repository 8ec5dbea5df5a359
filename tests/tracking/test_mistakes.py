"""Counts of gold and predicted values that do not agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.tracking.diagnosis.findings import Mistake
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.tracker import KIND

from ..cli.invoke import call


def test_the_worst_are_those_at_most_turns() -> None:
    scorer = TrackerScorer(["JGA"])
    gold = [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-name": "mill"}, {"hotel-area": "east"}]
    pred = [{"hotel-area": "west"}, {"hotel-area": "west"}, {"hotel-area": "west", "taxi-to": "ely"}]
    scorer.add("d", gold, pred)
    assert scorer.result().mistakes.worst(2) == [
        Mistake("hotel-area", "east", "west", 3),
        Mistake("hotel-name", "mill", None, 1),
    ]


LINE = {
    "dialogue_id": "d",
    "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west", "taxi-to": "ely"}}],
}


def test_they_stand_with_scores_by_slot_in_a_run_and_on_its_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    wanted = [
        {"slot": "hotel-area", "gold": "east", "pred": "west", "turns": 1},
        {"slot": "taxi-to", "gold": None, "pred": "ely", "turns": 1},
    ]
    said = call(capsys, "tracker", "score", path, "--by", "slot", "--json", "--out", tmp_path / "run", "--quiet")
    assert json.loads(said.out)["mistakes"] == wanted
    assert json.loads((tmp_path / "run" / "run.json").read_text())["mistakes"] == wanted
    assert "hotel-area  east       west" in call(capsys, "tracker", "score", path, "--by", "slot", "--quiet").out
    assert "mistakes" not in json.loads(call(capsys, "tracker", "score", path, "--json", "--quiet").out)
    first = next(iter(KIND.breakdowns(OpenedRun(tmp_path / "run"))))
    assert first.rows == (("hotel-area", "east", "west", "1"), ("taxi-to", "(nothing)", "ely", "1"))


@pytest.mark.parametrize("noted", [7, [7], [{"slot": 1}], None])
def test_damaged_mistakes_of_a_run_end_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, noted: object
) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    call(capsys, "tracker", "score", path, "--out", tmp_path / "run", "--quiet")
    manifest = tmp_path / "run" / "run.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "mistakes": noted}))
    if isinstance(noted, list) and isinstance(noted[0], dict):
        assert next(iter(KIND.breakdowns(OpenedRun(tmp_path / "run")))).title == "by domain"
    else:
        with pytest.raises(InputError, match=r"run\.json: damaged: Expected .*mistakes"):
            OpenedRun(tmp_path / "run")
