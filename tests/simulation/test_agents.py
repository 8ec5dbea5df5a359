"""The agenda user and the rule system, move by move."""

from __future__ import annotations

from random import Random

import pytest

from dialmeter.model import Act, DomainGoal, Goal
from dialmeter.simulation.agents import registry
from dialmeter.simulation.agents.agenda import Agenda, AgendaItem, AgendaUser, UserDials
from dialmeter.simulation.agents.agent import Kind
from dialmeter.simulation.agents.rule_system import RuleSystem, SystemDials
from dialmeter.simulation.grammar import BOOKING, act
from dialmeter.simulation.world import town


def pairs(acts: tuple[Act, ...] | None) -> list[tuple[str, ...]]:
    return [(each.name, each.slot, *each.values) for each in acts or ()]


def user(goal: Goal, **dials: float) -> AgendaUser:
    found = AgendaUser(UserDials(**{"verbosity": 9, **dials}), town(), Random(1))  # type: ignore[arg-type]
    found.start(goal)
    return found


def system(**dials: float) -> RuleSystem:
    return RuleSystem(SystemDials(**dials), town(), Random(1))  # type: ignore[arg-type]


HOTEL: Goal = {
    "hotel": DomainGoal(
        info={"area": "north", "stars": "4"},
        fail_info={"area": "north", "stars": "5"},
        book={"day": "friday", "people": "2", "stay": "1"},
        fail_book={"day": "monday", "people": "2", "stay": "1"},
    )
}  # fmt: skip


def test_every_agent_has_a_line_of_help_and_dials() -> None:
    members, notices = registry.loaded()
    assert not notices
    assert all(isinstance(kind, Kind) and kind.about and "\n" not in kind.about for kind in members.values())
    assert {kind.role for kind in members.values()} == {"user", "system"}


def test_what_is_pushed_again_is_said_once() -> None:
    agenda = Agenda(
        [AgendaItem("bye"), AgendaItem("search", "hotel", "area", "north"), AgendaItem("search", "hotel", "stars", "4")]
    )
    agenda.push([AgendaItem("search", "hotel", "area", "north")])
    assert [item.slot for item in agenda.pop(9)] == ["area", "stars"]
    assert agenda.top.stage == "bye"


def test_one_slot_does_not_stand_twice_in_a_turn() -> None:
    agenda = Agenda(
        [
            AgendaItem("bye"),
            AgendaItem("search", "hotel", "area", "north"),
            AgendaItem("search", "hotel", "area", "east"),
        ]
    )
    assert [item.value for item in agenda.pop(9)] == ["east"]


def test_the_second_wish_after_a_failure() -> None:
    visitor = user(HOTEL)
    first = visitor.reply((), "")
    assert pairs(first.acts) == [("Hotel-Inform", "stars", "5"), ("Hotel-Inform", "area", "north")]
    nothing = [act("hotel", "nooffer", "area", "north"), act("hotel", "nooffer", "stars", "5")]
    assert pairs(visitor.reply(nothing, "").acts) == [("Hotel-Inform", "stars", "4")]
    offer = [act("hotel", "recommend", "name", "otter house"), act("hotel", "recommend", "stars", "4")]
    booking = visitor.reply(offer, "").acts
    assert {each[1:] for each in pairs(booking)} == {("day", "monday"), ("people", "2"), ("stay", "1")}
    assert pairs(visitor.reply([act(BOOKING, "nobook", "day", "monday")], "").acts) == [
        ("Hotel-Inform", "day", "friday")
    ]
    assert not visitor.done()
    last = visitor.reply([act(BOOKING, "book", "ref", "abc")], "")
    assert [each[0] for each in pairs(last.acts)] == ["general-thank", "general-bye"]
    assert visitor.done()


def test_what_the_system_got_wrong_is_put_right() -> None:
    visitor = user(HOTEL)
    visitor.reply((), "")
    wrong = [act("hotel", "nooffer", "area", "south"), act("hotel", "nooffer", "type", "hostel")]
    assert pairs(visitor.reply(wrong, "").acts) == [
        ("Hotel-Inform", "area", "north"),
        ("Hotel-Inform", "type", "dontcare"),
    ]
    offer = [act("hotel", "recommend", "name", "otter house"), act("hotel", "recommend", "stars", "3")]
    assert pairs(visitor.reply(offer, "").acts) == [("Hotel-Inform", "stars", "5")]


def test_questions_are_answered_first() -> None:
    visitor = user({"train": DomainGoal(info={"day": "friday", "arriveby": "12:00"}, requests=("price",))}, verbosity=1)
    visitor.reply((), "")
    answer = visitor.reply([act("train", "request", "leaveat")], "")
    assert pairs(answer.acts) == [("Train-Inform", "arriveby", "12:00")]
    answer = visitor.reply([act("train", "request", "departure")], "")
    assert pairs(answer.acts) == [("Train-Inform", "departure", "dontcare")]


def test_a_question_for_a_slot_that_the_user_wants_to_know_itself() -> None:
    visitor = user({"hotel": DomainGoal(info={"stars": "4"}, requests=("area",))})
    visitor.reply((), "")
    assert pairs(visitor.reply([act("hotel", "request", "area")], "").acts) == [("Hotel-Inform", "area", "dontcare")]
    asks = visitor.reply([act("hotel", "recommend", "name", "a")], "")
    assert pairs(asks.acts) == [("Hotel-Request", "area", "?")]


