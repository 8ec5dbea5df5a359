from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import NAMED
from dialmeter.readers.layouts.multiwoz import MultiWoz, ids_of_list
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.parts import Role
from dialmeter.readers.source import Sample

from ..files import as_json, complaint, read_all


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


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (7, "the file must be an object, found a number"),
        ({"a": []}, "dialogue a: a dialogue must be an object, found a list"),
        ({"a": {}}, "dialogue a: log must be a list, found null"),
        ({"a": {"log": []}}, "dialogue a: a dialogue without turns"),
        ({"a": {"log": [said("")]}, "A.json": {"log": [said("")]}}, "dialogue A.json: duplicate dialogue id"),
        (log("x"), "dialogue MUL0003.json, turn 0: an utterance must be an object, found a string"),
        (log({"text": 1}), "dialogue MUL0003.json, turn 0: text must be a string"),
        (log(answered("", hotel={})), "dialogue MUL0003.json, turn 0: metadata in a user turn"),
        (log(said(""), {"metadata": []}), "dialogue MUL0003.json, turn 0: a state must be an object, found a list"),
        (
            log(said(""), answered("", hotel=[])),
            "dialogue MUL0003.json, turn 0, slot hotel: a domain must be an object",
        ),
        (
            log(said(""), answered("", hotel={"semi": {"area": {}}})),
            "dialogue MUL0003.json, turn 0, slot hotel-area: a value must be",
        ),
        (["x"], "entry 0 must be an object, found a string"),
        ([dial(dialogue_idx=1)], "entry 0: dialogue_idx must be a string"),
        ([dial()], "dialogue MUL0003.json: a dialogue without turns"),
        ([{"dialogue_idx": "a", "dialogue": {}}], "dialogue a: dialogue must be a list, found an object"),
        ([dial({"turn_idx": "x"})], "dialogue MUL0003.json, turn 0: a turn's number must be a whole number"),
        ([dial({"turn_idx": 3}, {"turn_idx": 3})], "dialogue MUL0003.json, turn 3: duplicate turn"),
        ([dial({"belief_state": {}})], "dialogue MUL0003.json, turn 0: belief_state must be a list"),
        ([dial({"belief_state": ["x"]})], "dialogue MUL0003.json, turn 0: belief_state[0] must be an object"),
        ([dial({"belief_state": [{}]})], "dialogue MUL0003.json, turn 0: slots must be a list, found null"),
        ([dial({"belief_state": belief(["hotel-area"])})], "dialogue MUL0003.json, turn 0: a slot must be"),
        ([dial({"belief_state": belief(["a-b", {}])})], "dialogue MUL0003.json, turn 0, slot a-b: a value must be"),
        ([dial({"transcript": []})], "dialogue MUL0003.json, turn 0: transcript must be a string"),
    ],
)
def test_bad_files(tmp_path: Path, thing: Any, message: str) -> None:
    assert complaint(as_json(tmp_path, thing), "multiwoz").startswith(message)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (log(), True),
        ([dial()], True),
        ({"a": {"0": {"gt": {}}}}, False),
        ({"a": {"domain": "hotel", "turns": {}}}, False),
        ({}, False),
        ([], False),
        ([{"dialogue_id": "a", "turns": []}], False),
        ([7], False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    assert MultiWoz.detect(Sample("document", value)) is fits


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
