"""Who lost each point: a dialogue for every test and every party, and one for every pair of neighbouring tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from dialmeter.model import Conversation, DomainGoal, Move
from dialmeter.users.blame import PARTIES, REASONS, Blamer, BlameVerdict, Database, Loss
from dialmeter.users.blame.failures import STOP_TESTS, TRACE_TESTS
from dialmeter.users.blame.precision import (
    OUTSIDE_CONSTRAINT_TESTS,
    OUTSIDE_REQUEST_TESTS,
    REPEATED_CONSTRAINT_TESTS,
    REPEATED_REQUEST_TESTS,
)
from dialmeter.users.blame.recall import CONSTRAINT_TESTS, REQUEST_TESTS
from dialmeter.users.scorer import UserScorer

from .talks import acts, goal, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})
BOOK = goal(hotel={"info": {"area": "east"}, "book": {"day": "monday", "people": "2"}})
TWO = {**goal(hotel={"info": {"area": "east"}}), **goal(train={"info": {"day": "monday"}, "book": {"people": "2"}})}
SECOND = goal(hotel={"fail_info": {"area": "west"}, "info": {"area": "east"}})
AREA, OFFER = user("Hotel-Inform area=east"), system("Hotel-Recommend name=inn")
PHONE, STARS = user("Hotel-Request phone=?"), user("Hotel-Inform stars=4")
ALL = user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Request phone=?")
BYE, END = user("general-bye"), system("general-bye")


def hears(said: str, heard: str, text: str = "") -> Move:
    """A user turn with what the user understood of the turn before."""
    return Move("user", text, acts(said), acts(heard))


def blamed(
    each: Conversation, *changes: str, database: Database | None = None, limit: int | None = None
) -> BlameVerdict:
    from dialmeter.users.rules import changed, named

    scorer = UserScorer(changed(named("dialmeter"), *changes))
    found = Blamer(scorer.setup, database, limit).verdict(each, scorer.prepare(each), scorer.outcome(each))
    assert found is not None
    return found


def loss_of(each: Conversation, about: str, *changes: str, **options: Any) -> Loss:
    return next(loss for loss in blamed(each, *changes, **options).losses if loss.about == about)


def moves(*turns: Move, wanted: dict[str, DomainGoal] = HOTEL) -> Conversation:
    return talk(wanted, *turns)


def nothing(domain: str, search: object, book: object) -> int:
    return 0


def something(domain: str, search: object, book: object) -> int:
    return 3


ANSWER = system("Hotel-Inform phone=1")
TWICE = user("Hotel-Inform area=east | Hotel-Inform stars=4")
CASES: dict[str, tuple[Conversation, str, tuple[str, str, int | None], dict[str, Any]]] = {
    "second_choice": (
        talk(SECOND, user("Hotel-Inform area=west"), OFFER, BYE, END),
        "area=east",
        ("not needed", "", None),
        {"changes": ("goals.alternatives=all",)},
    ),
    "not_labelled": (
        moves(user("Hotel-Inform area=east | Hotel-Request phone=?", "A hotel with 4 stars."), ANSWER),
        "stars=4",
        ("label", "", 0),
        {},
    ),
    "question_ignored": (
        moves(AREA, system("Hotel-Request stars=?"), PHONE, ANSWER, BYE, END),
        "stars=4",
        ("user", "", 2),
        {},
    ),
    "wrong_value": (
        moves(user("Hotel-Inform area=east | Hotel-Inform stars=3 | Hotel-Request phone=?"), ANSWER),
        "stars=4",
        ("user", "", 0),
        {},
    ),
    "reference_not_resolved": (
        moves(user("Hotel-Inform area=same as before | Hotel-Inform stars=4 | Hotel-Request phone=?"), ANSWER),
        "area=east",
        ("label", "", 0),
        {},
    ),
    "reference_without_booking": (
        talk(BOOK, AREA, system("Hotel-Recommend Ref=123"), hears("general-bye", "Booking-Book Ref=123"), END),
        "day=monday",
        ("system", "", 1),
        {},
    ),
    "booking_misheard": (
        talk(BOOK, AREA, OFFER, hears("general-bye", "Booking-Book Ref=1"), END),
        "day=monday",
        ("understanding", "system", 2),
        {},
    ),
    "stopped": (moves(ALL, ANSWER, BYE, END, wanted={**TWO, **HOTEL}), "day=monday", ("user", "", 2), {}),
    "no_reaction": (moves(AREA, system("general-reqmore"), BYE, END), "stars=4", ("system", "", 1), {}),
    "constraint_unheard": (
        moves(AREA, system("Hotel-Inform area=west", heard="Hotel-Inform area=west"), BYE, END),
        "stars=4",
        ("understanding", "user", 1),
        {},
    ),
    "file_ends": (moves(AREA, OFFER), "stars=4", ("unknown", "", 1), {}),
    "turn_limit": (moves(AREA, OFFER, BYE, END), "stars=4", ("unknown", "", 3), {"limit": 4}),
    "answer_misheard": (
        moves(TWICE, OFFER, hears("general-bye", "Hotel-Inform phone=1 | Hotel-Recommend name=inn"), END),
        "hotel-phone",
        ("understanding", "system", 2),
        {},
    ),
    "domain_as_value": (
        moves(user("Hotel-Inform type=hotel | Hotel-Inform area=east"), ANSWER),
        "type=hotel",
        ("label", "", 0),
        {},
    ),
    "slot_misheard": (
        moves(AREA, system("Hotel-Inform price=1"), hears("Hotel-Inform area=east", "Hotel-Inform area=west"), END),
        "area=east",
        ("understanding", "system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "domain_misheard": (
        moves(AREA, OFFER, hears("Train-Request price=?", "Train-Inform day=monday"), END),
        "train-price",
        ("understanding", "system", 2),
        {},
    ),
    "failure_unheard": (
        moves(AREA, system("Hotel-NoOffer"), hears("Hotel-Request fee=?", "general-reqmore"), END),
        "hotel-fee",
        ("understanding", "system", 2),
        {},
    ),
    "outside_goal": (
        moves(user("Hotel-Inform parking=yes"), OFFER, BYE, END),
        "parking=yes",
        ("user", "", 0),
        {},
    ),
    "labelled_twice": (
        moves(AREA, system("general-reqmore"), user("Hotel-Inform area=east | Train-Inform area=east"), END),
        "area=east",
        ("label", "", 2),
        {},
    ),
    "booking_unheard": (
        moves(AREA, system("Booking-Book Ref=1"), hears("Hotel-Inform area=east", "Train-OfferBooked Ref=1"), END),
        "area=east",
        ("understanding", "system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "heard_as_choice": (
        moves(AREA, system("Hotel-Inform area=east"), hears("Hotel-Inform area=east", "Hotel-Select area=east"), END),
        "area=east",
        ("understanding", "system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "answer_unheard": (
        moves(ALL, ANSWER, hears("Hotel-Request phone=?", "general-reqmore"), ANSWER),
        "hotel-phone",
        ("understanding", "system", 2),
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
        ("understanding", "system", 2),
        {"changes": ("repetitions.max=0",)},
    ),
    "repeated": (moves(AREA, system("Hotel-Inform price=1"), AREA, END), "area=east", ("user", "", 2), {}),
    "request_unheard": (
        moves(PHONE, system("", heard="general-bye"), PHONE, ANSWER),
        "hotel-phone",
        ("understanding", "user", 1),
        {"changes": ("requests.max=0",)},
    ),
    "no_answer": (
        moves(*[PHONE, system("Hotel-Inform phone=?")] * 5),
        "hotel-phone",
        ("system", "", 7),
        {},
    ),
    "new_search": (
        moves(PHONE, ANSWER, AREA, OFFER, PHONE, ANSWER),
        "hotel-phone",
        ("not needed", "", 4),
        {},
    ),
    "asked_after_answer": (moves(PHONE, ANSWER, PHONE, ANSWER), "hotel-phone", ("user", "", 2), {}),
    "asked_instead_of_answering": (
        moves(PHONE, system("Hotel-Request area=?"), PHONE, ANSWER),
        "hotel-phone",
        ("user", "", 2),
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
        ("understanding", "user", 3),
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
        ("understanding", "user", 1),
        {},
    ),
    "value_misheard": (
        moves(TWICE, system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west"), BYE, END),
        "hotel-phone",
        ("understanding", "user", 1),
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
        ("user", "", 0),
        {},
    ),
    "impossible": (
        moves(TWICE, system("Hotel-NoOffer area=east"), BYE, END),
        "hotel-phone",
        ("goal", "", 1),
        {"database": nothing},
    ),
    "searched_without_cause": (
        moves(TWICE, system("Hotel-NoOffer area=east"), BYE, END),
        "hotel-phone",
        ("system", "", 1),
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
        ("user", "", 0),
        {"database": something},
    ),
    "nothing_found": (
        moves(TWICE, system("Hotel-NoOffer area=east | Hotel-NoOffer stars=4"), BYE, END),
        "hotel-phone",
        ("goal", "", 1),
        {},
    ),
    "failure_unexplained": (
        moves(TWICE, system("Hotel-NoOffer area=east"), BYE, END),
        "hotel-phone",
        ("unknown", "", 1),
        {},
    ),
}


@pytest.mark.parametrize("why", CASES)
def test_reason(why: str) -> None:
    each, about, expected, options = CASES[why]
    changes = options.get("changes", ())
    loss = loss_of(each, about, *changes, **{key: value for key, value in options.items() if key != "changes"})
    assert (loss.why, loss.party, loss.of, loss.turn) == (why, *expected)
    assert REASONS[why][1] in loss.evidence
    if loss.of:
        assert f"the {loss.of} said " in loss.evidence


def test_every_reason_and_every_party_has_a_case() -> None:
    assert CASES.keys() == REASONS.keys()
    assert {expected[0] for _, _, expected, _ in CASES.values()} == set(PARTIES)


# The order of tests: a dialogue in which a test and its neighbour both find a cause; the first decides.

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
"""Neighbours of which at most one holds, by list and the first of the two."""


def _recorded(monkeypatch: pytest.MonkeyPatch, name: str, run: Callable[[], Loss]) -> tuple[Loss, set[str]]:
    """The loss, and the tests of a list that find a cause for the same unit."""
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
"""Pairs of which one asks a database."""
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


# Verdicts.


def test_a_dialogue_that_lost_nothing_has_no_verdict() -> None:
    scorer = UserScorer()
    each = moves(ALL, ANSWER)
    assert Blamer(scorer.setup).verdict(each, scorer.prepare(each), scorer.outcome(each)) is None


def test_what_is_not_needed_is_no_failure() -> None:
    found = blamed(CASES["second_choice"][0], "goals.alternatives=all")
    assert not found.failed
    assert found.recall is not None
    assert found.recall.party == "not needed"


def test_a_label_decides_only_where_nothing_else_does() -> None:
    wanted = goal(hotel={"info": {"area": "east", "stars": "4", "parking": "yes"}})
    said = user("Hotel-Inform area=east", "A place with 4 stars and parking.")
    found = blamed(talk(wanted, said, OFFER, BYE, END))
    assert [(loss.about, loss.party) for loss in found.losses] == [("parking=yes", "label"), ("stars=4", "label")]
    assert found.recall is not None
    assert found.recall.party == "label"
    more = goal(hotel={"info": {"area": "east", "stars": "4", "parking": "yes", "internet": "yes"}})
    found = blamed(talk(more, said, OFFER, BYE, END))
    assert found.recall is not None
    assert (found.recall.party, found.recall.turn) == ("user", 2)


def test_a_cut_dialogue_failed_though_nothing_is_missing() -> None:
    found = blamed(replace(moves(ALL, ANSWER), cut=True))
    assert found.failed
    assert [(loss.about, loss.party, loss.why) for loss in found.losses] == [("", "unknown", "turn_limit")]


def test_units_that_left_the_goal_have_a_cause_and_no_vote() -> None:
    found = blamed(moves(AREA, system("Hotel-NoOffer area=east"), BYE, END))
    assert {loss.weight for loss in found.losses} == {0}
    assert found.recall is None
    assert not found.failed


def test_a_stuck_dialogue_is_explained_by_its_loop() -> None:
    stuck = [AREA, system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west")] * 4
    loss = loss_of(talk({**TWO, **HOTEL}, *stuck), "day=monday")
    assert (loss.party, loss.of, loss.turn) == ("understanding", "user", 1)


def test_a_loop_decides_before_the_limit_of_turns_and_the_limit_before_the_last_turn() -> None:
    wanted = {**TWO, **HOTEL}
    reply = system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west")
    assert loss_of(talk(wanted, *[AREA, reply] * 4), "day=monday", limit=8).why == "value_misheard"
    assert loss_of(talk(wanted, *[AREA, reply] * 2), "day=monday", limit=4).why == "turn_limit"
    assert loss_of(talk(wanted, *[AREA, reply] * 2), "day=monday").why == "value_misheard"


def test_a_value_that_the_user_has_replaced_does_not_make_it_the_goals_fault() -> None:
    each = talk(
        goal(hotel={"fail_info": {"area": "west"}, "info": {"area": "east"}, "requests": ["phone"]}),
        user("Hotel-Inform area=west"),
        OFFER,
        AREA,
        system("Hotel-NoOffer area=west"),
        BYE,
        END,
    )
    assert loss_of(each, "hotel-phone").why == "failure_unexplained"


def test_without_what_was_heard_nobody_misheard() -> None:
    each = talk(HOTEL, AREA, OFFER, BYE, END, heard_all=False)
    assert {loss.party for loss in blamed(each).losses} == {"user"}
