from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.layouts.schema import read_schema
from dialmeter.readers.pairs.slot_names import slot_namer

from ...shared_data import shared
from .files import as_json


def service(name: Any, *slots: Any) -> dict[str, Any]:
    return {"service_name": name, "slots": list(slots), "intents": []}


def slot(name: Any, categorical: Any = False) -> dict[str, Any]:
    return {"name": name, "is_categorical": categorical, "possible_values": []}


def properties(**named: Any) -> dict[str, Any]:
    return {"type": "object", "properties": named}


def slots(*names: str) -> dict[str, Any]:
    return properties(**{name: {"type": "array"} for name in names})


def test_schema_guided_knows_categorical_slots(tmp_path: Path) -> None:
    path = as_json(tmp_path, [service("Hotels_1", slot("price_range", True), slot("hotel_name")), service("Music_1")])
    schema = read_schema(path)
    assert schema.services == {"Hotels_1": {"price_range": True, "hotel_name": False}, "Music_1": {}}
    assert schema.slots == {"Hotels_1-price_range", "Hotels_1-hotel_name"}


def test_multiwoz_22_writes_the_service_before_the_slot(tmp_path: Path) -> None:
    schema = read_schema(as_json(tmp_path, [service("hotel", slot("hotel-bookday", True), slot("hotel-name"))]))
    assert schema.services == {"hotel": {"bookday": True, "name": False}}


@pytest.mark.parametrize(
    ("thing", "people", "leave"),
    [
        ({"hotel-semi-area": ["east"], "hotel-book-people": ["2"], "train-semi-leaveAt": []}, "people", "leaveAt"),
        ({"hotel-area": ["east"], "hotel-book people": [], "train-leave at": []}, "book people", "leave at"),
        (["hotel-area", "hotel-people", "train-leaveat"], "people", "leaveat"),
        ({"hotel": ["area", "book people"], "train": ["leaveAt"]}, "book people", "leaveAt"),
        (
            {
                "items": properties(
                    hotel=properties(semi=slots("area"), book=slots("people")), train=properties(semi=slots("leaveAt"))
                )
            },
            "people",
            "leaveAt",
        ),
    ],
)
def test_one_schema_in_five_layouts(tmp_path: Path, thing: Any, people: str, leave: str) -> None:
    schema = read_schema(as_json(tmp_path, thing))
    assert schema.services == {"hotel": {"area": False, people: False}, "train": {leave: False}}
    assert schema.slots == {"hotel-area", f"hotel-{people}", f"train-{leave}"}
    assert {*map(slot_namer(), schema.slots)} == {"hotel-area", "hotel-people", "train-leaveat"}


def test_two_names_of_one_slot_stay_as_written(tmp_path: Path) -> None:
    schema = read_schema(as_json(tmp_path, ["hotel-price range", "hotel-pricerange"]))
    assert schema.slots == {"hotel-price range", "hotel-pricerange"}


def test_services_may_all_be_without_slots(tmp_path: Path) -> None:
    assert read_schema(as_json(tmp_path, [service("a"), service("b")])).services == {"a": {}, "b": {}}


def test_a_doubled_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"hotel-area": [{"a": 1, "a": 2}]}', encoding="utf-8")
    with pytest.raises(InputError, match="duplicate key 'a'"):
        read_schema(path)


def test_published_schemas() -> None:
    sgd = read_schema(shared("data", "tracking", "sgd", "schema.json"))
    assert len(sgd.services) == 17
    assert sgd.services["Alarm_1"] == dict.fromkeys(
        ["alarm_time", "alarm_name", "new_alarm_time", "new_alarm_name"], False
    )
    dstc10 = read_schema(shared("data", "tracking", "dstc10", "output_schema.json"))
    assert {domain: len(slots) for domain, slots in dstc10.services.items()} == {
        "attraction": 3,
        "hotel": 9,
        "restaurant": 7,
    }
