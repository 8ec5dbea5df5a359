from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus

from ..files import as_json, read_all


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
