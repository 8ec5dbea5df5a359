from pathlib import Path

from dialmeter.readers.layouts.schema import read_schema
from dialmeter.readers.parts import Role

from ....shared_data import shared
from ..files import as_json, read_all

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
