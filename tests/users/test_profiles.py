"""Tests of profiles for corpora other than MultiWOZ."""

from __future__ import annotations

from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move

from .conversations import classes, goal, make_conversation, scored, system, user

RESTAURANT = {"Restaurants_1": DomainGoal(info={"city": "Oakland", "cuisine": "Thai"}, requests=("phone_number",))}


def guided(*moves: tuple[tuple[str, str, str], ...]) -> Conversation:
    """Return a schema-guided dialogue: act, slot and value."""
    made = []
    for place, acts in enumerate(moves):
        said = tuple(Act(name, "Restaurants_1", slot, (value,) if value else ()) for name, slot, value in acts)
        made.append(Move(SYSTEM if place % 2 else USER, "", said, made[-1].acts if place % 2 else None))
    return Conversation("d", tuple(made), RESTAURANT)


CITY = (("INFORM_INTENT", "intent", "FindRestaurants"), ("INFORM", "city", "oakland"))
CUISINE = (("INFORM", "cuisine", "thai"), ("REQUEST", "phone_number", ""))


def test_schema_guided_user() -> None:
    outcome = scored(
        guided(CITY, (("REQUEST", "cuisine", ""),), CUISINE, (("OFFER", "restaurant_name", "x"),)), profile="sgd"
    )
    inform, asked = outcome.score("I"), outcome.score("R")
    assert inform is not None
    assert asked is not None
    assert (inform.f1, asked.f1) == (1.0, 1.0)
    assert outcome.request["Restaurants_1"].wanted == ["restaurants_1-phone_number"]
    assert [remark.code for remark in outcome.remarks] == []


def test_schema_guided_behaviours() -> None:
    named = (("INFORM", "restaurant_name", "x"),)
    offered = guided(CITY, (("OFFER", "restaurant_name", "x"),), named, ())
    assert {"elicited_by_sys_offer", "elicited_by_recommendation"} == classes(
        scored(offered, profile="sgd"), "not_in_goal"
    )
    failed = guided(CITY, (("NOTIFY_FAILURE", "", ""),), CITY, ())
    assert "elicited_by_booking_failure" in classes(scored(failed, profile="sgd"), "repetition")
    confirmed = guided(CITY, (("CONFIRM", "cuisine", "thai"),))
    assert "sys_preempted_constraint" in classes(scored(confirmed, profile="sgd"), "goal")


def test_town() -> None:
    wanted = goal(hotel={"info": {"area": "east"}, "book": {"people": "2"}, "requests": ["phone"]})
    first = user("Hotel-Inform area=east | Hotel-Request phone=?")
    each = make_conversation(
        wanted, first, system("Hotel-Inform phone=1"), user("Hotel-Inform people=2"), system("Booking-Book ref=x")
    )
    outcome = scored(each, profile="town")
    inform, asked = outcome.score("I"), outcome.score("R")
    assert inform is not None
    assert asked is not None
    assert (inform.f1, asked.f1, outcome.remarks) == (1.0, 1.0, ())
