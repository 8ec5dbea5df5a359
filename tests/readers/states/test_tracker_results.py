"""Files of trackers with states as JSON: what each format means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.schema import read_schema
from dialmeter.readers.validation import Role
from dialmeter.tracking.scorer import TrackerScorer

from ...shared_data import shared
from .files import as_json, read_all


def test_the_prediction_comes_first_and_turns_are_brought_together(tmp_path: Path) -> None:
    thing = {
        "MUL_1.json_10": [["hotel-area-east"], ["hotel-area-west"]],
        "SNG2.json_0": [[], ["hotel-book people-2"]],
        "MUL_1.json_2": [[], []],
    }
    corpus = open_corpus(as_json(tmp_path, thing))
    assert corpus.format == "som-dst"
    first, second = corpus
    assert (first.id, [turn.number for turn in first.turns]) == ("MUL_1.json", [2, 10])
    assert (first.turns[1].pred, first.turns[1].gold) == ({"hotel-area": "east"}, {"hotel-area": "west"})
    assert (second.id, second.turns[0].pred, second.turns[0].gold) == ("SNG2.json", {}, {"hotel-book people": "2"})


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


def test_trade_one_side_only(tmp_path: Path) -> None:
    turns = {"0": {"turn_belief": ["a-b-c"]}, "1": {"pred_x": ["a-b-c"], "pred_time": 3}}
    (found,) = read_all(as_json(tmp_path, {"d": turns}), "trade")
    assert [(each.gold, each.pred) for each in found.turns] == [({"a-b": "c"}, None), (None, {"a-b": "c"})]


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


def test_mwzeval_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
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


def entry(guid: Any, pred: dict[str, Any] | None = None, gold: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "guid": guid,
        **{f"class_prediction_{slot}": int(value != "none") for slot, value in (pred or {}).items()},
        **{f"slot_prediction_{slot}": value for slot, value in (pred or {}).items()},
        **{f"slot_groundtruth_{slot}": value for slot, value in (gold or {}).items()},
    }


def both(guid: Any, pred: Any, gold: Any) -> dict[str, Any]:
    return entry(guid, {"hotel-area": pred}, {"hotel-area": gold})


def test_updates_are_added_up_in_the_order_of_turns(tmp_path: Path) -> None:
    entries = [
        entry(
            ["test", "MUL1.json", "1"],
            {"hotel-area": "west", "hotel-book_day": "none", "hotel-parking": "true"},
            {"hotel-area": "none", "hotel-book_day": "dontcare", "hotel-parking": "none"},
        ),
        entry(
            ["test", "MUL1.json", "0"],
            {"hotel-area": "east", "hotel-book_day": "none", "hotel-parking": "none"},
            {"hotel-area": "east", "hotel-book_day": "none", "hotel-parking": "none"},
        ),
        entry(
            ["test", "MUL1.json", "2"],
            {"hotel-area": "none", "hotel-book_day": "none", "hotel-parking": "none"},
            {"hotel-area": "none", "hotel-book_day": "none", "hotel-parking": "none"},
        ),
    ]
    corpus = open_corpus(as_json(tmp_path, entries))
    assert corpus.format == "trippy"
    (found,) = corpus
    assert [turn.number for turn in found.turns] == [0, 1, 2]
    pred, gold = {"hotel-area": "west", "hotel-parking": "true"}, {"hotel-area": "east", "hotel-book_day": "dontcare"}
    assert [turn.pred for turn in found.turns] == [{"hotel-area": "east"}, pred, pred]
    assert [turn.gold for turn in found.turns] == [{"hotel-area": "east"}, gold, gold]


def test_trippy_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
    (found,) = read_all(
        as_json(tmp_path, [entry(["t", "d", "0"], {"hotel-day": "monday", "hotel-book_day": "sunday"})]), "trippy"
    )
    assert found.turns[0].pred == {"hotel-day": "monday", "hotel-book_day": "sunday"}


def test_values_that_are_cumulative_already_stay_as_they_are(tmp_path: Path) -> None:
    entries = [both(["dev", "d", number], "east", "west") for number in range(3)]
    (found,) = read_all(as_json(tmp_path, entries), "trippy")
    assert [(turn.pred, turn.gold) for turn in found.turns] == [({"hotel-area": "east"}, {"hotel-area": "west"})] * 3


def test_values_from_the_system_lose_their_mark(tmp_path: Path) -> None:
    entries = [both(["t", "d", n], value, "none") for n, value in enumerate(["§§ east", "§§none", "§§west"])]
    (found,) = read_all(as_json(tmp_path, entries), "trippy")
    assert [turn.pred for turn in found.turns] == [
        {"hotel-area": "east"},
        {"hotel-area": "east"},
        {"hotel-area": "west"},
    ]


@pytest.mark.parametrize(
    ("guid", "place"),
    [
        (["test", "MUL1.json", "3"], ("MUL1.json", 3)),
        ("test-MUL1.json-3", ("MUL1.json", 3)),
        ("test-woz-2-x-3", ("woz-2-x", 3)),
        (["test", "woz", "2", "3"], ("woz-2", 3)),
        (["test", 7, 3], ("7", 3)),
    ],
)
def test_guids(tmp_path: Path, guid: Any, place: tuple[str, int]) -> None:
    (found,) = read_all(as_json(tmp_path, [both(guid, "a", "b")]), "trippy")
    assert (found.id, found.turns[0].number) == place


def test_trippy_one_side_only(tmp_path: Path) -> None:
    entries = [entry(["t", "d", "0"], {"a-b": "c"}), entry(["t", "d", "1"], None, {"a-b": "c"})]
    (found,) = read_all(as_json(tmp_path, entries), "trippy")
    assert [(turn.gold, turn.pred) for turn in found.turns] == [(None, {"a-b": "c"}), ({"a-b": "c"}, None)]


INSTANCE = {"hotel": {"semi": {"name": ["A", "B"], "stars": ["4"]}, "book": {"people": ["2"], "rooms": []}}}


def test_the_place_is_the_name_and_lists_are_values(tmp_path: Path) -> None:
    path = as_json(tmp_path, [{}, INSTANCE])
    empty, found = read_all(path, "dstc10", Role.PRED)
    assert (empty.id, [turn.pred for turn in empty.turns]) == ("0", [{}])
    assert (found.id, found.turns[0].number) == ("1", 0)
    assert found.turns[0].pred == {"hotel-name": ("A", "B"), "hotel-stars": "4", "hotel-people": "2", "hotel-rooms": ()}
    assert read_all(path, "dstc10", Role.GOLD)[1].turns[0].gold == found.turns[0].pred


def test_a_slot_of_both_sections_is_two_slots(tmp_path: Path) -> None:
    things = [
        {"hotel": {"semi": {"day": ["a"]}, "book": {"day": ["b"]}}},
        {"hotel": {"semi": {"day": ["a"]}, "book": {"day": ["a"]}}},
    ]
    two, one = read_all(as_json(tmp_path, things), "dstc10", Role.GOLD)
    assert two.turns[0].gold == {"hotel-semi day": "a", "hotel-book day": "b"}
    assert one.turns[0].gold == {"hotel-semi day": "a", "hotel-book day": "a"}


def test_a_bar_in_a_list_is_part_of_the_value(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, [{"hotel": {"semi": {"name": ["a|b"], "area": ["a|b", "c"]}}}]), "dstc10")
    assert found.turns[0].gold == {"hotel-name": ("a|b",), "hotel-area": ("a|b", "c")}


def test_published_labels_fill_the_slots_of_the_published_schema() -> None:
    dialogues = read_all(shared("data", "tracking", "dstc10", "labels.json.gz"), "dstc10", Role.GOLD)
    slots = {slot for found in dialogues for slot in found.turns[0].gold or ()}
    assert slots == read_schema(shared("data", "tracking", "dstc10", "output_schema.json")).slots
    assert (len(dialogues), len(slots)) == (6588, 19)


def test_right_and_wrong(tmp_path: Path) -> None:
    corpus = open_corpus(as_json(tmp_path, {"d": {"10": [1, 0, 1], "9": [0.0, 1.0, 1]}}))
    assert (corpus.format, corpus.correctness_only) == ("vectors", True)
    (found,) = corpus
    assert [turn.number for turn in found.turns] == [9, 10]
    assert [turn.gold for turn in found.turns] == [{"slot-00": "right", "slot-01": "right", "slot-02": "right"}] * 2
    assert [list((turn.pred or {}).values()) for turn in found.turns] == [
        ["wrong", "right", "right"],
        ["right", "wrong", "right"],
    ]


FIGURES = {"JGA": "JGA", "SA": "SA(slots=30)"} | {
    f"FGA_{lam}": f"FGA(lam={lam}, local=vector)" for lam in ("0.25", "0.5", "0.75", "1.0")
}


def test_published_figures() -> None:
    block = "data/tracking/trippy_vectors.json.gz, without dialogue PMUL1455.json"
    expected = json.loads(shared("expected", "tracking.json").read_text())[block]["FGA local=vector, SA(slots=30)"]
    scorer = TrackerScorer([*FIGURES.values()], correctness_only=True)
    exact = 0
    for found in open_corpus(shared("data", "tracking", "trippy_vectors.json.gz")):
        if found.id != "PMUL1455.json":
            scorer.add_dialogue(found)
            exact += sum(turn.gold == turn.pred for turn in found.turns)
    assert exact == expected["exact_turns"]
    result = scorer.result()
    for name, scored in zip(FIGURES, result.scores, strict=True):
        assert (scored.n, round(100 * (scored.value or 0), 2)) == (expected["turns"], expected[name])


def test_all_wrong_is_not_all_absent(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, {"d": {"0": [0, 0]}}), "vectors")
    assert found.turns[0].pred == {"slot-00": "wrong", "slot-01": "wrong"}
