"""MultiWOZ 2.1: goals, acts in the turns or in a separate file, slot names."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.model import Act, DomainGoal
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.pairs.slot_names import slot_in

from .samples import read_all

GOAL = {
    "taxi": {},
    "hotel": {
        "info": {"area": "east", "pricerange": "cheap"},
        "fail_info": {"area": "west"},
        "book": {"pre_invalid": True, "stay": "2", "people": 3, "invalid": False},
        "fail_book": {"stay": "5"},
        "reqt": ["phone", "postcode"],
    },
    "train": {"info": {"leaveAt": "09:15"}, "reqt": {"trainID": "?", "price": "?"}, "booked": "?"},
    "message": ["You are looking for a <span>hotel</span>"],
    "messageLen": 1,
    "topic": {"taxi": False, "hotel": True},
    "eod": True,
}
LOG: list[dict[str, Any]] = [
    {"text": "A cheap room.", "metadata": {}, "dialog_act": {"Hotel-Inform": [["Price", "cheap"], ["none", "none"]]}},
    {
        "text": "In which part? Here is a train.",
        "metadata": {"hotel": {"book": {"booked": []}, "semi": {"area": ""}}},
        "dialog_act": {"Hotel-Request": [["Area", "?"]], "Train-OfferBooked": [["Ref", "X1"], ["Id", "TR1"]]},
    },
    {"text": "East.", "metadata": {}, "dialog_act": "No Annotation"},
]


def written(folder: Path, thing: Any, name: str = "data.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(thing))
    return path


def without_acts() -> list[dict[str, Any]]:
    return [{key: value for key, value in each.items() if key != "dialog_act"} for each in LOG]


def test_goals(tmp_path: Path) -> None:
    [talk] = read_all(written(tmp_path, {"MUL1.json": {"goal": GOAL, "log": LOG}}))
    assert talk.id == "MUL1.json"
    assert talk.goal == {
        "hotel": DomainGoal(
            info={"area": "east", "pricerange": "cheap"},
            fail_info={"area": "west"},
            book={"stay": "2", "people": "3"},
            fail_book={"stay": "5"},
            requests=("phone", "postcode"),
        ),
        "train": DomainGoal(info={"leaveat": "09:15"}, requests=("trainid", "price")),
    }


def test_acts_in_the_turns(tmp_path: Path) -> None:
    [talk] = read_all(written(tmp_path, {"MUL1.json": {"log": LOG}}))
    assert talk.goal is None
    assert [move.speaker for move in talk.moves] == ["user", "system", "user"]
    assert [move.acts for move in talk.moves] == [
        (Act("Hotel-Inform", "hotel", "pricerange", ("cheap",)), Act("Hotel-Inform", "hotel")),
        (
            Act("Hotel-Request", "hotel", "area"),
            Act("Train-OfferBooked", "train", "ref", ("X1",)),
            Act("Train-OfferBooked", "train", "trainid", ("TR1",)),
        ),
        (),
    ]


@pytest.mark.parametrize("name", ["dialogue_acts.json", "system_acts.json.gz"])
def test_acts_beside_the_file(tmp_path: Path, name: str) -> None:
    path = written(
        tmp_path,
        {
            "MUL1.json": {"log": [*without_acts(), {"text": "ok", "metadata": {}}, *without_acts()[:2]]},
            "MUL2.json": {"log": without_acts()},
        },
    )
    beside = json.dumps({"MUL1": {"1": {"Hotel-Request": [["Area", "?"]]}, "2": "No Annotation"}}).encode()
    (tmp_path / name).write_bytes(gzip.compress(beside) if name.endswith(".gz") else beside)
    first, second = read_all(path)
    assert [move.acts for move in first.moves] == [None, (Act("Hotel-Request", "hotel", "area"),), None, (), None, None]
    assert {move.acts for move in second.moves} == {None}


def test_a_bad_file_of_acts_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, {"MUL1.json": {"log": without_acts()}})
    beside = written(tmp_path, {"MUL1": {"1": [3]}}, "dialogue_acts.json")
    file = open_conversations(path)
    assert not list(file)
    assert [str(error) for error in file.refused] == [
        f"{beside}: dialogue MUL1.json, turn 1: dialog_act must be an object, found a list"
    ]


@pytest.mark.parametrize(
    ("domain", "written_as", "name"),
    [
        ("hotel", "Addr", "address"),
        ("hotel", "Price", "pricerange"),
        ("hotel", "bookday", "day"),
        ("restaurant", "book people", "people"),
        ("attraction", "Fee", "entrance fee"),
        ("attraction", "entrancefee", "entrance fee"),
        ("train", "Time", "duration"),
        ("booking", "Time", "time"),
        ("train", "train id", "trainid"),
        ("train", "trainID", "trainid"),
        ("train", "Ticket", "price"),
        ("train", "Dest", "destination"),
        ("taxi", "type", "car type"),
        ("taxi", "Car", "car type"),
        ("hotel", "type", "type"),
        ("general", "none", ""),
        ("Trains_1", "Price", "Price"),
    ],
)
def test_names_of_slots(domain: str, written_as: str, name: str) -> None:
    assert slot_in(domain, written_as) == name
