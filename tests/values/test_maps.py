"""Value maps: the file format, exact lookup for trackers, and the shipped map."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.shared_data import shared

from dialmeter.errors import DialmeterError, InputError
from dialmeter.values.maps import ValueMap, load, load_shipped, names
from dialmeter.values.steps import clock_time

VALUES = {
    "area": {
        "centre": ["Center of  Town", "city centre"],
        "city centre": [],
        "north": ["northern part", "center of town"],
        "special_keys": {"not_in_goal": {"dontcare": ["any area"]}, "noise": ["?"]},
    },
    "leaveat": {
        "train": {"10:15": ["ten fifteen"], "special_keys": {"steps": ["time"]}},
        "taxi": {"10:16": ["ten fifteen"]},
    },
    "stay": {"2": ["two nights"], "special_keys": {"not_in_goal": {"hotel": {"6": ["six nights"]}}}},
    "bookday": {"monday": ["mon"]},
    "day": {"friday": ["fri"]},
}


@pytest.mark.parametrize(
    ("slot", "value", "canonical"),
    [
        ("hotel-area", "center of town", "centre"),  # the first of two
        ("hotel-area", "CENTER  of town ", "centre"),
        ("hotel-area", "city centre", "city centre"),  # a canonical value stands for itself
        ("hotel-area", "any area", "dontcare"),
        ("hotel-area", "The Moon", "The Moon"),
        ("hotel-area", "center of towns", "center of towns"),  # nothing is fuzzy
        ("hotel-stars", "four", "four"),
        ("area", "northern part", "north"),
        ("train-leave at", "ten fifteen", "10:15"),
        ("train-leave at", "5 pm", "17:00"),
        ("Taxi-leaveAt", "ten fifteen", "10:16"),
        ("taxi-leave", "5 pm", "5 pm"),
        ("bus-leaveat", "ten fifteen", "ten fifteen"),
        ("hotel-book stay", "six nights", "6"),
        ("restaurant-stay", "six nights", "six nights"),
        ("hotel-book_day", "mon", "monday"),
        ("hotel-day", "fri", "friday"),
        ("hotel-day", "mon", "mon"),
    ],
)
def test_canonical(slot: str, value: str, canonical: str) -> None:
    assert ValueMap(VALUES).canonical(slot, value) == canonical


def test_plain_and_packed_maps(tmp_path: Path) -> None:
    plain, packed = tmp_path / "map.json", tmp_path / "map.json.gz"
    plain.write_text(json.dumps(VALUES))
    packed.write_bytes(gzip.compress(json.dumps(dict(reversed(VALUES.items()))).encode()))
    one, other = load(plain), load(str(packed))
    assert one.label == other.label == f"own@{one.digest}"
    assert one.digest != ValueMap({"area": {"centre": ["centre"]}}).digest
    assert one.is_split("leaveat")
    assert not one.is_split("area")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "a value map must be an object"),
        ('{"area": []}', "slot area: a slot must hold an object"),
        ('{"area": {"east": "east"}}', "slot area: east must hold a list of strings"),
        ('{"leaveat": {"train": {"10:00": [10]}}}', "slot leaveat: train → 10:00 must hold a list of strings"),
        ('{"area": {"east": ["e"], "east": ["f"]}}', "duplicate key 'east'"),
        ('{"stay": {"special_keys": {"not_in_goal": {"6": [6]}}}}', "not_in_goal → 6 must hold a list of strings"),
        ('{"stay": {"special_keys": {"not_in_goal": {"hotel": {"6": [6]}}}}}', "→ 6 must hold a list of strings"),
        ('{"time": {"special_keys": ["time"]}}', "slot time: special_keys must hold an object"),
        ('{"time": {"special_keys": {"steps": "time"}}}', "special_keys → steps must hold a list of strings"),
        ('{"time": {"special_keys": {"steps": ["tim"]}}}', "unknown step 'tim'; did you mean time?"),
        ('{"time": {"taxi": {"special_keys": {"steps": ["x"]}}}}', "taxi → special_keys → steps: unknown step 'x'"),
        ('{"time": {"taxi": {}, "special_keys": {"steps": ["time"]}}}', "must be inside its domains"),
        ("{", "not valid JSON"),
    ],
)
def test_maps_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("multiwos", "no file and no value map 'multiwos'; did you mean multiwoz?"),
        ("sgd", "no file and no value map 'sgd'; known: multiwoz"),
        ("nowhere.json", "nowhere.json: no such file"),
        ("maps/nowhere", "maps/nowhere: no such file"),
    ],
)
def test_missing_map(name: str, message: str) -> None:
    with pytest.raises(DialmeterError) as caught:
        load(name)
    assert str(caught.value) == message


def test_file_needs_no_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "multiwoz"):
        Path(name).write_text(json.dumps(VALUES))
    assert load("mine").name == "own"
    assert load("multiwoz").name == "multiwoz"
    assert load("./multiwoz").name == "own"


CLOCK = {
    "17:15": ("5:15 pm", "5:15pm", "05:15 PM", "5.15 p.m.", "5:15 p. m.", "17 : 15", "1715", "17.15", "0515 pm", "17:15 pm"),
    "17:00": ("5 pm", "5pm", "5 p.m.", "17 : 00", " 17:00 ", "1700"),
    "05:15": ("5:15", "5:15 am", "05:15", "0515", "5:15 a.m"),
    "12:30": ("12:30 pm", "12:30", "1230"),
    "00:15": ("12:15 am", "0:15", "00:15 am", "0015"),
    "00:00": ("12 am", "0000"),
    "12:00": ("12 pm",),
}  # fmt: skip


@pytest.mark.parametrize(("text", "time"), [(text, time) for time, texts in CLOCK.items() for text in texts])
def test_clock_times(text: str, time: str) -> None:
    assert clock_time(text) == time


NO_CLOCK = """24:00|24:30|25:00|2430|17:60|1760|9:5|9:155|929|17|5|5 o'clock|after 13:45|by 5 pm|morning|half past 5|17:15:00|
-5:15|17:15 am|0:15 pm|13 am|18,30|5 p|5 am pm|105 minutes|5:15 pm tomorrow|١٧:١٥|dontcare"""


@pytest.mark.parametrize("text", ["", *NO_CLOCK.replace("\n", "").split("|")])
def test_unclear_clock_times(text: str) -> None:
    assert clock_time(text) == text


def test_shipped_map_is_named() -> None:
    assert names() == ("multiwoz",)
    assert load("multiwoz").label == f"multiwoz@{load_shipped('multiwoz').digest}"


@pytest.mark.parametrize(
    "slot",
    ["leaveat", "leave", "leaveAt", "leave_at", "leave at", "arriveby", "arriveBy", "arrive by", "time", "book time"],
)
def test_multiwoz_times(slot: str) -> None:
    assert load_shipped("multiwoz").canonical(f"train-{slot}", "5:15 pm") == "17:15"
    assert load_shipped("multiwoz").canonical(f"train-{slot}", "17 : 15") == "17:15"


@pytest.mark.parametrize(
    ("slot", "value", "canonical"),
    [
        ("hotel-type", "guest house", "guesthouse"),
        ("attraction-type", "night club", "nightclub"),
        ("attraction-type", "swimming pool", "swimmingpool"),
        ("attraction-type", "concert hall", "concerthall"),
        ("attraction-type", "museum", "museum"),
        ("attraction-type", "mutliple sports", "mutliple sports"),
        *[(f"hotel-{slot}", word, "yes") for slot in ("parking", "internet") for word in ("yes", "free", "true")],
        *[(f"hotel-{slot}", word, "no") for slot in ("parking", "internet") for word in ("no", "false")],
        ("attraction-entrance fee", "free", "free"),
        ("hotel-internet", "dontcare", "dontcare"),
        ("restaurant-food", "brazilian", "brazilian"),
        ("restaurant-name", "the river bar and grill", "the river bar steakhouse and grill"),
        ("restaurant-name", "river bar steakhouse and grill", "the river bar steakhouse and grill"),
        ("hotel-name", "the cambridge belfry", "cambridge belfry"),
        ("hotel-name", "cambridge belfry", "cambridge belfry"),
        ("taxi-departure", "christs", "christ's college"),
        ("train-destination", "stansted airport", "stansted airport"),
        ("hotel-area", "the centre", "the centre"),
    ],
)
def test_multiwoz(slot: str, value: str, canonical: str) -> None:
    assert load_shipped("multiwoz").canonical(slot, value) == canonical


@pytest.mark.parametrize("slot", ["hotel-name", "taxi-departure", "taxi-destination"])
def test_venue_forms(slot: str) -> None:
    canonical = load_shipped("multiwoz").canonical
    table = json.loads(shared("data", "compat", "mwzeval_tables.json").read_text())["name"]
    for form, name in table.items():
        bare = name.removeprefix("the ")
        assert len({canonical(slot, each) for each in (form, name, f"the {bare}", bare)}) == 1, form


def test_canonical_is_idempotent() -> None:
    for value_map in (load_shipped("multiwoz"), ValueMap(VALUES)):
        for slot in value_map.slots:
            for domain in ("hotel", "train", "taxi"):
                table = value_map.table(domain, slot)
                for form in (*table.by_form, *table.values) if table else ():
                    found = value_map.canonical(f"{domain}-{slot}", form)
                    assert value_map.canonical(f"{domain}-{slot}", found) == found


NORTH, HILL, TOWN = {"north": ["up", "top"]}, {"hill": ["top"]}, {"centre": ["town", "middle"]}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"area": NORTH | TOWN}, {"area": TOWN | NORTH}, True),
        ({"area": NORTH | HILL}, {"area": HILL | NORTH}, False),
        ({"area": NORTH | HILL}, {"area": {"north": ["top", "up", "up"]} | HILL}, True),
        ({"area": {"a": ["Top"], "b": ["top"]}}, {"area": {"b": ["top"], "a": ["Top"]}}, False),
        ({"area": NORTH}, {"area": NORTH | {"special_keys": {"about": "a remark"}}}, True),
        ({"area": NORTH}, {"area": NORTH | {"special_keys": {"not_in_goal": {"south": []}}}}, False),
        ({"area": NORTH}, {"area": {"hotel": NORTH}}, False),
        ({"day": NORTH, "bookday": HILL}, {"bookday": HILL, "day": NORTH}, True),
        ({"book day": NORTH, "bookday": HILL}, {"bookday": HILL, "book day": NORTH}, False),
        (
            {"area": {"special_keys": {"not_in_goal": {"hotel": NORTH | HILL}}}},
            {"area": {"special_keys": {"not_in_goal": {"hotel": HILL | NORTH}}}},
            False,
        ),
    ],
)
def test_digest_follows_meaning(one: dict[str, Any], other: dict[str, Any], equal: bool) -> None:
    """The order of a map counts exactly where it decides what a form, or a spelling of a slot, means."""
    assert (ValueMap(one).digest == ValueMap(other).digest) is equal


def test_ambiguous_form_order() -> None:
    assert ValueMap({"area": NORTH | HILL}).canonical("hotel-area", "top") == "north"
    assert ValueMap({"area": HILL | NORTH}).canonical("hotel-area", "top") == "hill"
