"""Seen and unseen services, native files with frames, and schema sensitivity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter import DialmeterError
from dialmeter.errors import NotApplicable
from dialmeter.model import Dialogue, Frame, Schema, Turn
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.own import write
from dialmeter.studies.sensitivity import SchemaSensitivity, study_sensitivity
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file

RIGHT, WRONG = {"Hotels_1-city": "Ely"}, {"Hotels_1-city": "Xx"}
DIALOGUE = Dialogue(
    "d1",
    (
        Turn(
            0,
            gold={**RIGHT, "Buses_1-to": "Ely"},
            pred={**RIGHT, "Buses_1-to": "Zzz"},
            frames={
                "Hotels_1": Frame("Find", "Find", ("price",), ("price",)),
                "Buses_1": Frame("Ride", "Walk", (), ("seat",)),
            },
        ),
    ),
)


def native(tmp_path: Path) -> Path:
    path = tmp_path / "d.jsonl"
    with open(path, "wb") as file:
        assert write([DIALOGUE], file) == 1
    return path


def schema_file(tmp_path: Path) -> Path:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps({"Hotels_1": ["city"], "Buses_1": ["to"]}))
    return path


def test_rules_without_schema(tmp_path: Path) -> None:
    with pytest.raises(NotApplicable, match="need a schema"):
        score_file(str(native(tmp_path)), rules="sgd")


def test_service_that_schema_lacks(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"Hotels_1": ["city"]}))
    with pytest.raises(DialmeterError, match="dialogue d1, slot Buses_1: the service is not in the schema"):
        score_file(str(native(tmp_path)), rules="sgd", measures=["JointGoalAccuracy"], schema=str(schema))


def spoken(tmp_path: Path, side: str, utterance: str, *services: str) -> str:
    folder = tmp_path / side
    folder.mkdir()
    states = [{"service": service, "state": {"slot_values": {"city": ["Ely"]}}} for service in services]
    turn = {"speaker": "USER", "utterance": utterance, "frames": states}
    (folder / "dialogues_001.json").write_text(json.dumps([{"dialogue_id": "d1", "turns": [turn]}]))
    (folder / "schema.json").write_text(json.dumps({"Hotels_1": ["city"]}))
    return str(folder)


@pytest.mark.parametrize(
    ("utterance", "services", "said"),
    [
        ("hello", ["Hotels_1"], "gold and prediction have different utterances"),
        ("hi", [], "gold has a frame and the prediction has none"),
    ],
)
def test_files_not_belonging_together(tmp_path: Path, utterance: str, services: list[str], said: str) -> None:
    gold, pred = spoken(tmp_path, "gold", "hi", "Hotels_1"), spoken(tmp_path, "pred", utterance, *services)
    with pytest.raises(DialmeterError, match=f"dialogue d1, turn 0, slot Hotels_1: {said}"):
        score_file(pred, gold, rules="sgd")


def test_predictions_without_frames(tmp_path: Path) -> None:
    gold = spoken(tmp_path, "gold", "hi", "Hotels_1")
    path = tmp_path / "pred.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "turns": [{"turn": 0, "pred": {"Hotels_1-city": "Ely"}}]}) + "\n")
    assert score_file(str(path), gold, rules="sgd", measures=["JGA"]).value == 1


def test_measure_aliases_count_once(tmp_path: Path) -> None:
    path, schema = str(native(tmp_path)), str(schema_file(tmp_path))
    result = score_file(path, rules="sgd", measures=["JGA", "JointGoalAccuracy"], schema=schema)
    assert [score.n for score in result.scores] == [2, 2]


def test_frames_survive_native_format(tmp_path: Path) -> None:
    assert list(open_corpus(native(tmp_path))) == [DIALOGUE]
    result = score_file(
        str(native(tmp_path)),
        rules="sgd",
        measures=["JGA", "IntentAccuracy", "RequestedSlotF1"],
        schema=str(schema_file(tmp_path)),
    )
    assert result["IntentAccuracy"].value == 0.5
    assert result["RequestedSlotF1"].value == 0.5


def test_frame_type(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    turn = {"turn": 0, "gold": {}, "pred": {}, "frames": {"Hotels_1": {"gold_intent": 3}}}
    path.write_text(json.dumps({"dialogue_id": "d", "turns": [turn]}) + "\n")
    message = r"dialogue d, turn 0: frames\.Hotels_1\.gold_intent must be a string, found a number"
    with pytest.raises(DialmeterError, match=message):
        list(open_corpus(path))


@pytest.mark.parametrize("rules", ["sgd", "dialmeter"])
def test_seen_and_unseen(tmp_path: Path, rules: str) -> None:
    schema = tmp_path / "train.json"
    schema.write_text(json.dumps({"Hotels_1": ["city"]}))
    path, whole = str(native(tmp_path)), str(schema_file(tmp_path))
    result = score_file(path, measures=["JGA"], rules=rules, schema=whole, by=["seen"], train_schema=str(schema))
    found = {score.group["seen"]: score.value for score in result.by("seen")}
    assert found == {"seen": 1, "unseen": 0}


def scored(*preds: dict[str, str]) -> TrackerResult:
    scorer = TrackerScorer(["JointGoalAccuracy"], "sgd", Schema({"Hotels_1": {"city": False}}))
    for number, pred in enumerate(preds):
        scorer.add(f"d{number}", [RIGHT], [pred])
    return scorer.result()


def sensitivity(*variants: TrackerResult) -> SchemaSensitivity:
    [found] = study_sensitivity({f"v{number}": each for number, each in enumerate(variants)})
    return found


def test_schema_sensitivity_by_hand() -> None:
    # Frame 0 is right under both variants, frame 1 under one of them: (0 + (√.5 / .5)) / 2.
    found = sensitivity(scored(RIGHT, RIGHT), scored(RIGHT, WRONG))
    assert found.value == pytest.approx((0 + 0.5**0.5 / 0.5) / 2)
    assert (found.n, found.unscored) == (2, 0)


def test_careless_tracker_and_wrong_frames() -> None:
    assert sensitivity(scored(RIGHT), scored(RIGHT)).value == 0
    never = sensitivity(scored(WRONG), scored(WRONG))
    assert (never.value, never.unscored) == (None, 1)


def test_unsuitable_variants() -> None:
    with pytest.raises(DialmeterError, match="two variants"):
        sensitivity(scored(RIGHT))
    with pytest.raises(DialmeterError, match="same dialogues"):
        sensitivity(scored(RIGHT), scored(RIGHT, RIGHT))
