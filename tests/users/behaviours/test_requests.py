"""Tests of requests: for each class, one case that matches and one that nearly matches."""

from __future__ import annotations

import pytest

from dialmeter.model import Conversation, Move
from dialmeter.users.behaviours import ALL

from ..talks import acts, classes, goal, scored, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east"}, "book": {"people": "2"}, "requests": ["phone", "address"]})
SEARCH = goal(hotel={"info": {"area": "east"}})
TAXI = goal(taxi={"info": {"leaveAt": "10:00"}, "requests": ["phone"]})
PHONE = user("Hotel-Request phone=?")
REF = user("Hotel-Request ref=?")
END = system("general-bye")
SILENT = system("")
TRAIN = system("Train-Inform day=monday")


def again(*between: Move, asked: Move = PHONE, wanted: object = HOTEL) -> Conversation:
    """Return a dialogue with a repeated request, with some system turns between."""
    moves = [asked]
    for turn in between[:-1]:
        moves += [turn, user("general-thank")]
    return talk(wanted, *moves, between[-1], asked, END)  # type: ignore[arg-type]


CASES = {
    "spurious_annotation": (
        again(TRAIN, TRAIN),
        again(TRAIN),  # one turn only
    ),
    "system_req_nlu_failure": (
        again(system("", heard="Hotel-Request address=?")),
        again(system("", heard="Hotel-Request phone=?")),
    ),
    "repeated_despite_receiving_answer": (
        again(system("Hotel-Inform phone=1")),
        again(system("Booking-Inform phone=1")),  # of booking, not of the domain
    ),
    "user_prempted_request": (
        again(system("Hotel-Request stars=?")),
        again(SILENT, system("Hotel-Request stars=?")),  # not in the first reply
    ),
    "delayed_response": (
        again(SILENT),
        again(system("Booking-Request day=?")),
    ),
    "no_answer": (
        again(system("Hotel-Inform phone=?")),
        again(system("Hotel-Inform phone=not available")),  # an answer: nobody knows
    ),
    "provision_entire_domain": (
        talk(HOTEL, user("Hotel-Inform area=east"), system("Hotel-Inform phone=1")),
        talk(HOTEL, user("Hotel-Request address=?"), system("Hotel-Inform phone=1")),
    ),
    "provision_slots": (
        talk(HOTEL, user("Hotel-Request address=?"), system("Hotel-Inform phone=1")),
        talk(HOTEL, user("Hotel-Request address=?"), system("Hotel-Inform phone number=1")),
    ),
    "auto_ref": (
        talk(HOTEL, REF, END),
        talk(SEARCH, REF, END),  # the goal does not book
    ),
    "multiple_req": (
        again(SILENT),
        talk(HOTEL, user("Hotel-Request phone=? | Hotel-Request Phone=?"), END),
    ),
    "repetitions_warning": (
        talk(HOTEL, *[PHONE, SILENT] * 5),
        talk(HOTEL, *[PHONE, SILENT] * 4),
    ),
    "requests_not_in_goal": (
        talk(SEARCH, PHONE, END),
        talk(HOTEL, user("Hotel-Request stars=?"), END),
    ),
    "requested_domains_outside_goals": (
        talk(HOTEL, user("Train-Request price=?"), END),
        talk(HOTEL, user("general-request price=?"), END),
    ),
}


def test_every_class_has_a_case() -> None:
    assert {each.name for each in ALL if each.family == "request"} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_it_appears(name: str) -> None:
    assert name in classes(scored(CASES[name][0]), "request")


@pytest.mark.parametrize("name", CASES)
def test_what_comes_close_is_not_taken_for_it(name: str) -> None:
    assert name not in classes(scored(CASES[name][1]), "request")


