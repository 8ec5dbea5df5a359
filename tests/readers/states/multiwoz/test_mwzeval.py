from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.parts import Role

from ....shared_data import shared
from ..files import as_json, read_all

TURNS = [
    {"response": "where to?", "state": {"taxi": {"leave at": "17:15"}}},
    {"response": "booked.", "state": {"taxi": {"leave at": "17:15", "destination": "cambridge"}}, "active_domains": []},
]


def test_a_state_is_predicted_or_gold_by_the_role_of_the_file(tmp_path: Path) -> None:
    path = as_json(tmp_path, {"sng0073": TURNS})
    (predicted,) = read_all(path, "mwzeval", Role.PRED)
    assert [turn.pred for turn in predicted.turns] == [
        {"taxi-leave at": "17:15"},
        {"taxi-leave at": "17:15", "taxi-destination": "cambridge"},
    ]
    assert all(turn.gold is None for turn in predicted.turns)
    for role in (Role.GOLD, Role.BOTH):
        (gold,) = read_all(path, "mwzeval", role)
        assert [turn.gold for turn in gold.turns] == [turn.pred for turn in predicted.turns]
        assert all(turn.pred is None for turn in gold.turns)


def test_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, {"a": [{"state": {"taxi": {"leave": "1", "leaveAt": "2"}}}]}), "mwzeval")
    assert found.turns[0].gold == {"taxi-leave": "1", "taxi-leaveAt": "2"}


def test_a_response_is_heard_before_the_next_turn(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, {"sng0073": TURNS}), "mwzeval")
    assert [(turn.number, turn.system) for turn in found.turns] == [(0, ""), (1, "where to?")]


def test_no_state_is_not_an_empty_state(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, {"a": [{"response": "hello"}, {"state": {}}, {"state": None}]}), "mwzeval")
    assert [turn.gold for turn in found.turns] == [None, {}, None]


@pytest.mark.parametrize("turn", [{"response": "hello"}, {"state": None}])
def test_a_prediction_has_a_state(tmp_path: Path, turn: Any) -> None:
    path = as_json(tmp_path, {"a": [{"state": {}}, turn]})
    with pytest.raises(InputError) as caught:
        read_all(path, "mwzeval", Role.PRED)
    assert str(caught.value) == f"{path}: dialogue a, turn 1: a prediction without a state"


def test_published_predictions() -> None:
    dialogues = read_all(shared("data", "tracking", "mwzeval_sample.json"), "mwzeval", Role.PRED)
    assert len(dialogues) == 60
    assert all(turn.pred is not None for found in dialogues for turn in found.turns)
    slots = {slot for found in dialogues for turn in found.turns for slot in turn.pred or ()}
    assert {"train-leave", "train-arrive", "hotel-people", "restaurant-time"} <= slots
    assert not {"train-leaveat", "train-arriveby"} & slots
