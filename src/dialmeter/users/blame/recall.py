"""Why was a unit of the goal never said or asked for? The first test that finds a cause decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from ..alternatives import find_alternatives, unneeded_constraints
from .cause import Cause
from .exchange import Exchange, ExchangeItem, is_reference
from .failures import Database, blocker, stop
from .label_check import unlabelled
from .precision import repeat_cause
from .words import WordSearch


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
        return f"{self.slot}={self.value}"


RecallTest: TypeAlias = Callable[[LostUnit], Cause | None]


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
    return (thinks_booked(lost) if books else None) or blocker(talk, repeat_cause, lost.database)


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
        unit = f"{item.slot}={item.value}"
        if item.value and unit not in constraints:
            return Cause("reference_not_resolved" if is_reference(item.written) else "wrong_value", turn, what=unit)
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
    parts = lost.talk.dialogue.wants[lost.domain].parts
    booked = {each for part in ("book", "fail_book") for each in parts.get(part, ())}
    return thinks_booked(lost) if lost.unit in booked else None


def domain_ends(lost: LostUnit) -> Cause | None:
    """The talk of the domain ends without it."""
    talk = lost.talk
    turns = [turn for turn in talk.user_turns if lost.domain in talk.topics(turn)]
    if not turns or turns[-1] == talk.user_turns[-1]:
        return blocker(talk, repeat_cause, lost.database)
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
