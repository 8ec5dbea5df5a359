"""Tests of reasons for constraints that are not in the goal: for each, one case that matches and one that nearly matches."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dialmeter.model import Conversation, Move
from dialmeter.users.behaviours import ALL
from dialmeter.users.profile import named

from ..talks import classes, goal, scored, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east"}})
ATTRACTION = goal(attraction={"info": {"area": "east"}})
TAXI = goal(taxi={"info": {"leaveAt": "10:00"}})
TRAIN = goal(train={"info": {"day": "monday"}})
AREA = user("Hotel-Inform area=east")
NAME = user("Hotel-Inform name=acorn")
STARS = user("Hotel-Inform stars=4")
END = system("general-bye")
SILENT = system("")
QUESTIONS = "not_in_goal.elicited_by_sys_question=true"


def after(*before: Move, said: Move = NAME) -> Conversation:
    """Return a dialogue with a mention outside the goal after some system turns."""
    moves = [AREA]
    for turn in before[:-1]:
        moves += [turn, user("general-thank")]
    return talk(HOTEL, *moves, before[-1], said, END)


def attraction(before: Move) -> Conversation:
    """Return a dialogue with a mention of an attraction, which cannot be booked."""
    return talk(ATTRACTION, user("Attraction-Inform area=east"), before, user("Attraction-Inform name=kettle"), END)


CASES = {
    "first_turn": (
        talk(HOTEL, STARS, END),
        after(SILENT, said=STARS),
    ),
    "elicited_by_sys_question": (
        after(system("Hotel-Request stars=?"), said=STARS),
        after(system("Hotel-Request stars=?"), SILENT, said=STARS),
    ),
    "elicited_by_sys_offer": (
        after(system("Hotel-Inform stars=4"), SILENT, said=STARS),
        after(system("Hotel-Inform stars=4"), SILENT, SILENT, said=STARS),
    ),
    "elicited_by_booking_failure": (
        after(system("Booking-NoBook")),
        attraction(system("Booking-NoBook")),
    ),
    "elicited_by_booking_acceptance": (
        after(system("Booking-Inform")),
        after(system("Booking-Inform"), SILENT),
    ),
    "elicited_by_recommendation": (
        after(system("Hotel-Recommend area=east"), SILENT, SILENT, SILENT),
        after(system("Restaurant-Recommend name=acorn")),
    ),
    "unmatched": (
        after(SILENT),
        after(system("Hotel-Select name=acorn")),
    ),
    "auto_matched_value": (
        talk(HOTEL, user("Hotel-Inform stars=dontcare"), END),
        talk(HOTEL, user("Hotel-Inform area=dontcare"), END),  # a slot of the goal
    ),
    "auto_matched_slot": (
        talk(TAXI, user("Taxi-Inform departure=ely"), END),
        talk(TRAIN, user("Train-Inform departure=ely"), END),
    ),
    "auto_matched_slot_value_pair": (
        talk(HOTEL, user("Hotel-Inform choice=any"), END),
        talk(HOTEL, user("Hotel-Inform choice=some"), END),
    ),
    "wrong_taxi_annotations": (
        after(system("Hotel-Recommend name=acorn"), said=user("Hotel-Inform name=acorn | Taxi-Inform leaveAt=10:00")),
        after(SILENT, said=user("Hotel-Inform name=acorn | Taxi-Inform leaveAt=10:00")),  # nothing to excuse
    ),
}
multiwoz = named("multiwoz")
PROFILE = replace(multiwoz, fine=replace(multiwoz.fine, pairs={"choice": ("any",)}))


def test_every_class_has_a_case() -> None:
    assert {each.name for each in ALL if each.family == "not_in_goal"} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_it_appears(name: str) -> None:
    assert name in classes(scored(CASES[name][0], QUESTIONS, profile=PROFILE), "not_in_goal")


@pytest.mark.parametrize("name", CASES)
def test_what_comes_close_is_not_taken_for_it(name: str) -> None:
    assert name not in classes(scored(CASES[name][1], QUESTIONS, profile=PROFILE), "not_in_goal")


def test_questions_are_off_unless_asked_for() -> None:
    assert "unmatched" in classes(scored(CASES["elicited_by_sys_question"][0]), "not_in_goal")


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("elicited_by")])
def test_it_can_be_switched_off(name: str) -> None:
    outcome = scored(CASES[name][0], QUESTIONS, f"not_in_goal.{name}=false")
    assert name not in classes(outcome, "not_in_goal")


@pytest.mark.parametrize(
    ("name", "switch"),
    [("auto_matched_value", "values"), ("auto_matched_slot", "slots"), ("auto_matched_slot_value_pair", "pairs")],
)
def test_lists_of_what_is_fine_can_be_switched_off(name: str, switch: str) -> None:
    outcome = scored(CASES[name][0], f"auto_match.{switch}=false", profile=PROFILE)
    assert name not in classes(outcome, "not_in_goal")


def test_a_taxi_in_the_text_is_enough() -> None:
    said = user("Hotel-Inform name=acorn", text="I need a taxi from acorn")
    assert classes(scored(after(system("Hotel-Recommend name=acorn"), said=said)), "not_in_goal") == {
        "wrong_taxi_annotations"
    }


def test_only_entities_go_wrong_with_a_taxi() -> None:
    said = user("Hotel-Inform stars=4 | Taxi-Inform leaveAt=10:00")
    assert classes(scored(after(system("Hotel-Inform stars=4"), said=said)), "not_in_goal") == {"elicited_by_sys_offer"}


def test_trains_are_accepted_by_their_own_act() -> None:
    def accepted(before: str) -> set[str]:
        first = user("Train-Inform day=monday")
        return classes(scored(talk(TRAIN, first, system(before), user("Train-Inform trainID=tr1"), END)), "not_in_goal")

    assert "elicited_by_booking_acceptance" in accepted("Train-OfferBook day=monday")
    assert "elicited_by_booking_acceptance" not in accepted("Booking-Inform")


def test_how_far_back_an_offer_lies_is_a_switch() -> None:
    far = CASES["elicited_by_sys_offer"][1]
    assert "elicited_by_sys_offer" in classes(scored(far, "not_in_goal.context=3"), "not_in_goal")


def test_caps() -> None:
    offer = system("Hotel-Inform name=acorn")
    many = talk(HOTEL, AREA, *[offer, NAME] * 8, END)
    assert scored(many).inform["hotel"].wanted.count("name=acorn") == 6
    assert scored(many, "not_in_goal.max=1").inform["hotel"].wanted.count("name=acorn") == 1
    fine = talk(HOTEL, *[user("Hotel-Inform stars=dontcare"), SILENT] * 8)
    assert scored(fine).inform["hotel"].wanted.count("stars=dontcare") == 6
    assert scored(fine, "auto_match.max=2").inform["hotel"].wanted.count("stars=dontcare") == 2


def test_what_is_not_excused_costs_precision() -> None:
    part = scored(after(SILENT)).inform["hotel"].score
    assert part is not None
    assert (part.precision, part.recall) == (0.5, 1.0)
