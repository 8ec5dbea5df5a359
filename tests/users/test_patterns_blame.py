"""How goals are expressed, and who is to blame for what is lost."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from dialmeter.model import Conversation, Move
from dialmeter.users.analysis.blame import Blamer, BlameVerdict
from dialmeter.users.analysis.patterns import counted, patterns_of
from dialmeter.users.profile import named
from dialmeter.users.scorer import UserScorer

from .talks import acts, goal, system, talk, user

GOAL = goal(
    hotel={
        "info": {"area": "east", "stars": "4"},
        "book": {"people": "2", "stay": "3"},
        "requests": ["phone", "address"],
    }
)
END = system("general-bye")


def patterns(*moves: Move) -> set[tuple[str, str]]:
    each = talk(GOAL, *moves)
    return {(found.kind, found.pattern) for found in patterns_of(UserScorer().add(each), GOAL)}


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
    each = talk(wanted, user("Hotel-Inform area=east"), END, user("Hotel-Inform stars=4"), END)
    assert [found.pattern for found in patterns_of(UserScorer().add(each), wanted)] == ["miss_mult"]


def test_a_part_with_one_unit_has_no_pattern() -> None:
    wanted = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})
    assert patterns_of(UserScorer().add(talk(wanted, user("Hotel-Inform area=east"), END)), wanted) == []


def test_patterns_are_counted_by_domain() -> None:
    each = talk(GOAL, user("Hotel-Inform area=east"), END)
    found = counted([*patterns_of(UserScorer().add(each), GOAL)] * 2)
    assert found["search"] == {"hotel": {"miss_one": 2}}


SMALL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})
AREA = user("Hotel-Inform area=east")


def verdict(each: Conversation, database: Mapping[str, int] | None = None) -> BlameVerdict | None:
    found = None if database is None else (lambda domain, wanted: database.get(domain, 0))
    return Blamer(named("multiwoz"), found).verdict(each, UserScorer().add(each))


def party(each: Conversation, database: Mapping[str, int] | None = None) -> tuple[str, str, int] | None:
    found = verdict(each, database)
    return found and (found.party, found.because, found.turn)


FAILED = talk(
    {**SMALL, **goal(train={"info": {"day": "monday"}})}, AREA, system("Hotel-NoOffer"), user("general-bye"), END
)


def test_what_did_not_fail_has_no_verdict() -> None:
    whole = user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Request phone=?")
    fine = talk(SMALL, whole, system("Hotel-Inform phone=1"))
    assert party(fine) is None
    found = verdict(replace(fine, cut=True))
    assert found is not None
    assert (found.party, [loss.about for loss in found.losses]) == ("user", [""])


def test_a_search_without_an_entity_is_the_goals_fault() -> None:
    assert party(FAILED) == ("goal", "failed_dialogue", 1)
    found = verdict(FAILED)
    assert found is not None
    assert {(loss.domain, loss.about) for loss in found.losses if loss.party == "goal"} == {
        ("hotel", "stars=4"),
        ("hotel", "hotel-phone"),
    }


def test_a_database_can_say_that_the_search_should_have_succeeded() -> None:
    assert party(FAILED, {"hotel": 0}) == ("goal", "failed_dialogue", 1)
    assert party(FAILED, {"hotel": 3}) == ("user", "missed", 3)


def test_what_the_system_did_not_understand() -> None:
    each = talk(SMALL, AREA, system("", heard=""), AREA, END)
    assert party(each) == ("understanding", "failed_sys_nlu", 0)


def test_what_the_user_did_not_understand() -> None:
    heard = Move("user", "", acts("general-thank"), acts("Hotel-Inform area=west"))
    each = talk(SMALL, AREA, system("Hotel-Inform area=east"), heard, END)
    assert party(each) == ("understanding", "failed_user_nlu", 2)
    fine = Move("user", "", acts("general-thank"), acts("Hotel-Inform area=East"))
    assert party(talk(SMALL, AREA, system("Hotel-Inform area=east"), fine, END)) == ("user", "missed", 3)


def test_what_the_system_did_not_answer() -> None:
    asked = user("Hotel-Inform area=east | Hotel-Request phone=?")
    assert party(talk(SMALL, asked, END)) == ("system", "unanswered_request", 0)
    assert party(talk(SMALL, asked, system("Hotel-Request phone=?"))) == ("system", "unanswered_request", 0)
    assert party(talk(SMALL, asked, system("Hotel-Inform phone=1"))) == ("user", "missed", 1)
    twice = talk(SMALL, asked, system(""), asked, system("Hotel-Inform phone=1"))
    assert party(twice) == ("system", "delayed_response", 0)


def test_bookings_that_fail_without_cause() -> None:
    each = talk(SMALL, AREA, system("Booking-NoBook"))
    assert party(each) == ("system", "no_book_without_cause", 1)
    assert party(each, {"hotel": 0}) == ("user", "missed", 1)
    planned = goal(hotel={"info": {"area": "east", "stars": "4"}, "fail_book": {"day": "monday"}})
    found = party(talk(planned, AREA, system("Booking-NoBook")))
    assert found is not None
    assert found[0] == "user"


def test_a_domain_that_was_never_begun_is_lost_elsewhere() -> None:
    wanted = {**SMALL, **goal(train={"info": {"day": "monday"}})}
    whole = user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Request phone=?")
    each = talk(wanted, whole, system("", heard=""), whole, system("Hotel-Inform phone=1"))
    found = verdict(each)
    assert found is not None
    assert [(loss.domain, loss.party) for loss in found.losses] == [("train", "understanding")]


def test_ties_go_to_the_first_party() -> None:
    wanted = goal(hotel={"info": {"area": "east", "stars": "4"}}, train={"info": {"day": "monday", "departure": "ely"}})
    first = user("Hotel-Inform area=east | Train-Inform day=monday")
    again = user("Hotel-Inform area=east")
    each = talk(wanted, first, system("", heard="Train-Inform day=monday"), again, END)
    found = verdict(each)
    assert found is not None
    assert [(loss.domain, loss.party) for loss in found.losses] == [("hotel", "understanding"), ("train", "user")]
    assert found.party == "understanding"
