"""Causes of failed searches and bookings, and reasons why a user stops.

Each has an ordered list of tests. The first test that finds a cause decides, and the last test always finds one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from ..goals import slot_of
from .exchange import Cause, Exchange, ExchangeItem, ListedValue, first_cause, is_reference

Database: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, str]], int]
"""Takes a domain, search constraints and booking details. Returns the number of entities that meet them."""


class Failure(Struct, eq=False, dict=True):
    """A failed search or booking of a domain that a reply of the system reports."""

    exchange: Exchange
    domain: str
    reply: int
    database: Database | None = None

    @cached_property
    def listed(self) -> list[ListedValue]:
        """The values that, according to the system, cannot be found or booked."""
        return self.exchange.listed(self.reply, self.domain)

    @property
    def listed_units(self) -> str:
        """The listed values as text."""
        return ", ".join(each.unit for each in self.listed)

    @property
    def is_booking(self) -> bool:
        """True if a booking failed, False if a search failed."""
        failure = self.exchange.fails(self.reply, self.domain)
        return failure is not None and failure.kind == "not booked"

    def said(self, slot: str) -> list[tuple[int, ExchangeItem]]:
        """Return the items that the user has told about a slot before the reply, with their turns."""
        return [(turn, each) for turn, each in self.exchange.mentions(self.domain, slot) if turn < self.reply]

    def in_goal(self, listed: ListedValue) -> bool:
        """Return True if a value is in the goal, or is allowed in every goal."""
        units = self.exchange.dialogue.goal_units.get(self.domain)
        is_allowed = listed.value in self.exchange.setup.profile.fine.values
        return is_allowed or (units is not None and listed.unit in units.constraints)


TraceTest: TypeAlias = Callable[[Failure], Cause | None]


def replaced_value(failed: Failure) -> Cause | None:
    """The system lists a value that the user has replaced with another value, which the system did not hear."""
    for listed in failed.listed:
        said = failed.said(listed.slot)
        if said and said[-1][1].value != listed.value and any(each.value == listed.value for _, each in said):
            turn, latest = said[-1]
            if latest in failed.exchange.lost[turn + 1]:
                return Cause("change_unheard", turn + 1, detail=latest.unit)
    return None


def literal_reference(failed: Failure) -> Cause | None:
    """The system searches for the words of a reference, as in "same area"."""
    for listed in failed.listed:
        for turn in range(1, failed.reply + 1, 2) if is_reference(listed.written) else ():
            heard = failed.exchange.heard[turn] or ()
            if any(each.slot == listed.slot and each.written == listed.written for each in heard):
                return Cause("reference_taken_literally", turn, detail=f"{listed.slot}={listed.written}")
    return None


def unsaid_value(failed: Failure) -> Cause | None:
    """The system lists a value that the user never said, and that the system heard."""
    for listed in failed.listed:
        if any(each.value == listed.value for _, each in failed.said(listed.slot)):
            continue
        key = ("tell", failed.domain, listed.slot)
        for turn in range(1, failed.reply + 1, 2):
            if any(each.key == key and each.value == listed.value for each in failed.exchange.added[turn]):
                return Cause("value_misheard", turn, detail=listed.unit)
    return None


def value_outside_goal(failed: Failure) -> Cause | None:
    """The system lists a value that the user said and that is not in the goal."""
    for listed in failed.listed:
        turns = [turn for turn, each in failed.said(listed.slot) if each.value == listed.value]
        if turns and not failed.in_goal(listed):
            return Cause("searched_outside_goal", turns[-1], detail=listed.unit)
    return None


def slot_heard_otherwise(failed: Failure) -> Cause | None:
    """The system heard another value of some slot of the domain than the user said."""
    exchange = failed.exchange
    for turn in range(1, failed.reply + 1, 2):
        lost = {each.key for each in exchange.lost[turn] if each.kind == "tell" and each.domain == failed.domain}
        for each in exchange.added[turn]:
            if each.key in lost:
                return Cause("value_misheard", turn, detail=each.unit)
    return None


def not_the_goals(failed: Failure) -> Cause | None:
    """The domain or a listed value is not in the goal, so nothing follows about the goal."""
    is_in_goal = failed.domain in failed.exchange.dialogue.goal_units and all(map(failed.in_goal, failed.listed))
    return None if is_in_goal else Cause("failure_unexplained", failed.reply, detail=failed.listed_units)


def database_decides(failed: Failure) -> Cause | None:
    """The database shows if the latest values of the user can be found or booked."""
    if failed.database is None:
        return None
    exchange, domain, parts = failed.exchange, failed.domain, failed.exchange.dialogue.goal_units[failed.domain].parts
    latest = {each.slot: each.value for turn in range(0, failed.reply, 2) for each in exchange.tells(turn, domain)}
    book = set(map(slot_of, exchange.booking_units(domain)))
    search = {slot: value for slot, value in latest.items() if slot not in book}
    details = {slot: value for slot, value in latest.items() if slot in book} if failed.is_booking else {}
    matches = failed.database(domain, search, details)
    unsaid = [each for each in parts.get("info", ()) if slot_of(each) not in latest]
    if matches and failed.is_booking and unsaid:
        # The offered entity may not meet the goal, so the failure of its booking may be correct.
        return Cause("searched_with_less", failed.reply - 1, detail=unsaid[0])
    return Cause("searched_without_cause" if matches else "impossible", failed.reply, detail=failed.listed_units)


def whole_goal_listed(failed: Failure) -> Cause | None:
    """The system lists all slots of a part of the goal, each with the latest value that the user said."""
    for listed in failed.listed:
        said = failed.said(listed.slot)
        if not said or said[-1][1].value != listed.value:
            return None
    slots = {each.slot for each in failed.listed}
    parts = failed.exchange.dialogue.goal_units[failed.domain].parts
    for name in ("book", "fail_book") if failed.is_booking else ("info", "fail_info"):
        units = parts.get(name)
        if units and slots >= set(map(slot_of, units)):
            return Cause("nothing_found", failed.reply, detail=failed.listed_units)
    return None


def unexplained(failed: Failure) -> Cause | None:
    """The cause of the failure is unknown."""
    return Cause("failure_unexplained", failed.reply, detail=failed.listed_units)


TRACE_TESTS: tuple[TraceTest, ...] = (
    replaced_value,
    literal_reference,
    unsaid_value,
    value_outside_goal,
    slot_heard_otherwise,
    not_the_goals,
    database_decides,
    whole_goal_listed,
    unexplained,
)
"""Tests for a failed search or booking. They compare the values of the system with what was said and wanted."""


def trace(exchange: Exchange, domain: str, reply: int, database: Database | None = None) -> Cause:
    """Return the cause of a failure that the system reports."""
    return first_cause(TRACE_TESTS, Failure(exchange, domain, reply, database))


class LastTurn(Struct, eq=False):
    """The last turn of the user, in a domain or in the dialogue."""

    exchange: Exchange
    turn: int
    database: Database | None = None

    @property
    def reply(self) -> int:
        """The turn of the system's reply."""
        return self.turn + 1

    @property
    def next_turn(self) -> int:
        """The next turn of the user."""
        return self.turn + 2


