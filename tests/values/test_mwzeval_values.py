"""Value normalisation of MultiWOZ_Evaluation: every published value, the tables, and one case per pitfall."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files

import pytest

from dialmeter.values.originals import fails_in_original, normalise_value

from ..shared_data import shared


def test_published_values() -> None:
    values = json.loads(shared("data", "compat", "units.json").read_text("utf-8"))["mwzeval_normalise"]
    assert {type(expected) for _, _, expected in values} == {str, dict}
    for slot, value, expected in values:
        stopped = isinstance(expected, dict)
        assert fails_in_original(slot, value) == stopped, (slot, value)
        assert stopped or normalise_value(slot, value) == expected, (slot, value)


def test_tables() -> None:
    published = json.loads(shared("data", "compat", "mwzeval_tables.json").read_text("utf-8"))
    ours = tomllib.loads(files("dialmeter.values").joinpath("mwzeval.toml").read_text("utf-8"))
    ours["time_exact"] = ours.pop("time")
    assert ours == published


@pytest.mark.parametrize(
    ("slot", "value", "expected"),
    [
        ("name", " Nando's ", "nandos"),
        ("name", "nando 's", "nandos"),
        ("name", "city center b&b", "city center north b and b"),
        ("name", "city center b & b", "city center north b and b"),
        ("name", "a &b", "a  and b"),  # the blank before the sign stays
        ("name", "holiday inn exlpress, cambridge", "express by holiday inn cambridge"),
        ("name", "holiday inn exlpress", "holiday inn exlpress"),
        ("name", "nando's in the city centre", "nando's in the city centre"),  # the whole text is looked up, once
        ("departure", "Christ College", "christ's college"),
        ("destination", "christs", "christ's college"),
        ("type", "guest house", "guesthouse"),
        ("type", "Guest House", "Guest House"),
        ("type", " guest house", " guest house"),
        ("food", " Sea Food", "seafood"),
        ("food", "intalian", "italian"),
        ("parking", "free", "yes"),
        ("internet", "Free", "Free"),
        ("area", " Centre", " Centre"),
        ("area", "free", "free"),
        ("booktime", "5 pm", "5 pm"),
        ("arriveby", "5 pm", "5 pm"),
        ("leave", "none", "none"),
    ],
)
def test_values(slot: str, value: str, expected: str) -> None:
    assert normalise_value(slot, value) == expected
    assert not fails_in_original(slot, value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", "00:00"),
        ("by", "00:00"),
        ("pm", "00:00"),
        (".", ""),
        (" Morning ", "08:00"),
        ("one o'clock p.m. tomorrow", "13:00"),
        ("after noon", "noon"),  # one look-up, before the word is cut
        ("by 17:15", "17:15"),
        ("by17:15", "07:15"),  # "by" drops three characters
        ("by  5", " 5"),
        ("after9:30", "09:30"),
        ("afer 10:00", "10:00"),
        ("9:30 A.M.", "09:30"),
        ("12:30 pm", "24:30"),
        ("12 p.m.", "24:00"),
        ("5 : 30 pm", "17: 30"),
        ("+5:30 pm", "17:30"),
        ("-5:30pm", "7:30"),
        ("1:2:3 pm", "1:2:3"),
        ("half past 5 pm", "half past 5"),
        ("17:15??", "17:15?"),  # one sign only
        ("1715", "17:15"),
        ("915", "915:00"),
        ("9 : 15", "09:15"),
        ("9\t:15", "9\t:15"),  # only U+0020 is deleted
        ("1:5", "1:5"),
        ("1:5:", "01:5"),
        ("+:15", "+0:15"),  # str.zfill pads after a sign
        ("-:15", "-0:15"),
        ("x:15", "0x:15"),
        ("²", "0²:00"),
    ],
)
@pytest.mark.parametrize("slot", ["arrive", "leave", "time"])
def test_times(slot: str, value: str, expected: str) -> None:
    assert normalise_value(slot, value) == expected
    assert not fails_in_original(slot, value)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("one:x pm", "one:x"),
        ("At 2:04 p.m.", "at2:04"),
        ("x:15 pm", "0x:15"),
        (":15pm", ":15"),
        ("²pm", "0²:00"),  # a digit for str.isdigit, no integer
    ],
)
def test_where_original_stops(value: str, kept: str) -> None:
    assert fails_in_original("leave", value)
    assert normalise_value("leave", value) == kept
    assert not fails_in_original("booktime", value)
