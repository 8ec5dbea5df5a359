"""Tests of disagreements between text and acts of a user."""

from __future__ import annotations

import pytest

from dialmeter.users.blame.exchange import ExchangeItem
from dialmeter.users.blame.words import find_value, label_findings
from dialmeter.users.scorer import UserScorer

from .conversations import goal, make_conversation, system, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4", "parking": "no", "type": "hotel"}})


def found(said: str, text: str) -> list[tuple[str, str, str, str]]:
    scorer = UserScorer()
    each = make_conversation(HOTEL, user(said, text), system("Hotel-Inform name=inn"))
    return [(one.kind, one.slot, one.value, one.words) for one in label_findings(scorer.prepare(each))]


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("Hotel-Inform area=east", "A hotel in the east with 4 stars.", [("not labelled", "stars", "4", "4 stars")]),
        ("Hotel-Inform area=east", "In the east, four stars.", [("not labelled", "stars", "4", "four stars")]),
        ("Hotel-Inform area=east", "In the east. I am 4.", []),  # a number without its noun
        ("Hotel-Inform area=east", "East, I do not need parking.", [("not labelled", "parking", "no", "parking")]),
        ("Hotel-Inform area=east", "East, with parking.", []),  # the other value
        ("Hotel-Inform stars=4", "4 stars in the eest.", []),  # too unlike
        ("Hotel-Inform area=east | Hotel-Inform stars=5", "In the east.", [("not said", "stars", "5", "")]),
        (
            "Hotel-Inform area=same as the park",
            "The same area.",
            [("reference not resolved", "area", "same as the park", "same as the park")],
        ),
        ("Hotel-Inform stars=4 | Hotel-Inform area=dontcare", "Some 4 star place.", []),
    ],
)
def test_findings(said: str, text: str, expected: list[tuple[str, str, str, str]]) -> None:
    assert found(said, text) == expected


@pytest.mark.parametrize(
    ("domain", "slot", "value", "text", "by_reference", "words"),
    [
        ("train", "people", "1", "Just for myself.", False, "myself"),
        ("train", "arriveby", "12:00", "I want to be there on time.", False, "on time"),
        ("hotel", "people", "3", "A party of three.", False, "party of three"),
        ("hotel", "area", "east", "In the same area.", True, "same area"),
        ("hotel", "area", "east", "In the same area.", False, ""),
        ("hotel", "name", "gonville hotel", "the gonvile hotel", False, "gonvile hotel"),
    ],
)
def test_other_words_for_value(domain: str, slot: str, value: str, text: str, by_reference: bool, words: str) -> None:
    item = ExchangeItem("tell", domain, slot, value)
    assert find_value(UserScorer().setup, item, text, by_reference=by_reference) == words