def test_one_of_two_is_chosen() -> None:
    visitor = user({"hotel": DomainGoal(info={"stars": "4"}, requests=("phone",))})
    visitor.reply((), "")
    chosen = visitor.reply([act("hotel", "select", "name", "a"), act("hotel", "select", "name", "b")], "")
    assert pairs(chosen.acts) == [("Hotel-Inform", "name", "a")]


def test_patience_ends() -> None:
    visitor = user({"hotel": DomainGoal(info={"stars": "4"}, requests=("phone",))}, patience=2)
    moves = [visitor.reply((), "")]
    while not visitor.done():
        moves.append(visitor.reply([act("general", "reqmore")], ""))
    assert [pairs(move.acts)[0][0] for move in moves] == ["Hotel-Inform"] * 3 + ["general-thank"]


def test_a_linked_taxi_drives_between_what_was_found() -> None:
    goal = {
        "hotel": DomainGoal(info={"stars": "4"}, requests=("phone",)),
        "attraction": DomainGoal(info={"type": "park"}, requests=("phone",)),
        "taxi": DomainGoal(info={"leaveat": "09:15"}, requests=("car type",)),
    }
    visitor = user(goal)
    visitor.reply((), "")
    for domain, name in (("hotel", "otter house"), ("attraction", "copper park")):
        visitor.reply([act(domain, "recommend", "name", name)], "")
        last = visitor.reply([act(domain, "inform", "phone", "1")], "")
    assert {each[1:] for each in pairs(last.acts)} == {
        ("departure", "otter house"),
        ("destination", "copper park"),
        ("leaveat", "09:15"),
    }


def test_an_answer_for_another_offer_does_not_count() -> None:
    visitor = user({"hotel": DomainGoal(info={"stars": "4", "area": "north"}, requests=("phone",))}, verbosity=1)
    visitor.reply((), "")
    visitor.reply([act("hotel", "recommend", "name", "a"), act("hotel", "inform", "phone", "1")], "")
    asks = visitor.reply([act("hotel", "recommend", "name", "b")], "")
    assert pairs(asks.acts) == [("Hotel-Request", "phone", "?")]


@pytest.mark.parametrize("intent", ["recommend", "select"])
def test_the_system_offers_what_there_is(intent: str) -> None:
    desk = system(choice=float(intent == "select"))
    wanted = {"area": "west", "type": "hostel", "pricerange": "cheap"}
    said = desk.reply([act("hotel", "inform", *pair) for pair in wanted.items()], "").acts or ()
    rows = town().search("hotel", wanted)
    assert len(rows) == 2
    names = [each.values[0] for each in said if each.slot == "name"]
    assert names == [row["name"] for row in rows][: len(names)]
    assert {each.name for each in said if each.slot == "name"} == {f"Hotel-{intent.capitalize()}"}


def test_the_system_says_what_it_cannot_find() -> None:
    said = system().reply(
        [act("restaurant", "inform", "food", "martian"), act("restaurant", "inform", "area", "dontcare")], ""
    )
    assert pairs(said.acts) == [("Restaurant-NoOffer", "food", "martian")]


def test_the_system_asks_for_what_it_needs() -> None:
    desk = system()
    assert pairs(desk.reply([act("train", "inform", "day", "friday")], "").acts) == [
        ("Train-Request", "departure", "?")
    ]
    said = pairs(
        desk.reply([act("taxi", "inform", "departure", "a"), act("taxi", "inform", "destination", "b")], "").acts
    )
    assert said == [("Taxi-Request", "leaveat", "?")]


def test_the_system_books_what_can_be_booked() -> None:
    desk = system()
    row = next(row for row in town().tables["hotel"] if row["full"] == "monday")
    desk.reply([act("hotel", "inform", "name", row["name"])], "")
    details = {"day": "monday", "people": "2"}
    asked = desk.reply([act("hotel", "inform", *pair) for pair in details.items()], "")
    assert pairs(asked.acts) == [("Booking-Request", "stay", "?")]
    assert pairs(desk.reply([act("hotel", "inform", "stay", "1")], "").acts) == [("Booking-NoBook", "day", "monday")]
    booked = pairs(desk.reply([act("hotel", "inform", "day", "tuesday")], "").acts)
    assert [each[:2] for each in booked] == [("Booking-Book", "ref")]
    again = desk.reply([act("hotel", "request", "ref")], "")
    assert pairs(again.acts) == [("Hotel-Inform", "ref", booked[0][2])]


def test_the_eager_system_tells_more_and_the_stubborn_one_asks_again() -> None:
    name = town().tables["hotel"][0]["name"]
    told = system(eagerness=1.0).reply([act("hotel", "inform", "name", name)], "").acts or ()
    assert len([each for each in told if each.name == "Hotel-Inform"]) == 2
    assert pairs(system(stubbornness=1.0).reply([act("hotel", "inform", "name", name)], "").acts) == [
        ("Hotel-Request", "name", "?")
    ]


def test_a_failing_system_refuses_without_a_cause() -> None:
    desk = system(failures=1.0)
    name = town().tables["restaurant"][0]["name"]
    desk.reply([act("restaurant", "inform", "name", name)], "")
    details = {"day": "friday", "people": "2", "time": "18:00"}
    refused = desk.reply([act("restaurant", "inform", *pair) for pair in details.items()], "")
    assert pairs(refused.acts) == [("Booking-NoBook", "")]
    assert pairs(desk.reply([act("restaurant", "request", "phone")], "").acts) == [("general-reqmore", "")]
