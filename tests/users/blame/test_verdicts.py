"""Tests of verdicts on whole dialogues."""

from __future__ import annotations

from msgspec.structs import replace

from dialmeter.users.blame.verdict import blame
from dialmeter.users.scorer import UserScorer

from ..conversations import goal, make_conversation, system, user
from .verdicts import ALL, ANSWER, AREA, BYE, END, HOTEL, OFFER, SECOND, TWO, blamed, loss_of, moves


def test_no_loss_no_verdict() -> None:
    scorer = UserScorer()
    each = moves(ALL, ANSWER)
    assert blame(scorer.prepare(each), scorer.outcome(each)) is None


def test_unneeded_is_no_failure() -> None:
    found = blamed(make_conversation(SECOND, user("Hotel-Inform area=west"), OFFER, BYE, END), "goals.alternatives=all")
    assert not found.failed
    assert found.recall is not None
    assert found.recall.lost_by == "not needed"


def test_label_decides_last() -> None:
    wanted = goal(hotel={"info": {"area": "east", "stars": "4", "parking": "yes"}})
    said = user("Hotel-Inform area=east", "A place with 4 stars and parking.")
    found = blamed(make_conversation(wanted, said, OFFER, BYE, END))
    assert [(loss.about, loss.lost_by) for loss in found.losses] == [("parking=yes", "label"), ("stars=4", "label")]
    assert found.recall is not None
    assert found.recall.lost_by == "label"
    more = goal(hotel={"info": {"area": "east", "stars": "4", "parking": "yes", "internet": "yes"}})
    found = blamed(make_conversation(more, said, OFFER, BYE, END))
    assert found.recall is not None
    assert (found.recall.lost_by, found.recall.turn) == ("user", 2)


def test_cut_dialogue_failed() -> None:
    found = blamed(replace(moves(ALL, ANSWER), cut=True))
    assert found.failed
    assert [(loss.about, loss.lost_by, loss.reason) for loss in found.losses] == [("", "unknown", "turn_limit")]


def test_units_that_left_goal() -> None:
    found = blamed(moves(AREA, system("Hotel-NoOffer area=east"), BYE, END))
    assert {loss.weight for loss in found.losses} == {0}
    assert found.recall is None
    assert not found.failed


def test_stuck_dialogue_loop() -> None:
    stuck = [AREA, system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west")] * 4
    loss = loss_of(make_conversation({**TWO, **HOTEL}, *stuck), "day=monday")
    assert (loss.lost_by, loss.turn) == ("system misheard user", 1)


def test_order_of_loop_and_limit() -> None:
    wanted = {**TWO, **HOTEL}
    reply = system("Hotel-NoOffer area=west", heard="Hotel-Inform area=west")
    assert loss_of(make_conversation(wanted, *[AREA, reply] * 4), "day=monday", limit=8).reason == "value_misheard"
    assert loss_of(make_conversation(wanted, *[AREA, reply] * 2), "day=monday", limit=4).reason == "turn_limit"
    assert loss_of(make_conversation(wanted, *[AREA, reply] * 2), "day=monday").reason == "value_misheard"


def test_replaced_value() -> None:
    each = make_conversation(
        goal(hotel={"fail_info": {"area": "west"}, "info": {"area": "east"}, "requests": ["phone"]}),
        user("Hotel-Inform area=west"),
        OFFER,
        AREA,
        system("Hotel-NoOffer area=west"),
        BYE,
        END,
    )
    assert loss_of(each, "hotel-phone").reason == "failure_unexplained"


def test_nobody_misheard_without_hearing() -> None:
    each = make_conversation(HOTEL, AREA, OFFER, BYE, END, heard_all=False)
    assert {loss.lost_by for loss in blamed(each).losses} == {"user"}
