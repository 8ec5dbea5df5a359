"""Why was a unit of the goal never said or asked for? The first test that finds a cause decides."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

from ..alternatives import find_alternatives, unneeded_constraints
from ..goals import constraint
from .cause import Cause, most_frequent
from .exchange import Exchange, ExchangeItem, is_reference
from .failures import Database, stop
from .label_check import unlabelled
from .precision import Repeat, repeat_cause
from .words import WordSearch

_LOOP = 3
"""From how many equal turns on a dialogue is stuck."""


class LostUnit(Struct, eq=False):
    """A unit of the goal that was lost, and all that a test may look at.

    Attributes:
        talk: the dialogue.
        domain: of the unit.
        slot: of the unit.
        value: canonical; empty for a request.
        words: finds values in words.
        database: to check a failed search; None if not known.
    """

    talk: Exchange
    domain: str
    slot: str
    value: str
    words: WordSearch
    database: Database | None

    @property
    def unit(self) -> str:
        """Slot and value."""
        return constraint(self.slot, self.value)


RecallTest: TypeAlias = Callable[[LostUnit], Cause | None]


def blocker(talk: Exchange, database: Database | None) -> Cause:
    """Why the dialogue did not go on: it was stuck, it was cut, or the user stopped."""
    turns = talk.user_turns
    if not turns:
        return Cause("file_ends", talk.length - 1)
    sets = {turn: {each.key for each in talk.said[turn]} for turn in turns}
    loop = [turns[-1]]
    for turn in reversed(turns[:-1]):
        if sets[turn] != sets[turns[-1]]:
            if len(loop) >= _LOOP and sets[turn] > sets[turns[-1]]:
                loop.append(turn)
            break
        loop.append(turn)
    if len(loop) >= _LOOP and sets[turns[-1]]:
        loop.reverse()
        causes = []
        for before, again in pairwise(loop):
            common = next(each for each in talk.said[again] if each.key in sets[before])
            causes.append(repeat_cause(Repeat(talk, common, before, again, database)))
        return most_frequent(causes)
    if talk.cut:
        return Cause("turn_limit", talk.length - 1)
    return stop(talk, turns[-1], database)


def second_choice(lost: LostUnit) -> Cause | None:
    """A second choice of the goal is not needed where the first did not fail."""
    choices = find_alternatives(lost.talk.dialogue, lost.domain)
    unneeded = unneeded_constraints(lost.talk.dialogue.wants[lost.domain], choices)
    return Cause("second_choice", None) if lost.unit in unneeded else None


def not_labelled(lost: LostUnit) -> Cause | None:
    """The user says the value in words, and no act says it."""
    item = ExchangeItem("tell", lost.domain, lost.slot, lost.value)
    for turn in range(0, lost.talk.length, 2):
        if unlabelled(lost.talk, lost.words, turn, item):
            return Cause("not_labelled", turn, what=lost.unit)
    return None


def never_begun(lost: LostUnit) -> Cause | None:
    """The user never speaks of the domain: it thinks that it has booked there, or something kept it from going on."""
    talk = lost.talk
    if any(lost.domain in talk.topics(turn) for turn in range(0, talk.length, 2)):
        return None
    books = talk.dialogue.wants[lost.domain].books
    return (thinks_booked(lost) if books else None) or blocker(talk, lost.database)


def question_ignored(lost: LostUnit) -> Cause | None:
    """The system asks for the slot, and the user never tells it afterwards."""
    talk = lost.talk
    last = max((turn for turn, _ in talk.mentions(lost.domain, lost.slot)), default=-1)
    for turn in range(1, talk.length - 1, 2):
        asked = any(each.key == ("ask", lost.domain, lost.slot) for each in talk.said[turn])
        unheard = any(each.key == ("ask", lost.domain, lost.slot) for each in talk.lost[turn + 1])
        if asked and not unheard and last < turn:
            return Cause("question_ignored", turn + 1, what=lost.slot)
    return None


def wrong_value(lost: LostUnit) -> Cause | None:
    """The user says another value of the slot, which the goal does not have."""
    constraints = lost.talk.dialogue.wants[lost.domain].constraints
    for turn, item in lost.talk.mentions(lost.domain, lost.slot):
        if item.value and item.unit not in constraints:
            why = "reference_not_resolved" if is_reference(item.written) else "wrong_value"
            return Cause(why, turn, what=item.unit)
    return None


def thinks_booked(lost: LostUnit) -> Cause | None:
    """The user hears of a booking in the domain before it has said anything to book with."""
    talk = lost.talk
    for turn in range(2, talk.length, 2):
        if not any(each.kind == "booked" and each.domain == lost.domain for each in talk.heard[turn] or ()):
            continue
        if talk.booked_before(turn, lost.domain):
            return None
        if talk.premature_booking(turn - 1):
            return Cause("reference_without_booking", turn - 1)
        if any(each.kind == "booked" and each.domain == lost.domain for each in talk.added[turn]):
            return Cause("booking_misheard", turn, "system")
    return None


def booking_detail(lost: LostUnit) -> Cause | None:
    """The slot belongs to a booking that the user thinks was made."""
    return thinks_booked(lost) if lost.unit in lost.talk.booking_units(lost.domain) else None


def domain_ends(lost: LostUnit) -> Cause | None:
    """The talk of the domain ends without it."""
    talk = lost.talk
    turns = [turn for turn in talk.user_turns if lost.domain in talk.topics(turn)]
    if not turns or turns[-1] == talk.user_turns[-1]:
        return blocker(talk, lost.database)
    return stop(talk, turns[-1], lost.database)


def answer_misheard(lost: LostUnit) -> Cause | None:
    """The user hears the slot, and the system did not tell it: the user thinks that it knows."""
    talk = lost.talk
    for turn in range(2, talk.length, 2):
        heard = any(each.key == ("tell", lost.domain, lost.slot) for each in talk.added[turn])
        if heard and not talk.tells(turn - 1, lost.domain, lost.slot):
            return Cause("answer_misheard", turn, "system", lost.slot)
    return None


CONSTRAINT_TESTS: tuple[RecallTest, ...] = (
    second_choice,
    not_labelled,
    never_begun,
    question_ignored,
    wrong_value,
    booking_detail,
    domain_ends,
)
"""For a constraint of the goal that was never said."""

REQUEST_TESTS: tuple[RecallTest, ...] = (answer_misheard, never_begun, domain_ends)
"""For a request of the goal that was never made."""
