"""Tests of the order of the tests for lost points: one dialogue for every pair of neighbours in which both find a cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dialmeter.model import Conversation
from dialmeter.users.blame import Loss
from dialmeter.users.blame.failures import STOP_TESTS, TRACE_TESTS
from dialmeter.users.blame.precision import (
    OUTSIDE_CONSTRAINT_TESTS,
    OUTSIDE_REQUEST_TESTS,
    REPEATED_CONSTRAINT_TESTS,
    REPEATED_REQUEST_TESTS,
)
from dialmeter.users.blame.recall import CONSTRAINT_TESTS, REQUEST_TESTS

from ..talks import system, talk, user
from .cases import CASES
from .verdicts import (
    ANSWER,
    AREA,
    BOOK,
    BYE,
    END,
    HOTEL,
    OFFER,
    PHONE,
    SECOND,
    TWICE,
    TWO,
    hears,
    loss_of,
    moves,
    nothing,
)

Tests = tuple[Callable[[Any], Any], ...]
LISTS: dict[str, Tests] = {
    "constraint": CONSTRAINT_TESTS,
    "request": REQUEST_TESTS,
    "outside": OUTSIDE_CONSTRAINT_TESTS,
    "outside request": OUTSIDE_REQUEST_TESTS,
    "repeat": REPEATED_CONSTRAINT_TESTS,
    "request repeat": REPEATED_REQUEST_TESTS,
    "trace": TRACE_TESTS,
    "stop": STOP_TESTS,
}
NEVER_BOTH = {
    ("stop", "no_reply"): "where there is no reply, no reply reports a failure",
    ("outside", "value_is_reference"): "a value with the word same is not the name of a domain",
    ("outside", "choice_misheard"): "a slot that declines a booking is not one that chooses",
}
"""List and first of two neighbours → reason why at most one of them finds a cause."""


def _recorded(monkeypatch: pytest.MonkeyPatch, name: str, run: Callable[[], Loss]) -> tuple[Loss, set[str]]:
    """Return the loss, and the tests of a list that find a cause for the same unit."""
    from dialmeter.users.blame import failures, precision, recall, verdict

    found: set[str] = set()
    place = {
        "constraint": "CONSTRAINT_TESTS",
        "request": "REQUEST_TESTS",
        "outside": "OUTSIDE_CONSTRAINT_TESTS",
        "outside request": "OUTSIDE_REQUEST_TESTS",
        "repeat": "REPEATED_CONSTRAINT_TESTS",
        "request repeat": "REPEATED_REQUEST_TESTS",
        "trace": "TRACE_TESTS",
        "stop": "STOP_TESTS",
    }[name]

    def first(seen: Any) -> None:
        found.update(test.__name__ for test in LISTS[name] if test(seen) is not None)

    for module in (failures, precision, recall, verdict):
        if hasattr(module, place):
            monkeypatch.setattr(module, place, (first, *LISTS[name]))
    return run(), found


BOTH_LABEL = user("Hotel-Inform area=east | Hotel-Request phone=?", "A hotel with 4 stars.")
PARKING = user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Inform parking=yes")
SAME = user("Hotel-Inform area=east | Hotel-Inform stars=same as before")
WITH_DATABASE = {("trace", "not_the_goals"), ("trace", "database_decides")}
"""Pairs in which one test uses a database."""
ORDER: dict[tuple[str, str], tuple[Conversation, str, tuple[str, ...]]] = {
    ("constraint", "second_choice"): (
        talk(SECOND, user("Hotel-Inform area=west"), OFFER, user("Hotel-Inform name=inn", "in the east"), END),
        "area=east",
        ("goals.alternatives=all",),
    ),
    ("constraint", "not_labelled"): (
        moves(user("general-hello", "A train on monday."), system("Train-Request day=?"), BYE, END, wanted=TWO),
        "day=monday",
        (),
    ),
    ("constraint", "never_begun"): (
        moves(AREA, system("Train-Request day=?"), BYE, END, wanted=TWO),
        "day=monday",
        (),
    ),
    ("constraint", "question_ignored"): (
        moves(user("Hotel-Inform stars=3"), system("Hotel-Request stars=?"), PHONE, ANSWER, BYE, END),
        "stars=4",
        (),
    ),
    ("constraint", "wrong_value"): (
        talk(
            BOOK,
            AREA,
            OFFER,
            hears("Hotel-Inform day=friday", "Booking-Book Ref=1"),
            END,
        ),
        "day=monday",
        (),
    ),
    ("constraint", "booking_detail"): (CASES["booking_misheard"][0], "day=monday", ()),
    ("request", "answer_misheard"): (
        moves(
            user("Train-Inform day=monday"),
            OFFER,
            hears("general-bye", "Hotel-Inform phone=1"),
            END,
            wanted={**TWO, **HOTEL},
        ),
        "hotel-phone",
        (),
    ),
    ("request", "never_begun"): (
        moves(user("Train-Inform day=monday"), END, BYE, END, wanted={**TWO, **HOTEL}),
        "hotel-phone",
        (),
    ),
    ("outside", "value_is_domain"): (
        moves(AREA, OFFER, hears("Hotel-Inform choice=hotel", "Hotel-Inform choice=3"), END),
        "choice=hotel",
        (),
    ),
    ("outside", "booking_declined"): (
        moves(
            AREA, system("Hotel-Recommend Ref=1"), hears("Hotel-Inform notbook=none", "Hotel-Request notbook=?"), END
        ),
        "notbook=none",
        (),
    ),
    ("outside request", "domain_misheard"): (
        moves(AREA, system("Hotel-NoOffer"), hears("Train-Request price=?", "Train-Inform day=monday"), END),
        "train-price",
        (),
    ),
    ("outside request", "failure_unheard"): (CASES["failure_unheard"][0], "hotel-fee", ()),
    ("repeat", "labelled_twice"): (
        moves(
            AREA,
            system("Booking-Book Ref=1"),
            hears("Hotel-Inform area=east | Train-Inform area=east", "general-reqmore"),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "booking_unheard"): (
        moves(
            AREA,
            system("Hotel-NoOffer area=west | Booking-Book Ref=1", heard="Hotel-Inform area=west"),
            hears("Hotel-Inform area=east", ""),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "last_failure"): (
        moves(AREA, system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west"), AREA, END),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "constraint_unheard"): (
        moves(
            AREA,
            system("Hotel-Inform area=east", heard="general-bye"),
            hears("Hotel-Inform area=east", "Hotel-Select area=east"),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "heard_as_choice"): (
        moves(
            AREA,
            system("Hotel-Inform area=east | Hotel-Inform name=inn"),
            hears("Hotel-Inform area=east", "Hotel-Select area=east"),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "reply_misheard"): (
        moves(AREA, system("Train-Inform day=monday"), hears("Hotel-Inform area=east", "Hotel-Inform area=west"), END),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "no_reaction"): (
        moves(AREA, system("Train-Inform day=monday"), hears("Hotel-Inform area=east", "Hotel-Request stars=?"), END),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeat", "question_misheard"): (CASES["question_misheard"][0], "area=east", ("repetitions.max=0",)),
    ("request repeat", "request_unheard"): (
        moves(PHONE, system("Hotel-Inform phone=?", heard="general-bye"), PHONE, ANSWER),
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("request repeat", "no_answer"): (
        moves(PHONE, system("Hotel-Inform phone=?"), hears("Hotel-Request phone=?", "general-reqmore"), ANSWER),
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("request repeat", "answer_unheard"): (
        moves(PHONE, ANSWER, hears("Hotel-Inform area=east", "general-reqmore"), OFFER, PHONE, ANSWER),
        "hotel-phone",
        (),
    ),
    ("request repeat", "new_search"): (CASES["new_search"][0], "hotel-phone", ()),
    ("request repeat", "asked_after_answer"): (
        moves(PHONE, ANSWER, BYE, system("Hotel-NoOffer area=east"), PHONE, ANSWER),
        "hotel-phone",
        (),
    ),
    ("request repeat", "last_failure"): (
        moves(PHONE, system("Hotel-NoOffer area=east | Hotel-Request stars=?"), PHONE, ANSWER),
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("request repeat", "question_unanswered"): (
        CASES["asked_instead_of_answering"][0],
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("trace", "replaced_value"): (
        moves(
            AREA,
            OFFER,
            user("Hotel-Inform area=west | Hotel-Inform stars=same as before"),
            system(
                "Hotel-NoOffer area=east | Hotel-NoOffer stars=same as before",
                heard="Hotel-Inform stars=same as before",
            ),
            BYE,
            END,
        ),
        "hotel-phone",
        (),
    ),
    ("trace", "literal_reference"): (
        moves(
            SAME,
            system(
                "Hotel-NoOffer area=west | Hotel-NoOffer stars=same as before",
                heard="Hotel-Inform area=west | Hotel-Inform stars=same as before",
            ),
            BYE,
            END,
        ),
        "hotel-phone",
        (),
    ),
    ("trace", "unsaid_value"): (
        moves(
            PARKING,
            system(
                "Hotel-NoOffer parking=yes | Hotel-NoOffer area=west",
                heard="Hotel-Inform parking=yes | Hotel-Inform area=west",
            ),
            BYE,
            END,
        ),
        "hotel-phone",
        (),
    ),
    ("trace", "value_outside_goal"): (
        moves(
            PARKING,
            system("Hotel-NoOffer parking=yes", heard="Hotel-Inform parking=yes | Hotel-Inform area=west"),
            BYE,
            END,
        ),
        "hotel-phone",
        (),
    ),
    ("trace", "slot_heard_otherwise"): (
        moves(TWICE, system("Hotel-NoOffer internet=no", heard="Hotel-Inform area=west"), BYE, END),
        "hotel-phone",
        (),
    ),
    ("trace", "not_the_goals"): (moves(TWICE, system("Hotel-NoOffer internet=no"), BYE, END), "hotel-phone", ()),
    ("trace", "database_decides"): (CASES["nothing_found"][0], "hotel-phone", ()),
    ("trace", "whole_goal_listed"): (CASES["nothing_found"][0], "hotel-phone", ()),
    ("stop", "failure_reported"): (
        moves(TWICE, system("Hotel-NoOffer area=east"), hears("general-bye", "Booking-Book Ref=1"), END),
        "hotel-phone",
        (),
    ),
    ("stop", "booking_heard"): (
        moves(TWICE, system("general-reqmore"), hears("general-bye", "Booking-Book Ref=1"), END),
        "hotel-phone",
        (),
    ),
    ("stop", "only_courtesies"): (moves(TWICE, system("general-reqmore")), "hotel-phone", ()),
    ("stop", "nothing_follows"): (
        moves(TWICE, system("Hotel-Inform area=west", heard="Hotel-Inform area=west")),
        "hotel-phone",
        (),
    ),
    ("stop", "never_heard"): (CASES["constraint_unheard"][0], "stars=4", ()),
}


def test_every_pair_of_neighbours_has_a_case() -> None:
    pairs = {(name, test.__name__) for name, tests in LISTS.items() for test in tests[:-1]}
    assert ORDER.keys() | NEVER_BOTH.keys() == pairs
    assert not ORDER.keys() & NEVER_BOTH.keys()


@pytest.mark.parametrize(("name", "first"), ORDER)
def test_the_first_of_two_neighbours_decides(name: str, first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [test.__name__ for test in LISTS[name]]
    second = names[names.index(first) + 1]
    each, about, changes = ORDER[name, first]
    options: dict[str, Any] = {"database": nothing} if (name, first) in WITH_DATABASE else {}
    expected = loss_of(each, about, *changes, **options)
    loss, found = _recorded(monkeypatch, name, lambda: loss_of(each, about, *changes, **options))
    assert {first, second} <= found
    assert not found & set(names[: names.index(first)])
    assert loss == expected
