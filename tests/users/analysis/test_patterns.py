"""Tests of patterns in which goals are expressed."""

from __future__ import annotations

import pytest

from dialmeter.model import Move
from dialmeter.users.analysis.patterns import count_patterns, patterns_of
from dialmeter.users.scorer import UserScorer

from ..conversations import goal, make_conversation, scored, system, user

GOAL = goal(
    hotel={
        "info": {"area": "east", "stars": "4"},
        "book": {"people": "2", "stay": "3"},
        "requests": ["phone", "address"],
    }
)
END = system("general-bye")


def patterns(*moves: Move) -> set[tuple[str, str]]:
    each = make_conversation(GOAL, *moves)
    return {(found.kind, found.pattern) for found in patterns_of(UserScorer().add(each))}


@pytest.mark.parametrize(
    ("moves", "pattern"),
    [
        ((user("Hotel-Inform area=east | Hotel-Inform stars=4"), END), ("search", "no_miss_one")),
        ((user("Hotel-Inform area=east"), END, user("Hotel-Inform stars=4"), END), ("search", "no_miss_mult")),
        ((user("Hotel-Inform area=east"), END), ("search", "miss_one")),
        ((user("Hotel-Inform people=2"), END), ("search", "miss_all")),
        ((user("Hotel-Inform people=2 | Hotel-Inform stay=3"), END), ("booking", "no_miss_one")),
        ((user("Hotel-Inform area=east"), END), ("booking", "miss_all")),
        ((user("Hotel-Request phone=? | Hotel-Request address=?"), END), ("requests", "no_miss_one")),
        ((user("Hotel-Request phone=?"), END), ("requests", "miss_one")),
        ((user("Hotel-Inform area=east"), END), ("requests", "miss_all_reqs")),
        ((user("Hotel-Inform area=east"), system("Hotel-Inform phone=1")), ("provision", "prov_all")),
        ((user("Hotel-Request address=?"), system("Hotel-Inform phone=1")), ("provision", "prov_some")),
        ((user("general-hello"), END), ("missed", "missed_domain")),
    ],
)
def test_pattern(moves: tuple[Move, ...], pattern: tuple[str, str]) -> None:
    assert pattern in patterns(*moves)


def test_some_of_three_at_two_turns() -> None:
    wanted = goal(hotel={"info": {"area": "east", "stars": "4", "parking": "yes"}})
    each = make_conversation(wanted, user("Hotel-Inform area=east"), END, user("Hotel-Inform stars=4"), END)
    assert [found.pattern for found in patterns_of(UserScorer().add(each))] == ["miss_mult"]


def test_part_with_one_unit() -> None:
    wanted = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})
    assert patterns_of(UserScorer().add(make_conversation(wanted, user("Hotel-Inform area=east"), END))) == []


def test_patterns_by_domain() -> None:
    each = make_conversation(GOAL, user("Hotel-Inform area=east"), END)
    found = count_patterns([*patterns_of(UserScorer().add(each))] * 2)
    assert found["search"] == {"hotel": {"miss_one": 2}}


def test_unwanted_part() -> None:
    wanted = goal(hotel={"fail_info": {"area": "east", "type": "hotel"}, "info": {"area": "west", "type": "hotel"}})
    each = make_conversation(
        wanted, user("Hotel-Inform area=east | Hotel-Inform type=hotel"), system("Hotel-Recommend name=the inn")
    )
    for changes, expected in (((), ["fail_info"]), (("goals.alternatives=all",), ["info", "fail_info"])):
        parts = [found.part for found in patterns_of(scored(each, *changes)) if found.kind == "search"]
        assert parts == expected
