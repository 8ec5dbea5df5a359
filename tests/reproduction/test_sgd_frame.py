"""One worked frame of the official schema-guided scorer, from files to scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.scoring import score_file

from ..shared_data import shared

OFFICIAL = {
    "JointGoalAccuracy": "joint_goal_accuracy",
    "JointCatAccuracy": "joint_cat_accuracy",
    "JointNoncatAccuracy": "joint_noncat_accuracy",
    "AverageGoalAccuracy": "average_goal_accuracy",
    "AverageCatAccuracy": "average_cat_accuracy",
    "AverageNoncatAccuracy": "average_noncat_accuracy",
}
SERVICE = "Restaurants_1"


def write(folder: Path, frames: list[dict[str, Any]], schema: dict[str, str]) -> Path:
    """A folder with one dialogue of one turn, and the schema."""
    folder.mkdir()
    slots = [{"name": name, "is_categorical": kind == "categorical"} for name, kind in schema.items()]
    turn = {"speaker": "USER", "utterance": "a table", "frames": frames}
    for name, content in (
        ("schema.json", [{"service_name": SERVICE, "slots": slots}]),
        ("dialogues_001.json", [{"dialogue_id": "1_00000", "turns": [turn]}]),
    ):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def frame(values: dict[str, list[str]], intent: str, requested: list[str], service: str = SERVICE) -> dict[str, Any]:
    state = {"active_intent": intent, "requested_slots": requested, "slot_values": values}
    return {"service": service, "state": state}


def scores(gold_folder: Path, pred_folder: Path) -> dict[str, float | None]:
    result = score_file(str(pred_folder), str(gold_folder), rules="sgd", measures=named("sgd").measures)
    return {score.measure: score.value for score in result.scores}


def test_worked_frame(tmp_path: Path) -> None:
    worked = json.loads(shared("expected", "tracking.json").read_text("utf-8"))["SGD frame"]
    gold = write(tmp_path / "gold", [frame(worked["gold"], "Find", ["phone", "address"])], worked["schema"])
    pred = write(tmp_path / "pred", [frame(worked["predicted"], "Reserve", ["phone"])], worked["schema"])
    found = scores(gold, pred)
    for name, official in OFFICIAL.items():
        assert found[name] == pytest.approx(worked["fractions"][official], abs=1e-12), name
    assert found["IntentAccuracy"] == 0
    assert found["RequestedSlotF1"] == pytest.approx(2 / 3)


def test_gold_against_itself(tmp_path: Path) -> None:
    schema = {"city": "free", "party_size": "categorical"}
    values = {"city": ["Palo Alto", "Palo Alto, CA"], "party_size": ["2"]}
    gold = write(tmp_path / "gold", [frame(values, "Find", [])], schema)
    assert set(scores(gold, gold).values()) == {1}


def test_extra_predicted_frame(tmp_path: Path) -> None:
    schema = {"city": "free"}
    right = frame({"city": ["Palo Alto"]}, "Find", [])
    gold = write(tmp_path / "gold", [right], schema)
    pred = write(tmp_path / "pred", [right, frame({"to": ["x"]}, "Ride", [], service="Taxi_1")], schema)
    assert scores(gold, pred)["JointGoalAccuracy"] == 1
