"""One dialogue for every reason of a lost point, with the party to blame."""

from __future__ import annotations

from typing import Any

from dialmeter.model import Conversation

from ..talks import goal, system, talk, user
from .verdicts import (
    ALL,
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
    moves,
    nothing,
    something,
)

CASES: dict[str, tuple[Conversation, str, tuple[str, int | None], dict[str, Any]]] = {
    "second_choice": (
        talk(SECOND, user("Hotel-Inform area=west"), OFFER, BYE, END),
        "area=east",
        ("not needed", None),
        {"changes": ("goals.alternatives=all",)},
    ),
    "not_labelled": (
        moves(user("Hotel-Inform area=east | Hotel-Request phone=?", "A hotel with 4 stars."), ANSWER),
        "stars=4",
        ("label", 0),
        {},
    ),
    "question_ignored": (
        moves(AREA, system("Hotel-Request stars=?"), PHONE, ANSWER, BYE, END),
        "stars=4",
        ("user", 2),
        {},
    ),
    "wrong_value": (
        moves(user("Hotel-Inform area=east | Hotel-Inform stars=3 | Hotel-Request phone=?"), ANSWER),
        "stars=4",
        ("user", 0),
        {},
    ),
    "reference_not_resolved": (
        moves(user("Hotel-Inform area=same as before | Hotel-Inform stars=4 | Hotel-Request phone=?"), ANSWER),
        "area=east",
        ("label", 0),
        {},
    ),
    "reference_without_booking": (
        talk(BOOK, AREA, system("Hotel-Recommend Ref=123"), hears("general-bye", "Booking-Book Ref=123"), END),
        "day=monday",
        ("system", 1),
        {},
    ),
    "booking_misheard": (
        talk(BOOK, AREA, OFFER, hears("general-bye", "Booking-Book Ref=1"), END),
        "day=monday",
        ("user misheard system", 2),
        {},
    ),
    "stopped": (moves(ALL, ANSWER, BYE, END, wanted={**TWO, **HOTEL}), "day=monday", ("user", 2), {}),
    "no_reaction": (moves(AREA, system("general-reqmore"), BYE, END), "stars=4", ("system", 1), {}),
    "constraint_unheard": (
        moves(AREA, system("Hotel-Inform area=west", heard="Hotel-Inform area=west"), BYE, END),
        "stars=4",
        ("system misheard user", 1),
        {},
    ),
    "file_ends": (moves(AREA, OFFER), "stars=4", ("unknown", 1), {}),
    "turn_limit": (moves(AREA, OFFER, BYE, END), "stars=4", ("unknown", 3), {"limit": 4}),
    "answer_misheard": (
        moves(TWICE, OFFER, hears("general-bye", "Hotel-Inform phone=1 | Hotel-Recommend name=inn"), END),
        "hotel-phone",
        ("user misheard system", 2),
        {},
    ),
    "domain_as_value": (
        moves(user("Hotel-Inform type=hotel | Hotel-Inform area=east"), ANSWER),
        "type=hotel",
        ("label", 0),
        {},
    ),
    "slot_misheard": (
        moves(AREA, system("Hotel-Inform price=1"), hears("Hotel-Inform area=east", "Hotel-Inform area=west"), END),
        "area=east",
        ("user misheard system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "domain_misheard": (
        moves(AREA, OFFER, hears("Train-Request price=?", "Train-Inform day=monday"), END),
        "train-price",
        ("user misheard system", 2),
        {},
    ),
    "failure_unheard": (
        moves(AREA, system("Hotel-NoOffer"), hears("Hotel-Request fee=?", "general-reqmore"), END),
        "hotel-fee",
        ("user misheard system", 2),
        {},
    ),
    "outside_goal": (
        moves(user("Hotel-Inform parking=yes"), OFFER, BYE, END),
        "parking=yes",
        ("user", 0),
        {},
    ),
    "labelled_twice": (
        moves(AREA, system("general-reqmore"), user("Hotel-Inform area=east | Train-Inform area=east"), END),
        "area=east",
        ("label", 2),
        {},
    ),
    "booking_unheard": (
        moves(AREA, system("Booking-Book Ref=1"), hears("Hotel-Inform area=east", "Train-OfferBooked Ref=1"), END),
        "area=east",
        ("user misheard system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "heard_as_choice": (
        moves(AREA, system("Hotel-Inform area=east"), hears("Hotel-Inform area=east", "Hotel-Select area=east"), END),
        "area=east",
        ("user misheard system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "answer_unheard": (
        moves(ALL, ANSWER, hears("Hotel-Request phone=?", "general-reqmore"), ANSWER),
        "hotel-phone",
        ("user misheard system", 2),
        {},
    ),
    "question_misheard": (
        moves(
            AREA,
            system("Hotel-Inform price=1"),
            hears("Hotel-Inform area=east", "Hotel-Inform price=1 | Hotel-Request stars=?"),
            END,
        ),
        "area=east",
        ("user misheard system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "repeated": (moves(AREA, system("Hotel-Inform price=1"), AREA, END), "area=east", ("user", 2), {}),
    "request_unheard": (
        moves(PHONE, system("", heard="general-bye"), PHONE, ANSWER),
        "hotel-phone",
        ("system misheard user", 1),
        {"changes": ("requests.max=0",)},
    ),
    "no_answer": (
        moves(*[PHONE, system("Hotel-Inform phone=?")] * 5),
        "hotel-phone",
        ("system", 7),
        {},
    ),
    "new_search": (
        moves(PHONE, ANSWER, AREA, OFFER, PHONE, ANSWER),
        "hotel-phone",
        ("not needed", 4),
        {},
    ),
    "asked_after_answer": (moves(PHONE, ANSWER, PHONE, ANSWER), "hotel-phone", ("user", 2), {}),
    "asked_instead_of_answering": (
        moves(PHONE, system("Hotel-Request area=?"), PHONE, ANSWER),
        "hotel-phone",
        ("user", 2),
        {"changes": ("requests.max=0",)},
    ),
    "change_unheard": (
        moves(
            AREA,
            OFFER,
            user("Hotel-Inform area=west"),
            system("Hotel-NoOffer area=east", heard="general-bye"),
            BYE,
            END,
        ),
        "hotel-phone",
        ("system misheard user", 3),
        {"changes": ("empty_db_result.requests=false", "empty_db_result.constraints=false")},
    ),
    "reference_taken_literally": (
        moves(
            user("Hotel-Inform area=east | Hotel-Inform stars=same as before"),
            system("Hotel-NoOffer stars=same as before"),
            BYE,
            END,
        ),
        "hotel-phone",
        ("system misheard user", 1),
        {},
    ),
    "value_misheard": (
        moves(TWICE, system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west"), BYE, END),
        "hotel-phone",
        ("system misheard user", 1),
        {},
    ),
    "searched_outside_goal": (
        moves(
            user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Inform parking=yes"),
            system("Hotel-NoOffer parking=yes"),
            BYE,
            END,
        ),
        "hotel-phone",
        ("user", 0),
        {},
    ),
    "impossible": (
        moves(TWICE, system("Hotel-NoOffer area=east"), BYE, END),
        "hotel-phone",
        ("goal", 1),
        {"database": nothing},
    ),
    "searched_without_cause": (
        moves(TWICE, system("Hotel-NoOffer area=east"), BYE, END),
        "hotel-phone",
        ("system", 1),
        {"database": something},
    ),
    "searched_with_less": (
        talk(
            goal(hotel={"info": {"area": "east", "stars": "4"}, "book": {"day": "monday"}}),
            user("Hotel-Inform area=east | Hotel-Inform day=monday"),
            system("Booking-NoBook day=monday"),
            BYE,
            END,
        ),
        "stars=4",
        ("user", 0),
        {"database": something},
    ),
    "nothing_found": (
        moves(TWICE, system("Hotel-NoOffer area=east | Hotel-NoOffer stars=4"), BYE, END),
        "hotel-phone",
        ("goal", 1),
        {},
    ),
    "failure_unexplained": (
        moves(TWICE, system("Hotel-NoOffer area=east"), BYE, END),
        "hotel-phone",
        ("unknown", 1),
        {},
    ),
}
