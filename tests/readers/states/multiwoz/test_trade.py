from pathlib import Path
from typing import Any

from dialmeter.readers.corpus import open_corpus

from ..files import as_json, read_all


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
