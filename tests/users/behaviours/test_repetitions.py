"""Tests of reasons for repeated constraints: for each, one case that matches and one that nearly matches."""

from __future__ import annotations

import pytest

from dialmeter.model import Conversation, Move
from dialmeter.users.behaviours import ALL

from ..talks import classes, goal, scored, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "book": {"people": "2"}})
TRAIN = goal(train={"info": {"day": "monday"}, "book": {"people": "2"}})
TAXI = goal(taxi={"info": {"leaveAt": "10:00"}})
AREA = user("Hotel-Inform area=east")
END = system("general-bye")
SILENT = system("")


def again(*between: Move, last: Move = AREA) -> Conversation:
    """Return a dialogue with two mentions of the area, with some turns between them, in which the user has only general acts."""
    moves = [AREA]
    for turn in between[:-1]:
        moves += [turn, user("general-thank")]
    return talk(HOTEL, *moves, between[-1], last, END)


CASES = {
    "elicited_by_sys_question": (
        again(system("Hotel-Request area=?")),
        again(system("Hotel-Request area=?"), SILENT),  # asked, but not just before
    ),
    "elicited_by_booking_failure": (
        again(system("Booking-NoBook day=monday")),
        talk(TAXI, user("Taxi-Inform leaveAt=10:00"), system("Booking-NoBook"), user("Taxi-Inform leaveAt=10:00"), END),
    ),
    "nobook_validation_failure": (
        again(system("Booking-NoBook"), system("Booking-Book ref=x")),
        again(system("Booking-NoBook | Booking-Book ref=x")),  # at the same turn it is not later
    ),
    "elicited_by_no_offers": (
        again(system("Hotel-NoOffer area=east")),
        again(system("Restaurant-NoOffer area=east")),
    ),
    "nooffer_validation_failure": (
        again(system("Hotel-NoOffer"), system("Hotel-Recommend name=x")),
        again(system("Hotel-Recommend name=x"), system("Hotel-NoOffer")),
    ),
    "failed_sys_nlu": (
        again(system("", heard="Hotel-Inform area=west")),
        again(system("", heard="Hotel-Inform area=east")),
    ),
    "confirmed_choice_params": (
        again(system("Hotel-Inform choice=3")),
        again(system("Hotel-Inform choices=3")),
    ),
    "repeated_while_requesting_info": (
        again(SILENT, last=user("Hotel-Inform area=east | Hotel-Request phone=?")),
        again(SILENT, last=user("Hotel-Inform area=east | Train-Request price=?")),
    ),
    "repeated_while_booking": (
        again(system("Hotel-Recommend area=east")),
        again(system("Hotel-Inform phone=1")),
    ),
    "repeated_when_answering_request": (
        again(system("Booking-Request people=?")),
        again(system("Train-Request people=?")),
    ),
    "switched_between_domains": (
        again(system("Train-Inform day=monday")),
        again(system("Train-Inform day=monday", text="Do you want a taxi to it?")),
    ),
    "unmatched": (
        again(SILENT),
        again(system("Hotel-Request stars=?")),
    ),
    "repeated_inform": (
        again(SILENT),
        talk(HOTEL, user("Hotel-Inform area=east | Hotel-Inform area=East"), END),
    ),
    "repetitions_warning": (
        talk(HOTEL, *[AREA, SILENT] * 5),
        talk(HOTEL, *[AREA, SILENT] * 4),
    ),
}


def test_every_class_has_a_case() -> None:
    assert {each.name for each in ALL if each.family == "repetition"} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_it_appears(name: str) -> None:
    assert name in classes(scored(CASES[name][0]), "repetition")


@pytest.mark.parametrize("name", CASES)
def test_what_comes_close_is_not_taken_for_it(name: str) -> None:
    assert name not in classes(scored(CASES[name][1]), "repetition")


@pytest.mark.parametrize(
    "name",
    sorted(
        CASES.keys()
        - {
            "unmatched",
            "repeated_inform",
            "repetitions_warning",
            "nobook_validation_failure",
            "nooffer_validation_failure",
        }
    ),
)
def test_it_can_be_switched_off(name: str) -> None:
    outcome = scored(CASES[name][0], f"repetitions.{name}=false")
    assert name not in classes(outcome, "repetition")


def test_an_excused_repetition_is_credited_and_another_is_not() -> None:
    asked, unasked = scored(CASES["elicited_by_sys_question"][0]), scored(again(SILENT))
    assert asked.inform["hotel"].counted.count("area=east") == asked.inform["hotel"].wanted.count("area=east") == 2
    assert (unasked.inform["hotel"].counted.count("area=east"), unasked.inform["hotel"].wanted.count("area=east")) == (
        2,
        1,
    )
    assert [event.credited for event in unasked.events if event.name == "unmatched"] == [False]


def test_credit_ends_at_the_cap_and_every_pair_is_logged() -> None:
    asking = system("Hotel-Request area=?")
    outcome = scored(talk(HOTEL, *[AREA, asking] * 5), "repetitions.max=2")
    credited = [event.credited for event in outcome.events if event.name == "elicited_by_sys_question"]
    assert credited == [True, True, False, False]
    assert outcome.inform["hotel"].wanted.count("area=east") == 3


def test_user_behaviours_are_not_looked_at_where_the_system_is_the_reason() -> None:
    outcome = scored(again(system("Hotel-Request area=? | Train-Inform day=monday")))
    assert classes(outcome, "repetition") == {"repeated_inform", "elicited_by_sys_question"}


def test_repetitions_need_not_count() -> None:
    part = scored(again(SILENT), "repetitions.count_fp=false").inform["hotel"]
    assert part.counted.count("area=east") == part.wanted.count("area=east") == 1


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("Train-Inform trainID=tr1", True),
        ("Train-OfferBook day=monday", True),
        ("Train-OfferBooked ref=x", False),  # given, but not an entity or an offer to book
        ("Booking-Inform", False),  # other domains' way to book
        ("Train-Recommend trainID=tr1", False),
    ],
)
def test_trains_are_booked_in_their_own_service(between: str, expected: bool) -> None:
    day = user("Train-Inform day=monday")
    outcome = scored(talk(TRAIN, day, system(between), day, END))
    assert ("repeated_while_booking" in classes(outcome, "repetition")) is expected


@pytest.mark.parametrize(
    ("later", "fails"),
    [
        ("Train-OfferBooked ref=x", False),
        ("Train-Inform reference=x", False),
        ("Train-Inform price=3", True),
        ("Booking-Book ref=x", True),  # a reference for something else
    ],
)
def test_a_reference_number_ends_a_failed_search_of_trains(later: str, fails: bool) -> None:
    day = user("Train-Inform day=monday")
    outcome = scored(talk(TRAIN, day, system("Train-NoOffer"), user("general-ok"), system(later), day, END))
    assert ("elicited_by_no_offers" in classes(outcome, "repetition")) is fails


def test_a_domain_without_entities_has_nothing_to_name() -> None:
    time = user("Taxi-Inform leaveAt=10:00")
    outcome = scored(talk(TAXI, time, system("Taxi-Recommend car=x"), time, END))
    assert "repeated_while_booking" not in classes(outcome, "repetition")


def test_a_booking_proposal_that_fails_at_once_is_none() -> None:
    proposal, failed = again(system("Booking-Inform")), again(system("Booking-Inform | Booking-NoBook"))
    assert "repeated_while_booking" in classes(scored(proposal), "repetition")
    outcome = scored(failed, "repetitions.elicited_by_booking_failure=false")
    assert "repeated_while_booking" not in classes(outcome, "repetition")
