"""Tests of events of the whole goal: for each class, one case that matches and one that nearly matches."""

from __future__ import annotations

import pytest

from dialmeter.users.behaviours import ALL

from ..talks import classes, goal, scored, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})
AREA = user("Hotel-Inform area=east")
BOTH = user("Hotel-Inform area=east | Hotel-Inform stars=4")
END = system("general-bye")

SECOND = goal(hotel={"fail_info": {"area": "east"}, "info": {"area": "west"}})

CASES = {
    "alternative_not_needed": (
        talk(SECOND, AREA, system("Hotel-Recommend name=the inn")),
        talk(SECOND, AREA, system("Hotel-NoOffer area=east"), user("general-bye"), END),
    ),
    "single_repetitions_nog": (
        talk(HOTEL, user("Hotel-Inform area=west"), END),
        talk(HOTEL, AREA, END),
    ),
    "missed_domain": (
        talk(HOTEL, user("general-hello"), END),
        talk(HOTEL, user("Hotel-Inform parking=yes"), END),
    ),
    "missed_constraints": (
        talk(HOTEL, AREA, END),
        talk(HOTEL, BOTH, END),
    ),
    "informed_wrong_value": (
        talk(HOTEL, user("Hotel-Inform area=east | Hotel-Inform stars=3"), END),
        talk(HOTEL, user("Hotel-Inform area=east | Restaurant-Inform stars=3"), END),
    ),
    "sys_preempted_constraint": (
        talk(HOTEL, AREA, system("Hotel-Inform stars=4")),
        talk(HOTEL, AREA, system("Hotel-Request stars=4")),
    ),
    "failed_dialogue": (
        talk(HOTEL, AREA, system("Hotel-NoOffer area=east")),
        talk(HOTEL, AREA, system("Hotel-NoOffer area=east | Hotel-Inform choice=2")),
    ),
    "informed_domains_outside_goals": (
        talk(HOTEL, user("Hotel-Inform area=east | Train-Inform day=monday"), END),
        talk(HOTEL, user("Hotel-Inform area=east | general-inform day=monday"), END),
    ),
}


def test_every_class_has_a_case() -> None:
    assert {each.name for each in ALL if each.family == "goal"} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_it_appears(name: str) -> None:
    assert name in classes(scored(CASES[name][0]), "goal")


@pytest.mark.parametrize("name", CASES)
def test_what_comes_close_is_not_taken_for_it(name: str) -> None:
    assert name not in classes(scored(CASES[name][1]), "goal")


def test_a_pair_in_two_parts_of_the_goal_is_wanted_once() -> None:
    twice = goal(hotel={"info": {"area": "east"}, "fail_info": {"area": "east"}, "book": {"people": "2"}})
    assert scored(talk(twice, AREA, END)).inform["hotel"].wanted == ("area=east", "people=2")


def test_a_failed_search_takes_constraints_and_requests_out_of_the_goal() -> None:
    outcome = scored(CASES["failed_dialogue"][0])
    assert outcome.inform["hotel"].wanted == ("area=east",)
    assert outcome.request["hotel"].wanted == ()
    assert outcome.dropped == {"hotel": ("stars=4", "hotel-phone")}
    assert classes(outcome, "goal") == {"failed_dialogue"}
    kept = scored(CASES["failed_dialogue"][0], "empty_db_result.requests=false")
    assert kept.request["hotel"].wanted == ("hotel-phone",)
    assert "failed_dialogue" not in classes(
        scored(CASES["failed_dialogue"][0], "empty_db_result.constraints=false"), "goal"
    )


def test_a_search_fails_only_right_after_the_last_constraint_and_with_something_missing() -> None:
    early = talk(HOTEL, AREA, system("Hotel-NoOffer"), user("Hotel-Inform parking=yes"), END)
    complete = talk(HOTEL, BOTH, system("Hotel-NoOffer"))
    elsewhere = talk(HOTEL, AREA, system("Restaurant-NoOffer"))
    nothing_said = talk(HOTEL, user("general-hello"), system("Hotel-NoOffer"))
    for each in (early, complete, elsewhere, nothing_said):
        assert "failed_dialogue" not in classes(scored(each), "goal")


def test_what_the_system_says_first_counts_unless_switched_off() -> None:
    first = CASES["sys_preempted_constraint"][0]
    assert scored(first).inform["hotel"].counted == ("area=east", "stars=4")
    assert scored(first, "preemption.compensate=false").inform["hotel"].counted == ("area=east",)


@pytest.mark.parametrize(
    "act", ["Hotel-Inform", "Hotel-Recommend", "Hotel-Select", "Hotel-OfferBooked", "Hotel-NoOffer", "Hotel-Book"]
)
def test_acts_that_tell_values(act: str) -> None:
    outcome = scored(talk(HOTEL, AREA, system(f"{act} stars=4"), user("general-ok"), END))
    assert "sys_preempted_constraint" in classes(outcome, "goal")


def test_mentions_outside_the_goal_all_count() -> None:
    day = user("Train-Inform day=monday")
    outcome = scored(talk(HOTEL, BOTH, END, day, END, day, END))
    assert outcome.inform["train"].wanted == ()
    assert outcome.inform["train"].counted == ("day=monday", "day=monday")


def test_a_wrong_value_says_what_was_said() -> None:
    event = next(e for e in scored(CASES["informed_wrong_value"][0]).events if e.name == "informed_wrong_value")
    assert (event.about, event.said, event.turns) == ("stars=4", "stars=3", (0,))