def test_answers_are_not_credited_and_delays_are_up_to_the_cap() -> None:
    answered = scored(CASES["repeated_despite_receiving_answer"][0]).request["hotel"]
    assert (answered.counted.count("hotel-phone"), answered.wanted.count("hotel-phone")) == (2, 1)
    delayed = talk(HOTEL, *[PHONE, SILENT] * 6)
    assert scored(delayed).request["hotel"].wanted.count("hotel-phone") == 4
    assert scored(delayed, "requests.max=1").request["hotel"].wanted.count("hotel-phone") == 2


def test_repeated_requests_are_judged_whether_wanted_or_not() -> None:
    part = scored(again(SILENT, wanted=SEARCH)).request["hotel"]
    assert (part.wanted, part.counted) == (("hotel-phone",), ("hotel-phone", "hotel-phone"))


def test_reference_numbers_are_never_spurious_and_are_answered_by_booking() -> None:
    assert "spurious_annotation" not in classes(scored(again(TRAIN, TRAIN, asked=REF)), "request")
    booked = scored(again(system("Booking-Book ref=x"), asked=REF))
    assert "repeated_despite_receiving_answer" in classes(booked, "request")


def test_requests_about_a_taxi_are_never_spurious() -> None:
    taxi = again(TRAIN, TRAIN, asked=user("Taxi-Request phone=?"), wanted=TAXI)
    assert "spurious_annotation" not in classes(scored(taxi), "request")


@pytest.mark.parametrize(
    ("asked", "between", "expected"),
    [
        ("Hotel-Request phone=? | Train-Inform day=monday", 4, True),
        ("Hotel-Request phone=? | Train-Inform day=monday", 3, False),
        ("Hotel-Request phone=? | general-thank", 4, False),
    ],
)
def test_long_talk_of_several_domains_is_spurious(asked: str, between: int, expected: bool) -> None:
    turns = [system("Hotel-Inform stars=4"), *[TRAIN] * (between - 1)]
    assert ("spurious_annotation" in classes(scored(again(*turns, asked=user(asked))), "request")) is expected


def test_what_was_understood_is_taken_to_be_all_where_it_is_not_known() -> None:
    unknown = talk(HOTEL, PHONE, SILENT, PHONE, END, heard_all=False)
    assert "system_req_nlu_failure" not in classes(scored(unknown), "request")
    nothing = again(system("", heard=""))
    assert {"system_req_nlu_failure", "delayed_response"} <= classes(scored(nothing), "request")


def test_lists_of_requested_slots_come_before_request_acts() -> None:
    listed = Move("user", "", acts("Hotel-Request phone=?"), requested={"hotel": ("hotel-Address",)})
    outcome = scored(talk(HOTEL, listed, END))
    assert outcome.asked == {"hotel": {"hotel-address": (0,)}}
    assert scored(talk(HOTEL, PHONE, END)).asked == {"hotel": {"hotel-phone": (0,)}}


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("requests.provision=false", "provision_entire_domain"),
        ('requests.provision_domains=["taxi"]', "provision_entire_domain"),
        ("requests.auto_ref=false", "auto_ref"),
        ("requests.spurious_annotation=false", "spurious_annotation"),
        ("requests.validate_nlu=false", "system_req_nlu_failure"),
        ("requests.validate_policy=false", "delayed_response"),
    ],
)
def test_switches(change: str, name: str) -> None:
    assert name in classes(scored(CASES[name][0]), "request")
    assert name not in classes(scored(CASES[name][0], change), "request")


def test_without_a_look_at_answers_only_misunderstood_requests_are_excused() -> None:
    heard, missed = again(SILENT), again(system("", heard=""))
    change = "requests.validate_policy=false"
    assert scored(heard, change).request["hotel"].wanted.count("hotel-phone") == 1
    assert scored(missed, change).request["hotel"].wanted.count("hotel-phone") == 2


def test_repetitions_need_not_count() -> None:
    part = scored(again(SILENT), "requests.count_fp=false").request["hotel"]
    assert part.counted.count("hotel-phone") == part.wanted.count("hotel-phone") == 1
