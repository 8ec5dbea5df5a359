"""Tests of goals for dialogues without goals, and of profiles for corpora without profiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.model import Act, Conversation, DomainGoal, Move
from dialmeter.users.derived_goals import derived_goal
from dialmeter.users.profile import load, named
from dialmeter.users.profile_proposal import CorpusSurvey
from dialmeter.users.scorer import score_user

from .talks import system, user

PROFILE = named("multiwoz")


def goal_of(*moves: Move, state: dict[str, str] | None = None) -> dict[str, DomainGoal]:
    return dict(derived_goal(Conversation("d", moves), PROFILE, state))


def test_the_last_value_is_wanted_and_what_is_asked_for() -> None:
    found = goal_of(
        user("Hotel-Inform area=west | Hotel-Request phone=?"),
        system("Hotel-Inform name=inn"),
        user("Hotel-Inform area=east | general-bye | Booking-Inform day=monday"),
    )
    assert found == {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}


def test_a_value_that_failed_comes_first() -> None:
    found = goal_of(user("Hotel-Inform area=west"), system("Hotel-NoOffer area=west"), user("Hotel-Inform area=east"))
    assert found == {"hotel": DomainGoal(info={"area": "east"}, fail_info={"area": "west"})}


def test_values_that_are_none_are_no_constraints() -> None:
    assert goal_of(user("Hotel-Inform area=none | Hotel-Inform stars=")) == {}


def test_final_states_serve_where_there_are_no_acts() -> None:
    state = {"hotel-area": "east", "hotel-stars": "none", "train-day": "monday"}
    expected = {"hotel": DomainGoal(info={"area": "east"}), "train": DomainGoal(info={"day": "monday"})}
    assert goal_of(Move("user", "East."), state=state) == expected
    assert goal_of(user("Hotel-Inform area=west"), state=state) == {"hotel": DomainGoal(info={"area": "west"})}


def test_lists_of_requests_count_too() -> None:
    asked = Move("user", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),), requested={"hotel": ("hotel-phone",)})
    assert goal_of(asked)["hotel"].requests == ("phone",)


BIKES = Conversation(
    "d1",
    (
        Move("user", acts=(Act("tell", "Bikes_1", "bike_name", ("B1",)), Act("ask", "Bikes_1", "price"))),
        Move("system", acts=(Act("answer", "Bikes_1", "pickup_time", ("10:30",)), Act("hello", "general"))),
        Move("user", acts=(Act("tell", "Bikes_1", "helmet", ("Yes",)), Act("tell", "Bikes_1", "riders", ("2",)))),
        Move("system", acts=(Act("nothing_found", "Bikes_1"), Act("suggest", "Bikes_1", "bike_name", ("dontcare",)))),
    ),
)


def test_a_proposed_profile_can_be_loaded_and_scores(tmp_path: Path) -> None:
    survey = CorpusSurvey()
    survey.add(BIKES)
    file = tmp_path / "bikes.toml"
    file.write_text(survey.proposal('bikes "and" more'))
    profile = load(str(file))
    assert profile.domains == ("Bikes_1",)
    assert (profile.acts.inform, profile.acts.request) == ("^answer$|^tell$", "^ask$")
    assert (profile.acts.recommend, profile.acts.no_offer, profile.acts.other) == (
        "^suggest$",
        "^nothing_found$",
        "^hello$",
    )
    assert profile.traits("Bikes_1").entity_slots == {"bike_name"}
    words = profile.words
    assert (words.times, words.numbers, words.flags) == (("pickup_time",), ("riders",), ("helmet",))
    assert words.domains == {"Bikes_1": ("bike",)}
    assert words.slots["bike_name"] == ("bike name",)
    goal = derived_goal(BIKES, profile)
    assert goal == {
        "Bikes_1": DomainGoal(info={"bike_name": "B1", "helmet": "Yes", "riders": "2"}, requests=("price",))
    }
    result = score_user([Conversation("d1", BIKES.moves, goal)], profile=profile, ci=0)
    assert (result["I-GCDF1"].value, result["R-GCDF1"].value) == (1, 1)


@pytest.mark.parametrize("name", ["a[b]*", 'q"uote', "line\nbreak", "\x7f"])
def test_names_from_files_are_no_patterns_and_no_toml(name: str, tmp_path: Path) -> None:
    survey = CorpusSurvey()
    survey.add(Conversation("d", (Move("user", acts=(Act(f"inform{name}", name, name, (name,)),)),)))
    file = tmp_path / "odd.toml"
    file.write_text(survey.proposal(name), encoding="utf-8")
    profile = load(str(file))
    assert profile.knows(name)
    assert not profile.knows("aab")
