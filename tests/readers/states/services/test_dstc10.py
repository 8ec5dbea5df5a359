from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.layouts.schema import read_schema
from dialmeter.readers.layouts.tracker_results import Dstc10
from dialmeter.readers.parts import Role
from dialmeter.readers.source import Sample

from ....shared_data import shared
from ..files import as_json, complaint, read_all

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


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ({}, "the file must be a list, found an object"),
        ([{}, []], "dialogue 1, turn 0: a state must be an object, found a list"),
        ([{"hotel": []}], "dialogue 0, turn 0, slot hotel: a domain must be an object, found a list"),
        ([{"hotel": {"sem": {}}}], "dialogue 0, turn 0, slot hotel: a domain holds semi and book, found 'sem'"),
        ([{"hotel": {"semi": None}}], "dialogue 0, turn 0, slot hotel: semi must be an object, found null"),
        (
            [{"hotel": {"semi": {"name": {}}}}],
            "dialogue 0, turn 0, slot hotel-name: values must be a list, found an object",
        ),
        (
            [{"hotel": {"semi": {"name": "A"}}}],
            "dialogue 0, turn 0, slot hotel-name: values must be a list, found a string",
        ),
        (
            [{"hotel": {"book": {"stay": 3}}}],
            "dialogue 0, turn 0, slot hotel-stay: values must be a list, found a number",
        ),
        ([{"hotel": {"semi": {"name": ["a", True]}}}], "dialogue 0, turn 0, slot hotel-name: a value must be "),
    ],
)
def test_bad_files(tmp_path: Path, thing: Any, said: str) -> None:
    assert complaint(as_json(tmp_path, thing), "dstc10").startswith(said)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ([INSTANCE], True),
        ([{}, {}, INSTANCE], True),
        ([{}] * 30 + [INSTANCE], True),
        ([{}], True),
        ([], False),
        ([INSTANCE, 7], False),
        ([{"hotel": {"area": "east"}}], False),
        ([{}] * 30 + [{"hotel": {"area": "east"}}], False),
        ([{"hotel": {}}], True),
        ([{"dialogue_id": "a", "turns": []}], False),
        ({"a": INSTANCE}, False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    assert Dstc10.detect(Sample("document", value)) is fits


def test_published_labels_fill_the_slots_of_the_published_schema() -> None:
    dialogues = read_all(shared("data", "tracking", "dstc10", "labels.json.gz"), "dstc10", Role.GOLD)
    slots = {slot for found in dialogues for slot in found.turns[0].gold or ()}
    assert slots == read_schema(shared("data", "tracking", "dstc10", "output_schema.json")).slots
    assert (len(dialogues), len(slots)) == (6588, 19)
