"""Tests of users without acts: constraints and requests from text, and a result that reports it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dialmeter.model import SYSTEM, USER, Conversation, Move
from dialmeter.readers.conversations import open_conversations
from dialmeter.users.profile import named
from dialmeter.users.text.reader import TextReader
from dialmeter.users.text.rules import RuleMaker
from dialmeter.values.maps import ValueMap

from ...shared_data import shared
from ..conversations import goal, make_conversation, system, user
from ..scoring import score_user

GOAL = goal(
    hotel={"info": {"area": "east", "stars": "4", "parking": "yes"}, "book": {"people": "4"}, "requests": ["phone"]},
    restaurant={"info": {"area": "centre", "food": "thai"}},
    train={"info": {"leaveAt": "10:15", "day": "monday"}},
)
VALUES = ValueMap(
    {
        "area": {"centre": ["centre", "center of town"], "east": ["east", "eastern part"], "west": ["west"]},
        "food": {"thai": ["thai"], "chinese": ["chinese", "cantonese"]},
        "stars": {"4": ["4", "four"]},
        "people": {"4": ["4", "four"]},
        "parking": {"yes": ["yes", "free"], "no": ["no"]},
        "type": {"hotel": ["hotel"], "guesthouse": ["guesthouse", "guest house"]},
        "leaveat": {"train": {"10:15": ["10:15"]}},
        "arriveby": {"train": {"10:15": ["10:15"]}},
    }
)


def found(*lines: str, values: ValueMap | None = VALUES) -> list[tuple[str, str, str, str]]:
    moves = [Move(SYSTEM if place % 2 else USER, line) for place, line in enumerate(lines)]
    profile = named("multiwoz")
    read = TextReader(RuleMaker(profile, values), profile).read(Conversation("d", tuple(moves), GOAL))
    return [(act.name, act.service, act.slot, "".join(act.values)) for act in read.moves[-1].acts or ()]


@pytest.mark.parametrize(
    ("line", "acts"),
    [
        ("A hotel in the eastern part.", [("Inform", "hotel", "area", "east")]),
        ("A hotel in the Northeast.", []),  # a word, not a part of one
        ("I want cantonese food at a restaurant.", [("Inform", "restaurant", "food", "chinese")]),
        (
            "A hotel in the east and a restaurant in the center of town.",
            [("Inform", "hotel", "area", "east"), ("Inform", "restaurant", "area", "centre")],
        ),
        ("A hotel with 4 stars.", [("Inform", "hotel", "stars", "4")]),
        ("A hotel for 4 people.", [("Inform", "hotel", "people", "4")]),
        ("A hotel for 4.", [("Inform", "hotel", "people", "4")]),
        ("A hotel with 4.", []),  # 4 of what?
        ("A hotel for two nights.", [("Inform", "hotel", "stay", "2")]),
        ("A train that leaves at half past 10.", [("Inform", "train", "leaveat", "10:30")]),
        ("A train leaving by 5:15 pm.", [("Inform", "train", "leaveat", "17:15")]),
        ("A train, any day is fine.", [("Inform", "train", "day", "dontcare")]),
        ("Thank you for all the help with the hotel.", []),
        ("That is all. Do you have any other hotel?", []),
        ("I do not need parking at the hotel.", [("Inform", "hotel", "parking", "no")]),
        ("Does it have parking? I mean the hotel.", [("Request", "hotel", "parking", "?")]),
        ("Is it in the east? I mean the hotel.", []),
        ("A hotel with free parking.", [("Inform", "hotel", "parking", "yes")]),
        ("Yes, a hotel.", []),
        ("I need a hotel.", []),  # the domain, not the type
        ("A guest house as hotel.", [("Inform", "hotel", "type", "guesthouse")]),
        ("A train leaving after 10:15.", [("Inform", "train", "leaveat", "10:15")]),
        ("What is the phone number of the hotel?", [("Request", "hotel", "phone", "?")]),
        ("Give me the postcode of the hotel.", [("Request", "hotel", "postcode", "?")]),
        ("The phone at the hotel rang.", []),
    ],
)
def test_words_of_user(line: str, acts: list[tuple[str, str, str, str]]) -> None:
    assert found(line) == acts


def test_domain_is_remembered() -> None:
    assert found("I need a restaurant.", "Which area?", "The centre.") == [("Inform", "restaurant", "area", "centre")]


def test_system_tells_and_asks() -> None:
    assert found("A hotel.", "The phone number of the hotel is 0123.") == [("Inform", "hotel", "phone", "")]
    assert found("A hotel.", "What area should the hotel be in?") == [("Request", "hotel", "area", "?")]


def test_goal_values_without_map() -> None:
    assert found("A hotel in the east, not in the west.", values=None) == [("Inform", "hotel", "area", "east")]


def test_existing_acts_kept() -> None:
    wanted = goal(hotel={"info": {"area": "east", "stars": "4"}})
    first = user("Hotel-Inform area=east", text="A hotel with 4 stars.")
    half = make_conversation(wanted, first, system(""), Move(USER, "It should have four stars."), system(""))
    result = score_user([half], value_map=VALUES, from_text=True, ci=0)
    assert result.outcomes[0].said == {"hotel": {"area=east": [0], "stars=4": [2]}}
    notice = next(each for each in result.notices if each.code == "from-text")
    assert (notice.count, notice.where) == (1, ("d turn 2: rules",))
    assert "from:text(rules)" in result.signature.split("|")
    assert "accuracy was not measured" in notice.message
    spoken = make_conversation(wanted, user("Hotel-Inform area=east stars=4"), system(""))
    assert "from:text" not in score_user([spoken], value_map=VALUES, from_text=True, ci=0).signature
    plain = score_user([half], value_map=VALUES, ci=0)
    assert [each.code for each in plain.notices] == ["no-acts", "no-understanding"]
    assert "from:text" not in plain.signature


def test_requests_in_words() -> None:
    wanted = goal(hotel={"info": {"area": "east"}, "requests": ["phone", "address"]})
    first = replace(user("Hotel-Inform area=east"), requested={"hotel": ("hotel-phone",)})
    mixed = make_conversation(wanted, first, system(""), Move(USER, "What is the address?"), system(""))
    result = score_user([mixed], value_map=VALUES, from_text=True, ci=0)
    assert result.outcomes[0].asked == {"hotel": {"hotel-phone": [0], "hotel-address": [2]}}


def test_words_against_acts_on_published() -> None:
    path = shared("data", "users", "fixture48_dialogues.json.gz")
    values = ValueMap.read(shared("data", "users", "multiwoz21_canonical_map.json.gz"))
    conversations = list(open_conversations(path))
    wordy = [
        replace(each, moves=tuple([Move(move.speaker, move.text) for move in each.moves])) for each in conversations
    ]
    by_acts, by_words = score_user(conversations, value_map=values), score_user(wordy, value_map=values, from_text=True)
    assert by_acts.value is not None
    assert by_words.value == pytest.approx(by_acts.value, abs=0.1)
