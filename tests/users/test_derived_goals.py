"""Tests of goals for dialogues without goals."""

from __future__ import annotations

from dialmeter.model import Act, Conversation, DomainGoal, Move
from dialmeter.users.goals import derived_goal
from dialmeter.users.profile import named

from .conversations import system, user

PROFILE = named("multiwoz")


def goal_of(*moves: Move, state: dict[str, str] | None = None) -> dict[str, DomainGoal]:
    return dict(derived_goal(Conversation("d", moves), PROFILE, state))


def test_last_value_and_requests() -> None:
    found = goal_of(
        user("Hotel-Inform area=west | Hotel-Request phone=?"),
        system("Hotel-Inform name=inn"),
        user("Hotel-Inform area=east | general-bye | Booking-Inform day=monday"),
    )
    assert found == {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}


def test_failed_value_first() -> None:
    found = goal_of(user("Hotel-Inform area=west"), system("Hotel-NoOffer area=west"), user("Hotel-Inform area=east"))
    assert found == {"hotel": DomainGoal(info={"area": "east"}, fail_info={"area": "west"})}


def test_none_values_no_constraints() -> None:
    assert goal_of(user("Hotel-Inform area=none | Hotel-Inform stars=")) == {}


def test_final_states_without_acts() -> None:
    state = {"hotel-area": "east", "hotel-stars": "none", "train-day": "monday"}
    expected = {"hotel": DomainGoal(info={"area": "east"}), "train": DomainGoal(info={"day": "monday"})}
    assert goal_of(Move("user", "East."), state=state) == expected
    assert goal_of(user("Hotel-Inform area=west"), state=state) == {"hotel": DomainGoal(info={"area": "west"})}


def test_lists_of_requests_count_too() -> None:
    asked = Move("user", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),), requested={"hotel": ("hotel-phone",)})
    assert goal_of(asked)["hotel"].requests == ("phone",)
