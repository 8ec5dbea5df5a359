from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.tracker_results import Trade
from dialmeter.readers.source import Sample

from ..files import as_json, complaint, read_all


def turn(gold: Any = (), pred: Any = (), key: str = "pred_bs_ptr") -> dict[str, Any]:
    return {"turn_belief": list(gold), key: list(pred)}


def test_both_layouts_read_the_same(tmp_path: Path) -> None:
    gold, pred = ["hotel-name-a-and-b", "hotel-book day-sunday"], ["hotel-name-a-and-b", "taxi-leaveAt-17:15"]
    plain = as_json(tmp_path, {"d": {"10": turn(gold, pred), "2": turn()}})
    wrapped_turns = {"10": turn(gold, pred, "pred_belief"), "2": turn(key="pred_belief")}
    wrapped = as_json(tmp_path, {"d": {"domain": "hotel", "turns": wrapped_turns}}, "wrapped.json")
    (found,) = open_corpus(plain)
    assert [each.number for each in found.turns] == [2, 10]
    assert (found.turns[0].gold, found.turns[0].pred) == ({}, {})
    assert found.turns[1].gold == {"hotel-name": "a-and-b", "hotel-book day": "sunday"}
    assert found.turns[1].pred == {"hotel-name": "a-and-b", "taxi-leaveAt": "17:15"}
    assert list(open_corpus(wrapped)) == [found]
    assert open_corpus(plain).format == open_corpus(wrapped).format == "trade"


def test_one_side_only(tmp_path: Path) -> None:
    turns = {"0": {"turn_belief": ["a-b-c"]}, "1": {"pred_x": ["a-b-c"], "pred_time": 3}}
    (found,) = read_all(as_json(tmp_path, {"d": turns}), "trade")
    assert [(each.gold, each.pred) for each in found.turns] == [({"a-b": "c"}, None), (None, {"a-b": "c"})]


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ([], "the file must be an object, found a list"),
        ({"d": []}, "dialogue d: a dialogue must be an object, found a list"),
        ({"d": {}}, "dialogue d: a dialogue without turns"),
        ({"d": {"turns": []}}, "dialogue d: turns must be an object, found a list"),
        ({"d": {"0": None}}, "dialogue d, turn 0: a turn must be an object, found null"),
        ({"d": {"0": {}}}, "dialogue d, turn 0: a turn without turn_belief and without a prediction"),
        ({"d": {"x": turn()}}, "dialogue d, turn x: a turn's number must be a whole number, found 'x'"),
        ({"d": {"1": turn(), "01": turn()}}, "dialogue d, turn 1: duplicate turn"),
        ({"d": {"0": {"turn_belief": {}}}}, "dialogue d, turn 0: a state must be a list, found an object"),
        (
            {"d": {"0": {"turn_belief": [], "pred_bs_ptr": None}}},
            "dialogue d, turn 0: a state must be a list, found null",
        ),
        ({"d": {"0": {"turn_belief": [3]}}}, "dialogue d, turn 0: a pair must be a string, found a number"),
        ({"d": {"0": turn(["hotel-area"])}}, "dialogue d, turn 0: a pair reads domain-slot-value, found 'hotel-area'"),
        ({"d": {"0": turn(["a-b-c", "a-b-d"])}}, "dialogue d, turn 0, slot a-b: duplicate slot with two values"),
        (
            {"d": {"0": {"turn_belief": [], "pred_bs_ptr": [], "pred_bs_class": []}}},
            "dialogue d, turn 0: several predictions, pred_bs_ptr, pred_bs_class; keep one of them",
        ),
        ({"D.json": {"0": turn()}, "d": {"0": turn()}}, "dialogue d: duplicate dialogue id"),
    ],
)
def test_bad_files(tmp_path: Path, thing: Any, said: str) -> None:
    assert complaint(as_json(tmp_path, thing), "trade").startswith(said)


def test_a_turn_written_twice_under_one_key(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text('{"d": {"0": {"turn_belief": []}, "0": {"turn_belief": []}}}')
    assert complaint(path, "trade") == "dialogue d: duplicate key '0' in a dialogue"


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"d": {"0": turn()}}, True),
        ({"d": {"domain": "x", "turns": {"0": turn()}}}, True),
        ({"d": {"0": {"pred_bs_ptr": []}}}, True),
        ({"d": {"0": {"gt": {}, "pr": {}}}}, False),
        ({"d": {"0": [1, 0]}}, False),
        ({"d_0": [[], []]}, False),
        ({"d": [{"state": {}}]}, False),
        ({"d": {"goal": {}, "log": []}}, False),
        ({"dialogue_id": "d", "turns": []}, False),
        ({}, False),
        ([], False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    assert Trade.detect(Sample("document", value)) is fits
    assert not Trade.detect(Sample("lines", value))
