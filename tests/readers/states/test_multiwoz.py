"""States in files of MultiWOZ and ConvLab-3, and lists of dialogue ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import NAMED
from dialmeter.readers.layouts.multiwoz import ConvLab3, MultiWoz, ids_of_list
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.validation import Role

from .files import as_json, read_all


def said(text: str) -> dict[str, Any]:
    return {"text": text, "metadata": {}}


def answered(text: str, **domains: Any) -> dict[str, Any]:
    return {"text": text, "metadata": domains}


def log(*utterances: Any) -> dict[str, Any]:
    return {"MUL0003.json": {"goal": {}, "log": list(utterances)}}


def dial(*turns: Any, dialogue_idx: Any = "MUL0003.json") -> dict[str, Any]:
    return {"dialogue_idx": dialogue_idx, "domains": ["hotel"], "dialogue": list(turns)}


def belief(*pairs: Any, act: str = "inform") -> list[dict[str, Any]]:
    return [{"slots": [pair], "act": act} for pair in pairs]


HOTEL = {
    "semi": {"area": "east", "name": "not mentioned", "stars": "", "parking": "none", "priceRange": "dont care"},
    "book": {"people": "2", "day": "", "booked": [{"name": "x"}]},
}


def test_the_state_of_a_user_turn_stands_at_the_systems_answer(tmp_path: Path) -> None:
    path = as_json(
        tmp_path, log(said("a room"), answered("where?", hotel=HOTEL), said("bye"), answered("bye", taxi={}))
    )
    (found,) = read_all(path, "multiwoz", Role.GOLD)
    assert [(turn.number, turn.user, turn.system) for turn in found.turns] == [(0, "a room", ""), (1, "bye", "where?")]
    kept = {"hotel-area": "east", "hotel-parking": "none", "hotel-priceRange": "dont care", "hotel-people": "2"}
    assert [turn.gold for turn in found.turns] == [kept, {}]
    (predicted,) = read_all(path, "multiwoz", Role.PRED)
    assert [(turn.gold, turn.pred) for turn in predicted.turns] == [(None, kept), (None, {})]


def test_slots_without_a_value_are_named_with_their_section() -> None:
    words = Vocabulary()
    numbers = words.number({"hotel": HOTEL}, MultiWoz.STATES)
    named = [words.cell(number) for number in numbers if words.values[number] == NAMED]
    assert named == [("hotel", "semi", "name"), ("hotel", "semi", "stars"), ("hotel", "book", "day")]
    assert words.names_empty


def test_a_last_turn_without_answer_has_no_state(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, log(said("a"), answered("b"), said("c"))), "multiwoz")
    assert [(turn.number, turn.gold) for turn in found.turns] == [(0, {}), (1, None)]


def test_dials(tmp_path: Path) -> None:
    second = {
        "turn_idx": 1,
        "belief_state": belief(["hotel-book day", "sunday"], ["hotel-name", "none"], ["hotel-area", "not mentioned"])
        + belief(["slot", "food"], act="request"),
        "system_transcript": "where?",
        "transcript": "east",
    }
    first = {"turn_idx": 0, "belief_state": [], "system_transcript": "", "transcript": "a room"}
    (found,) = read_all(as_json(tmp_path, [dial(second, first)]), "multiwoz", Role.GOLD)
    assert found.id == "MUL0003.json"
    assert [turn.gold for turn in found.turns] == [{}, {"hotel-book day": "sunday", "hotel-name": "none"}]
    assert [(turn.user, turn.system) for turn in found.turns] == [("a room", ""), ("east", "where?")]


def test_a_list_file_names_dialogues_as_they_are_matched(tmp_path: Path) -> None:
    path = tmp_path / "testListFile.txt"
    path.write_text("MUL0003.json\r\n\nSNG01.json\nsng01\n", encoding="utf-8")
    assert ids_of_list(path) == {"mul0003", "sng01"}


@pytest.mark.parametrize(
    ("text", "message"),
    [(" \n", "the list has no dialogue ids"), ('["MUL0003.json"]', "expected one dialogue id per line")],
)
def test_a_list_file_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        ids_of_list(path)


def test_a_list_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        ids_of_list(tmp_path / "none.txt")


def entry(place: Any, gold: Any, pred: Any = None, dialogue_id: str = "d", **more: Any) -> dict[str, Any]:
    predictions = {} if pred is None else {"predictions": {"state": pred}}
    return {"dialogue_id": dialogue_id, "utt_idx": place, "state": gold, **predictions, **more}


def test_both_states_with_empty_slots_left_out(tmp_path: Path) -> None:
    gold = {
        "hotel": {"area": "", "book day": "monday", "day": "", "name": "a|b", "stars": " "},
        "taxi": {"leave at": ""},
    }
    path = as_json(tmp_path, [entry(0, gold, {"hotel": {"area": "east", "name": "a|b"}})])
    for role in Role:
        (found,) = read_all(path, "convlab3", role)
        assert found.turns[0].gold == {"hotel-book day": "monday", "hotel-name": "a|b", "hotel-stars": " "}
        assert found.turns[0].pred == {"hotel-area": "east", "hotel-name": "a|b"}


def test_slots_without_a_value_are_named() -> None:
    words = Vocabulary()
    numbers = words.number({"hotel": {"area": "", "name": " ", "stars": None, "type": []}}, ConvLab3.STATES)
    assert [(words.slots[number], words.values[number]) for number in numbers] == [
        ("hotel-area", NAMED),
        ("hotel-name", " "),
        ("hotel-type", ()),
    ]
    assert words.state(numbers) == {"hotel-name": " ", "hotel-type": ()}
    assert words.names_empty


def test_entries_in_any_order_and_turns_at_every_second_utterance(tmp_path: Path) -> None:
    entries = [entry(4, {"x": {"y": "4"}}), entry(0, {}, dialogue_id="e"), entry(0, {}), entry("2", {"x": {"y": "2"}})]
    first, second = read_all(as_json(tmp_path, entries), "convlab3")
    assert (first.id, second.id) == ("d", "e")
    assert [(turn.number, turn.gold) for turn in first.turns] == [(0, {}), (1, {"x-y": "2"}), (2, {"x-y": "4"})]


@pytest.mark.parametrize(
    ("places", "numbers"), [([0, 2, 6], [0, 1, 3]), ([1, 3, 5], [0, 1, 2]), ([0, 1, 2], [0, 1, 2]), ([7], [3])]
)
def test_numbers(tmp_path: Path, places: list[int], numbers: list[int]) -> None:
    (found,) = read_all(as_json(tmp_path, [entry(place, {}) for place in places]), "convlab3")
    assert [turn.number for turn in found.turns] == numbers


def test_without_predictions_the_predicted_state_is_not_given(tmp_path: Path) -> None:
    entries = [entry(0, {}), entry(2, {}, predictions=None), entry(4, {}, predictions={}), entry(6, None, {})]
    (found,) = read_all(as_json(tmp_path, entries), "convlab3")
    assert [(turn.gold, turn.pred) for turn in found.turns] == [({}, None), ({}, None), ({}, None), (None, {})]


def test_utterances(tmp_path: Path) -> None:
    context = [{"speaker": "user", "utterance": "hi"}, {"speaker": "system", "utterance": "hello"}]
    entries = [entry(2, {}, utterance="a room", context=context), entry(4, {}, context=context[:1])]
    (found,) = read_all(as_json(tmp_path, entries), "convlab3")
    assert [(turn.user, turn.system) for turn in found.turns] == [("a room", "hello"), ("", "")]
