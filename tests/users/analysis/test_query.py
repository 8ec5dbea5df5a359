"""Tests of queries for dialogues."""

from __future__ import annotations

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.users.analysis.query import UserQuery
from dialmeter.users.events import Event
from dialmeter.users.record import UserRow, row_of
from dialmeter.users.scorer import UserScorer

from ..conversations import goal, make_conversation, system, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})


def row(*said: str, name: str = "d1") -> UserRow:
    moves = [move for each in said for move in (user(each), system("general-reqmore"))]
    dialogue = make_conversation(HOTEL, *moves, name=name)
    return row_of(dialogue, UserScorer().outcome(dialogue))


LOSSY = row("Hotel-Inform area=east", "Train-Inform day=monday")


def about(query: UserQuery, found: UserRow = LOSSY) -> list[tuple[str, str]] | None:
    events = query.found_in(found)
    return None if events is None else [(event.name, event.domain) for event in events]


def test_question_without_conditions() -> None:
    assert about(UserQuery()) == []


def test_event_conditions_together() -> None:
    assert about(UserQuery(events=("missed_constraints",), domain="hotel", slot="stars")) == [
        ("missed_constraints", "hotel")
    ]
    assert about(UserQuery(events=("missed_constraints",), domain="train")) is None
    assert about(UserQuery(events=("missed_constraints",), slot="area")) is None
    assert about(UserQuery(domain="hotel", slot="stars")) == [("missed_constraints", "hotel")]


def test_one_of_several_classes() -> None:
    found = about(UserQuery(events=("missed_domain", "informed_domains_outside_goals")))
    assert found == [("informed_domains_outside_goals", "train")]


def test_domain_in_goal_or_strayed() -> None:
    assert about(UserQuery(domain="train")) == [("informed_domains_outside_goals", "train")]
    assert about(UserQuery(domain="hotel"), row("Hotel-Inform area=east | Hotel-Inform stars=4")) == []
    assert about(UserQuery(domain="taxi")) is None


@pytest.mark.parametrize(
    ("measure", "domain", "value"),
    [("I-recall", "", 0.5), ("I-precision", "", 0.5), ("I-precision", "hotel", 1.0), ("R-recall", "hotel", 0.0)],
)
def test_limits_belong_to_range(measure: str, domain: str, value: float) -> None:
    for low, high, fits in ((value, value, True), (None, value - 0.01, False), (value + 0.01, None, False)):
        found = UserQuery(measure=measure, domain=domain, low=low, high=high).found_in(LOSSY)
        assert (found is not None) == fits


def test_no_value_in_no_range() -> None:
    empty = UserRow(id="d", goal={}, talk=(), inform={}, request={}, combined={"I": None, "R": None}, events=())
    assert UserQuery(low=0.0).found_in(empty) is None
    assert UserQuery().found_in(empty) == []


def test_shape_of_goal() -> None:
    assert about(UserQuery(goal=frozenset({"hotel"}))) == []
    assert about(UserQuery(goal=frozenset({"hotel", "train"}))) is None
    assert about(UserQuery(goal_has=("info", "requests"))) == []
    assert about(UserQuery(goal_has=("book",))) is None


def test_request_slot_without_domain() -> None:
    asked = UserRow(
        id="d",
        goal={},
        talk=(),
        inform={},
        request={},
        combined={"I": None, "R": None},
        events=(Event("delayed_response", "request", "hotel", "hotel-phone", (0, 2)),),
    )
    assert about(UserQuery(slot="Phone"), asked) == [("delayed_response", "hotel")]


@pytest.mark.parametrize("field", [{"events": ("unmached",)}, {"measure": "JGA"}, {"goal_has": ("wish",)}])
def test_names_that_nobody_knows(field: dict[str, object]) -> None:
    with pytest.raises(DialmeterError, match="unknown"):
        UserQuery(**field)  # type: ignore[arg-type]
