from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.tracker_results import TripPy
from dialmeter.readers.source import Sample

from ..files import as_json, complaint, read_all


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


def test_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
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


def test_one_side_only(tmp_path: Path) -> None:
    entries = [entry(["t", "d", "0"], {"a-b": "c"}), entry(["t", "d", "1"], None, {"a-b": "c"})]
    (found,) = read_all(as_json(tmp_path, entries), "trippy")
    assert [(turn.gold, turn.pred) for turn in found.turns] == [(None, {"a-b": "c"}), ({"a-b": "c"}, None)]


GUID = ["t", "d", "0"]


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ({}, "the file must be a list, found an object"),
        ([both(GUID, "a", "b"), 3], "entry 2 must be an object, found a number"),
        ([{}], "the guid of entry 1 must be [split, dialogue, turn]"),
        ([both("d-0", "a", "b")], "the guid of entry 1 must be [split, dialogue, turn]"),
        ([both(["d", "0"], "a", "b")], "the guid of entry 1 must be [split, dialogue, turn]"),
        ([both(["t", None, "0"], "a", "b")], "the guid of entry 1 must be [split, dialogue, turn]"),
        ([both(["t", "d", True], "a", "b")], "the guid of entry 1 must be [split, dialogue, turn]"),
        ([both({}, "a", "b")], "the guid of entry 1 must be [split, dialogue, turn]"),
        ([both(["t", "d", "x"], "a", "b")], "dialogue d, turn x: a turn's number must be a whole number, found 'x'"),
        ([both(["t", "d", -1], "a", "b")], "dialogue d, turn -1: a turn's number must be a whole number, found '-1'"),
        ([{"guid": GUID}], "dialogue d, turn 0: an entry without any slot_prediction_... or slot_groundtruth_..."),
        (
            [entry(GUID, {"a": "b"}, {"a": "b", "c": "d"})],
            "dialogue d, turn 0, slot c: the slot must have both a prediction and a ",
        ),
        ([both(GUID, None, "b")], "dialogue d, turn 0, slot hotel-area: a value must be a string, found null"),
        ([both(GUID, "a", ["b"])], "dialogue d, turn 0, slot hotel-area: a value must be a string, found a list"),
        ([both(GUID, "a", "b"), both(["t", "d", 0], "a", "b")], "dialogue d, turn 0: duplicate turn"),
        ([both(GUID, "a", "b"), both(["t", "D.json", "0"], "a", "b")], "dialogue D.json: duplicate dialogue id"),
    ],
)
def test_bad_files(tmp_path: Path, thing: Any, said: str) -> None:
    assert complaint(as_json(tmp_path, thing), "trippy").startswith(said)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ([both(GUID, "a", "b")], True),
        ([entry("t-d-0", None, {"a": "b"})], True),
        ([{"guid": GUID, "class_prediction_a": 1}], False),
        ([{"slot_prediction_a": "b"}], False),
        ([{"dialogue_id": "d", "utt_idx": 0, "state": {}}], False),
        ([], False),
        ({}, False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    assert TripPy.detect(Sample("document", value)) is fits
    assert not TripPy.detect(Sample("lines", value))