StopTest: TypeAlias = Callable[[LastTurn], Cause | None]


def no_reply(last: LastTurn) -> Cause | None:
    """The dialogue ends with the user's turn."""
    return Cause("file_ends", last.turn) if last.reply >= last.exchange.length else None


def failure_reported(last: LastTurn) -> Cause | None:
    """The reply reports that a search or a booking failed."""
    failure = last.exchange.fails(last.reply)
    return trace(last.exchange, failure.domain, last.reply, last.database) if failure is not None else None


def booking_heard(last: LastTurn) -> Cause | None:
    """The user hears about a booking that it did not ask for, or that was not made."""
    exchange, reply, next_turn = last.exchange, last.reply, last.next_turn
    if next_turn >= exchange.length or not any(each.kind == "booked" for each in exchange.heard[next_turn] or ()):
        return None
    if exchange.premature_booking(reply):
        return Cause("reference_without_booking", reply)
    is_made = any(each.kind == "booked" for each in exchange.said[reply])
    return None if is_made else Cause("booking_misheard", next_turn)


def only_courtesies(last: LastTurn) -> Cause | None:
    """The reply has only courtesies, although the user's turn is about a domain."""
    exchange, reply = last.exchange, last.reply
    if (
        not exchange.talk.moves[reply].acts
        or exchange.topics(reply)
        or exchange.said[reply]
        or not exchange.topics(last.turn)
    ):
        return None
    return Cause("constraint_unheard", reply) if exchange.lost[reply] else Cause("no_reaction", reply)


def nothing_follows(last: LastTurn) -> Cause | None:
    """The dialogue ends with the reply."""
    return Cause("file_ends", last.reply) if last.next_turn >= last.exchange.length else None


def never_heard(last: LastTurn) -> Cause | None:
    """The system did not hear a value of the last turn. The evidence is the first turn in which it was not heard."""
    exchange = last.exchange
    unheard = [each for each in exchange.lost[last.reply] if each.kind == "tell"]
    for turn in range(1, last.reply + 1, 2):
        for each in exchange.lost[turn]:
            if any(each[:4] == other[:4] for other in unheard):
                return Cause("constraint_unheard", turn, detail=each.unit)
    return None


def stops_by_itself(last: LastTurn) -> Cause | None:
    """Nothing else explains it, so the user is the cause."""
    return Cause("stopped", last.next_turn)


STOP_TESTS: tuple[StopTest, ...] = (
    no_reply,
    failure_reported,
    booking_heard,
    only_courtesies,
    nothing_follows,
    never_heard,
    stops_by_itself,
)
"""Tests for a user that does not continue after one of its turns."""


def stop(exchange: Exchange, last: int, database: Database | None = None) -> Cause:
    """Return the cause why the user does not continue after one of its turns."""
    return first_cause(STOP_TESTS, LastTurn(exchange, last, database))
