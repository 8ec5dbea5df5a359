"""Tests of the order of causes of lost points: dialogues with several possible causes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dialmeter.model import Conversation
from dialmeter.users.blame import Cause, causes, verdict

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

PARKING = user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Inform parking=yes")
SAME = user("Hotel-Inform area=east | Hotel-Inform stars=same as before")
WITH_DATABASE = {("failure", "failure_unexplained"), ("failure", "impossible failure_unexplained")}
"""Cases with a database."""
ORDER: dict[tuple[str, str], tuple[Conversation, str, tuple[str, ...]]] = {
    ("missing_constraint", "second_choice not_labelled no_reaction"): (
        talk(SECOND, user("Hotel-Inform area=west"), OFFER, user("Hotel-Inform name=inn", "in the east"), END),
        "area=east",
        ("goals.alternatives=all",),
    ),
    ("missing_constraint", "not_labelled file_ends question_ignored"): (
        moves(user("general-hello", "A train on monday."), system("Train-Request day=?"), BYE, END, wanted=TWO),
        "day=monday",
        (),
    ),
    ("missing_constraint", "stopped question_ignored"): (
        moves(AREA, system("Train-Request day=?"), BYE, END, wanted=TWO),
        "day=monday",
        (),
    ),
    ("missing_constraint", "question_ignored wrong_value stopped"): (
        moves(user("Hotel-Inform stars=3"), system("Hotel-Request stars=?"), PHONE, ANSWER, BYE, END),
        "stars=4",
        (),
    ),
    ("missing_constraint", "wrong_value booking_misheard no_reaction"): (
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
    ("missing_constraint", "booking_misheard"): (CASES["booking_misheard"][0], "day=monday", ()),
    ("missing_request", "answer_misheard stopped"): (
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
    ("missing_request", "no_reaction"): (
        moves(user("Train-Inform day=monday"), END, BYE, END, wanted={**TWO, **HOTEL}),
        "hotel-phone",
        (),
    ),
    ("outside_constraint", "domain_as_value slot_misheard outside_goal"): (
        moves(AREA, OFFER, hears("Hotel-Inform choice=hotel", "Hotel-Inform choice=3"), END),
        "choice=hotel",
        (),
    ),
    ("outside_constraint", "reference_without_booking outside_goal"): (
        moves(
            AREA, system("Hotel-Recommend Ref=1"), hears("Hotel-Inform notbook=none", "Hotel-Request notbook=?"), END
        ),
        "notbook=none",
        (),
    ),
    ("outside_request", "domain_misheard failure_unheard outside_goal"): (
        moves(AREA, system("Hotel-NoOffer"), hears("Train-Request price=?", "Train-Inform day=monday"), END),
        "train-price",
        (),
    ),
    ("outside_request", "failure_unheard outside_goal"): (CASES["failure_unheard"][0], "hotel-fee", ()),
    ("repeated_constraint", "labelled_twice booking_unheard repeated"): (
        moves(
            AREA,
            system("Booking-Book Ref=1"),
            hears("Hotel-Inform area=east | Train-Inform area=east", "general-reqmore"),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "booking_unheard value_misheard constraint_unheard repeated"): (
        moves(
            AREA,
            system("Hotel-NoOffer area=west | Booking-Book Ref=1", heard="Hotel-Inform area=west"),
            hears("Hotel-Inform area=east", ""),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "value_misheard constraint_unheard repeated"): (
        moves(AREA, system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west"), AREA, END),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "constraint_unheard heard_as_choice repeated"): (
        moves(
            AREA,
            system("Hotel-Inform area=east", heard="general-bye"),
            hears("Hotel-Inform area=east", "Hotel-Select area=east"),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "heard_as_choice answer_unheard repeated"): (
        moves(
            AREA,
            system("Hotel-Inform area=east | Hotel-Inform name=inn"),
            hears("Hotel-Inform area=east", "Hotel-Select area=east"),
            END,
        ),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "slot_misheard no_reaction repeated"): (
        moves(AREA, system("Train-Inform day=monday"), hears("Hotel-Inform area=east", "Hotel-Inform area=west"), END),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "no_reaction question_misheard repeated"): (
        moves(AREA, system("Train-Inform day=monday"), hears("Hotel-Inform area=east", "Hotel-Request stars=?"), END),
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_constraint", "question_misheard repeated"): (
        CASES["question_misheard"][0],
        "area=east",
        ("repetitions.max=0",),
    ),
    ("repeated_request", "request_unheard no_answer asked_after_answer no_reaction"): (
        moves(PHONE, system("Hotel-Inform phone=?", heard="general-bye"), PHONE, ANSWER),
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("repeated_request", "no_answer answer_unheard asked_after_answer no_reaction"): (
        moves(PHONE, system("Hotel-Inform phone=?"), hears("Hotel-Request phone=?", "general-reqmore"), ANSWER),
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("repeated_request", "answer_unheard new_search asked_after_answer no_reaction"): (
        moves(PHONE, ANSWER, hears("Hotel-Inform area=east", "general-reqmore"), OFFER, PHONE, ANSWER),
        "hotel-phone",
        (),
    ),
    ("repeated_request", "new_search asked_after_answer no_reaction"): (CASES["new_search"][0], "hotel-phone", ()),
    ("repeated_request", "asked_after_answer failure_unexplained no_reaction"): (
        moves(PHONE, ANSWER, BYE, system("Hotel-NoOffer area=east"), PHONE, ANSWER),
        "hotel-phone",
        (),
    ),
    ("repeated_request", "failure_unexplained asked_instead_of_answering no_reaction"): (
        moves(PHONE, system("Hotel-NoOffer area=east | Hotel-Request stars=?"), PHONE, ANSWER),
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("repeated_request", "asked_instead_of_answering no_reaction"): (
        CASES["asked_instead_of_answering"][0],
        "hotel-phone",
        ("requests.max=0",),
    ),
    ("failure", "change_unheard reference_taken_literally searched_outside_goal failure_unexplained"): (
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
    ("failure", "reference_taken_literally value_misheard searched_outside_goal failure_unexplained"): (
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
    ("failure", "value_misheard searched_outside_goal failure_unexplained"): (
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
    ("failure", "searched_outside_goal value_misheard failure_unexplained"): (
        moves(
            PARKING,
            system("Hotel-NoOffer parking=yes", heard="Hotel-Inform parking=yes | Hotel-Inform area=west"),
            BYE,
            END,
        ),
        "hotel-phone",
        (),
    ),
    ("failure", "value_misheard failure_unexplained"): (
        moves(TWICE, system("Hotel-NoOffer internet=no", heard="Hotel-Inform area=west"), BYE, END),
        "hotel-phone",
        (),
    ),
    ("failure", "failure_unexplained"): (
        moves(TWICE, system("Hotel-NoOffer internet=no"), BYE, END),
        "hotel-phone",
        (),
    ),
    ("failure", "impossible failure_unexplained"): (CASES["nothing_found"][0], "hotel-phone", ()),
    ("failure", "nothing_found failure_unexplained"): (CASES["nothing_found"][0], "hotel-phone", ()),
    ("stop", "failure_unexplained booking_misheard stopped"): (
        moves(TWICE, system("Hotel-NoOffer area=east"), hears("general-bye", "Booking-Book Ref=1"), END),
        "hotel-phone",
        (),
    ),
    ("stop", "booking_misheard no_reaction stopped"): (
        moves(TWICE, system("general-reqmore"), hears("general-bye", "Booking-Book Ref=1"), END),
        "hotel-phone",
        (),
    ),
    ("stop", "no_reaction file_ends stopped"): (moves(TWICE, system("general-reqmore")), "hotel-phone", ()),
    ("stop", "file_ends constraint_unheard stopped"): (
        moves(TWICE, system("Hotel-Inform area=west", heard="Hotel-Inform area=west")),
        "hotel-phone",
        (),
    ),
    ("stop", "constraint_unheard stopped"): (CASES["constraint_unheard"][0], "stars=4", ()),
}


@pytest.mark.parametrize(("kind", "reasons"), ORDER)
def test_order_of_causes(kind: str, reasons: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"causes_of_{kind}"
    generate: Callable[..., Iterator[Cause]] = getattr(causes, name)
    possible = []

    def record(*arguments: Any) -> Iterator[Cause]:
        every = list(generate(*arguments))
        possible.append(" ".join(dict.fromkeys(cause.why for cause in every)))
        return iter(every)

    for module in (causes, verdict):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, record)
    each, about, changes = ORDER[kind, reasons]
    loss = loss_of(each, about, *changes, database=nothing if (kind, reasons) in WITH_DATABASE else None)
    assert reasons in possible
    assert loss.why == reasons.split(maxsplit=1)[0]
