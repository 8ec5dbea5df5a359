"""Dialogues about a hotel, and the causes of their lost points."""

from __future__ import annotations

from typing import Any

from dialmeter.model import Conversation, DomainGoal, Move
from dialmeter.users.blame.exchange import Database
from dialmeter.users.blame.verdict import BlameVerdict, Loss, blame
from dialmeter.users.scorer import UserScorer

from ..conversations import acts, goal, make_conversation, system, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})
BOOK = goal(hotel={"info": {"area": "east"}, "book": {"day": "monday", "people": "2"}})
TWO = {**goal(hotel={"info": {"area": "east"}}), **goal(train={"info": {"day": "monday"}, "book": {"people": "2"}})}
SECOND = goal(hotel={"fail_info": {"area": "west"}, "info": {"area": "east"}})
AREA, OFFER = user("Hotel-Inform area=east"), system("Hotel-Recommend name=inn")
ALL = user("Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Request phone=?")
BYE, END = user("general-bye"), system("general-bye")


def hears(said: str, heard: str, text: str = "") -> Move:
    """Return a user turn with the acts that the user understood in the previous turn."""
    return Move("user", text, acts(said), acts(heard))


def blamed(
    each: Conversation, *changes: str, database: Database | None = None, limit: int | None = None
) -> BlameVerdict:
    from dialmeter.users.rules import changed, named

    scorer = UserScorer(changed(named("dialmeter"), *changes))
    found = blame(scorer.prepare(each), scorer.outcome(each), database, limit)
    assert found is not None
    return found


def loss_of(each: Conversation, about: str, *changes: str, **options: Any) -> Loss:
    return next(loss for loss in blamed(each, *changes, **options).losses if loss.about == about)


def moves(*turns: Move, wanted: dict[str, DomainGoal] = HOTEL) -> Conversation:
    return make_conversation(wanted, *turns)


ANSWER = system("Hotel-Inform phone=1")
