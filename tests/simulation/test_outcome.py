"""The success of a goal, and every way to miss it."""

from __future__ import annotations

import pytest
from msgspec import structs

from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from dialmeter.simulation.grammar import BOOKING, act
from dialmeter.simulation.outcome import GoalSuccess, outcome
from dialmeter.simulation.world import reference, town

from .played import played

ROW = next(row for row in town().tables["hotel"] if row["full"] == "")
BOOK = {"day": "friday", "people": "2", "stay": "1"}
GOAL = {"hotel": DomainGoal(info={"area": ROW["area"], "stars": ROW["stars"]}, book=BOOK, requests=("phone",))}
CODE = reference("hotel", ROW["name"], BOOK)
SAID = [act("hotel", "inform", slot, value) for slot, value in {**GOAL["hotel"].info, **BOOK}.items()]
ANSWER = [
    act("hotel", "recommend", "name", ROW["name"]),
    act("hotel", "inform", "phone", ROW["phone"]),
    act(BOOKING, "book", "ref", CODE),
]


def found(said: list[Act], answer: list[Act]) -> GoalSuccess:
    conversation = Conversation("d", (Move(USER, acts=tuple(said)), Move(SYSTEM, acts=tuple(answer))), GOAL)
    return outcome(conversation, town())


def success(conveyed: bool, found: bool, answers: tuple[int, int], booked: bool) -> GoalSuccess:
    return GoalSuccess((int(booked), 1), answers, (int(found), 1), conveyed)


def test_all_is_well() -> None:
    assert found(SAID, ANSWER) == success(True, True, (1, 1), True)
    assert found(SAID, ANSWER).complete


OTHER = next(row for row in town().tables["hotel"] if row["area"] != ROW["area"])


@pytest.mark.parametrize(
    ("said", "answer", "expected"),
    [
        (SAID[1:], ANSWER, success(False, True, (1, 1), True)),
        ([*SAID, act("hotel", "inform", "stars", "dontcare")], ANSWER, success(False, True, (1, 1), True)),
        (SAID, [*ANSWER[1:]], success(True, False, (0, 1), True)),
        (SAID, [*ANSWER, act("hotel", "recommend", "name", OTHER["name"])], success(True, False, (0, 1), True)),
        (SAID, [ANSWER[0], ANSWER[2]], success(True, True, (0, 1), True)),
        (SAID, [*ANSWER, act("hotel", "inform", "phone", "0")], success(True, True, (0, 1), True)),
        (SAID, ANSWER[:2], success(True, True, (1, 1), False)),
        (SAID, [*ANSWER[:2], act(BOOKING, "book", "ref", "zzzzzzzz")], success(True, True, (1, 1), False)),
    ],
    ids=["not told", "taken back", "not found", "another in the end", "not answered", "a wrong answer", "not booked", "a wrong booking"],
)  # fmt: skip
def test_each_way_to_miss_it(said: list[Act], answer: list[Act], expected: GoalSuccess) -> None:
    assert found(said, answer) == expected
    assert not expected.complete


def test_taxi_of_ride() -> None:
    conversation = next(conversation for conversation in played() if list(conversation.goal or {}) == ["taxi"])
    assert outcome(conversation, town()).complete
    moved = structs.replace(
        conversation,
        moves=tuple(structs.replace(move, acts=()) if move.speaker == SYSTEM else move for move in conversation.moves),
    )
    assert not outcome(moved, town()).complete


def test_bookings_counted() -> None:
    outcomes = [outcome(conversation, town()) for conversation in played()]
    wanted = sum(bool(goal.book) for conversation in played() for goal in (conversation.goal or {}).values())
    assert sum(each.bookings[1] for each in outcomes) == wanted
