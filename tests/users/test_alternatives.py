"""Tests of alternatives: a second choice of a goal is wanted only if the first fails, or if the user says it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dialmeter.model import Conversation, Move
from dialmeter.users.analysis.patterns import patterns_of

from .talks import classes, goal, scored, system, talk, user

SEARCH = goal(
    hotel={
        "fail_info": {"area": "east", "type": "hotel"},
        "info": {"area": "west", "type": "hotel"},
        "requests": ["phone"],
    }
)
BOOK = goal(
    hotel={
        "info": {"area": "east"},
        "fail_book": {"day": "friday", "stay": "2"},
        "book": {"day": "monday", "stay": "2"},
    }
)
EAST, WEST = user("Hotel-Inform area=east | Hotel-Inform type=hotel"), user("Hotel-Inform area=west")
BOTH = user("Hotel-Inform area=west | Hotel-Inform area=east")
FRIDAY = user("Hotel-Inform area=east | Hotel-Inform day=friday | Hotel-Inform stay=2")
OFFER, NOTHING, END = system("Hotel-Recommend name=the inn"), system("Hotel-NoOffer"), system("general-bye")
BYE = user("general-bye")


def wanted(each: Conversation, *changes: str) -> set[str]:
    return set(scored(each, *changes).inform["hotel"].wanted)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ((EAST, OFFER), {"area=east", "type=hotel"}),
        ((WEST, OFFER), {"area=west", "type=hotel"}),  # the second choice was tried first
        ((BOTH, OFFER), {"area=east", "area=west", "type=hotel"}),  # both at one turn: the first choice was tried
        ((BYE, END), {"area=east", "type=hotel"}),  # nothing was said: the first choice
        ((EAST, NOTHING, BYE, END), {"area=east", "area=west", "type=hotel"}),
        ((EAST, OFFER, WEST, OFFER), {"area=east", "area=west", "type=hotel"}),  # a changed mind costs nothing
        ((BYE, NOTHING, EAST, OFFER), {"area=east", "type=hotel"}),  # a failure before the first mention
        ((EAST, system("Booking-NoBook"), BYE, END), {"area=east", "type=hotel"}),  # another kind of failure
    ],
)
def test_search(moves: tuple[Move, ...], expected: set[str]) -> None:
    assert wanted(talk(SEARCH, *moves)) == expected
    every = wanted(talk(SEARCH, *moves), "goals.alternatives=all", "empty_db_result.constraints=false")
    assert every == {"area=east", "area=west", "type=hotel"}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Hotel-Inform name=the inn", {"area=east", "day=friday", "stay=2"}),
        ("Booking-NoBook", {"area=east", "day=friday", "day=monday", "stay=2"}),
        ("Hotel-NoBook", {"area=east", "day=friday", "day=monday", "stay=2"}),
        ("Hotel-NoOffer", {"area=east", "day=friday", "stay=2"}),
    ],
)
def test_booking(reply: str, expected: set[str]) -> None:
    assert wanted(talk(BOOK, FRIDAY, system(reply), BYE, END)) == expected


def test_a_booking_of_another_domain_is_no_failure_here() -> None:
    both = {**BOOK, **goal(restaurant={"info": {"food": "thai"}})}
    each = talk(both, FRIDAY, OFFER, user("Restaurant-Inform food=thai"), system("Booking-NoBook"))
    assert "day=monday" not in scored(each).inform["hotel"].wanted


def test_what_the_task_does_not_mention_is_no_first_choice() -> None:
    each = talk(SEARCH, BYE, END)
    assert "area=west" in wanted(replace(each, task="find a hotel in the west"))
    assert "area=east" in wanted(replace(each, task="find a hotel in the east, or else in the west"))


def test_the_second_choice_never_said_keeps_the_goal_as_it_is() -> None:
    found = scored(talk(SEARCH, EAST, NOTHING, BYE, END))
    assert "failed_dialogue" not in classes(found, "goal")
    assert found.request["hotel"].wanted == ("hotel-phone",)
    everything = scored(talk(SEARCH, EAST, NOTHING, BYE, END), "goals.alternatives=all")
    assert "failed_dialogue" in classes(everything, "goal")


def test_what_is_not_needed_is_not_missed() -> None:
    found = scored(talk(SEARCH, EAST, OFFER))
    assert classes(found, "goal") == {"alternative_not_needed"}
    assert found.score("I") is not None
    assert found.score("I").recall == 1  # type: ignore[union-attr]


def test_a_part_that_is_not_wanted_has_no_pattern() -> None:
    each = talk(SEARCH, EAST, OFFER)
    parts = [found.part for found in patterns_of(scored(each)) if found.kind == "search"]
    assert parts == ["fail_info"]
    parts = [found.part for found in patterns_of(scored(each, "goals.alternatives=all")) if found.kind == "search"]
    assert parts == ["info", "fail_info"]


@pytest.mark.parametrize("value", ["?", "??", "[value_phone]", "#PHONE#", "<phone>"])
def test_a_placeholder_gives_nothing(value: str) -> None:
    hotel = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})
    given = scored(talk(hotel, user("Hotel-Inform area=east"), system(f"Hotel-Inform phone={value}")))
    assert "provision_entire_domain" not in classes(given, "request")
    told = scored(talk(hotel, user("general-hello"), system("Hotel-Inform area=?")))
    assert "sys_preempted_constraint" not in classes(told, "goal")
    outside = talk(hotel, user("general-hello"), system(f"Hotel-Inform name={value}"), user("Hotel-Inform name=x"), END)
    assert classes(scored(outside), "not_in_goal") == {"unmatched"}


@pytest.mark.parametrize("value", ["", "none", "unknown", "not available", "12?"])
def test_what_is_an_answer(value: str) -> None:
    hotel = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})
    given = scored(talk(hotel, user("Hotel-Inform area=east"), system(f"Hotel-Inform phone={value}")))
    assert "provision_entire_domain" in classes(given, "request")


def test_placeholders_are_answers_as_published() -> None:
    hotel = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})
    given = talk(hotel, user("Hotel-Inform area=east"), system("Hotel-Inform phone=?"))
    assert "provision_entire_domain" in classes(scored(given, rules="gcdf1-repo"), "request")
