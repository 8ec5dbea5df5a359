"""Causes of units of the goal that were never said or requested. The first test that finds a cause decides."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

from ..counting import find_alternatives, unneeded_constraints
from ..goals import constraint
from .exchange import Cause, Exchange, ExchangeItem, is_reference, most_frequent
from .failures import Database, stop
from .precision import Repeat, repeat_cause
from .words import WordSearch, unlabelled

_LOOP = 3
"""Minimum number of equal user turns at the end of a dialogue that is stuck."""


class LostUnit(Struct, eq=False):
    """A unit of the goal that was lost, with the data that tests need.

    Attributes:
        exchange: the dialogue.
        domain: the domain of the unit.
        slot: the slot of the unit.
        value: the canonical value; empty for a request.
        words: finds values in text.
        database: the database, to check failed searches; None if not known.
    """

    exchange: Exchange
    domain: str
    slot: str
    value: str
    words: WordSearch
    database: Database | None

    @property
    def unit(self) -> str:
        """Slot and value as text."""
        return constraint(self.slot, self.value)


RecallTest: TypeAlias = Callable[[LostUnit], Cause | None]


def blocker(exchange: Exchange, database: Database | None) -> Cause:
    """Return the cause why the dialogue did not continue: it was stuck, it was cut, or the user stopped."""
    turns = exchange.user_turns
    if not turns:
        return Cause("file_ends", exchange.length - 1)
    keys = {turn: {each.key for each in exchange.said[turn]} for turn in turns}
    loop = [turns[-1]]
    for turn in reversed(turns[:-1]):
        if keys[turn] != keys[turns[-1]]:
            if len(loop) >= _LOOP and keys[turn] > keys[turns[-1]]:
                loop.append(turn)
            break
        loop.append(turn)
    if len(loop) >= _LOOP and keys[turns[-1]]:
        loop.reverse()
        causes = []
        for first, again in pairwise(loop):
            common = next(each for each in exchange.said[again] if each.key in keys[first])
            causes.append(repeat_cause(Repeat(exchange, common, first, again, database)))
        return most_frequent(causes)
    if exchange.cut:
        return Cause("turn_limit", exchange.length - 1)
    return stop(exchange, turns[-1], database)


def second_choice(lost: LostUnit) -> Cause | None:
    """The unit is a second choice of the goal, and the first choice did not fail."""
    choices = find_alternatives(lost.exchange.dialogue, lost.domain)
    unneeded = unneeded_constraints(choices)
    return Cause("second_choice", None) if lost.unit in unneeded else None


def not_labelled(lost: LostUnit) -> Cause | None:
    """The user says the value in the text, but no act has it."""
    item = ExchangeItem("tell", lost.domain, lost.slot, lost.value)
    for turn in range(0, lost.exchange.length, 2):
        if unlabelled(lost.exchange, lost.words, turn, item):
            return Cause("not_labelled", turn, detail=lost.unit)
    return None


def never_begun(lost: LostUnit) -> Cause | None:
    """The user never speaks about the domain: it believes that a booking was made, or the dialogue did not continue."""
    exchange = lost.exchange
    if any(lost.domain in exchange.topics(turn) for turn in range(0, exchange.length, 2)):
        return None
    books = exchange.dialogue.goal_units[lost.domain].books
    return (thinks_booked(lost) if books else None) or blocker(exchange, lost.database)


def question_ignored(lost: LostUnit) -> Cause | None:
    """The system asks for the slot, and the user never gives it afterwards."""
    exchange = lost.exchange
    last = max((turn for turn, _ in exchange.mentions(lost.domain, lost.slot)), default=-1)
    for turn in range(1, exchange.length - 1, 2):
        asked = any(each.key == ("ask", lost.domain, lost.slot) for each in exchange.said[turn])
        unheard = any(each.key == ("ask", lost.domain, lost.slot) for each in exchange.lost[turn + 1])
        if asked and not unheard and last < turn:
            return Cause("question_ignored", turn + 1, detail=lost.slot)
    return None


def wrong_value(lost: LostUnit) -> Cause | None:
    """The user says another value of the slot, which is not in the goal."""
    constraints = lost.exchange.dialogue.goal_units[lost.domain].constraints
    for turn, item in lost.exchange.mentions(lost.domain, lost.slot):
        if item.value and item.unit not in constraints:
            why = "reference_not_resolved" if is_reference(item.written) else "wrong_value"
            return Cause(why, turn, detail=item.unit)
    return None


def thinks_booked(lost: LostUnit) -> Cause | None:
    """The user hears about a booking in the domain before it has given a booking constraint."""
    exchange = lost.exchange
    for turn in range(2, exchange.length, 2):
        if not any(each.kind == "booked" and each.domain == lost.domain for each in exchange.heard[turn] or ()):
            continue
        if exchange.booked_before(turn, lost.domain):
            return None
        if exchange.premature_booking(turn - 1):
            return Cause("reference_without_booking", turn - 1)
        if any(each.kind == "booked" and each.domain == lost.domain for each in exchange.added[turn]):
            return Cause("booking_misheard", turn)
    return None


def booking_detail(lost: LostUnit) -> Cause | None:
    """The slot belongs to a booking that, in the user's belief, was made."""
    return thinks_booked(lost) if lost.unit in lost.exchange.booking_units(lost.domain) else None


def domain_ends(lost: LostUnit) -> Cause | None:
    """The dialogue leaves the domain without it."""
    exchange = lost.exchange
    turns = [turn for turn in exchange.user_turns if lost.domain in exchange.topics(turn)]
    if not turns or turns[-1] == exchange.user_turns[-1]:
        return blocker(exchange, lost.database)
    return stop(exchange, turns[-1], lost.database)


def answer_misheard(lost: LostUnit) -> Cause | None:
    """The user hears a value of the slot that the system did not give, so it believes that it has the answer."""
    exchange = lost.exchange
    for turn in range(2, exchange.length, 2):
        heard = any(each.key == ("tell", lost.domain, lost.slot) for each in exchange.added[turn])
        if heard and not exchange.tells(turn - 1, lost.domain, lost.slot):
            return Cause("answer_misheard", turn, detail=lost.slot)
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
"""Tests for a constraint of the goal that was never said."""

REQUEST_TESTS: tuple[RecallTest, ...] = (answer_misheard, never_begun, domain_ends)
"""Tests for a request of the goal that was never made."""
