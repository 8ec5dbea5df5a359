from pathlib import Path
from typing import Any

import pytest

from dialmeter.model import NAMED
from dialmeter.readers.layouts.multiwoz import ConvLab3
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.parts import Role

from ..files import as_json, read_all


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
    ("places", "numbers"),
    [([0, 2, 6], [0, 1, 3]), ([1, 3, 5], [0, 1, 2]), ([0, 1, 2], [0, 1, 2]), ([7], [3])],
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
