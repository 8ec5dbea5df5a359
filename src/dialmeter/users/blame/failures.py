"""Why did a search or a booking fail, and why did the user stop?

Each question has an ordered list of tests; the first that finds a cause decides, and the last always finds one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from ..goals import slot_of
from .cause import Cause, first_cause
from .exchange import Exchange, ExchangeItem, ListedValue, is_reference

Database: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, str]], int]
"""How many entities of a domain meet constraints and can be booked with details."""


class Failure(Struct, eq=False, dict=True):
    """A search or a booking of a domain that fails, as a reply of the system reports it."""

    talk: Exchange
    domain: str
    reply: int
    database: Database | None = None

    @cached_property
    def listed(self) -> list[ListedValue]:
        """The values with which it fails, as the system says."""
        return self.talk.listed(self.reply, self.domain)

    @property
    def what(self) -> str:
        """The same in words."""
        return ", ".join(each.unit for each in self.listed)

    @property
    def is_booking(self) -> bool:
        """Does a booking fail, and not a search?"""
        failure = self.talk.fails(self.reply, self.domain)
        return failure is not None and failure.kind == "not booked"

    def said(self, slot: str) -> list[tuple[int, ExchangeItem]]:
        """What the user has told of a slot before, with the turns."""
        return [(turn, each) for turn, each in self.talk.mentions(self.domain, slot) if turn < self.reply]

    def in_goal(self, listed: ListedValue) -> bool:
        """Is a value one of the goal's, or fine in every goal?"""
        wants = self.talk.dialogue.wants.get(self.domain)
        fine = listed.value in self.talk.setup.profile.fine.values
        return fine or (wants is not None and listed.unit in wants.constraints)


TraceTest: TypeAlias = Callable[[Failure], Cause | None]


def replaced_value(failed: Failure) -> Cause | None:
    """The system lists a value that the user has replaced by another, which the system did not hear."""
    for listed in failed.listed:
        said = failed.said(listed.slot)
        if said and said[-1][1].value != listed.value and any(each.value == listed.value for _, each in said):
            turn, latest = said[-1]
            if latest in failed.talk.lost[turn + 1]:
                return Cause("change_unheard", turn + 1, "user", latest.unit)
    return None


def literal_reference(failed: Failure) -> Cause | None:
    """The system searches for the words of a reference, as in "same area"."""
    for listed in failed.listed:
        for turn in range(1, failed.reply + 1, 2) if is_reference(listed.written) else ():
            heard = failed.talk.heard[turn] or ()
            if any(each.slot == listed.slot and each.written == listed.written for each in heard):
                return Cause("reference_taken_literally", turn, "user", f"{listed.slot}={listed.written}")
    return None


def unsaid_value(failed: Failure) -> Cause | None:
    """The system lists a value that the user never said, and that the system heard."""
    for listed in failed.listed:
        if any(each.value == listed.value for _, each in failed.said(listed.slot)):
            continue
        key = ("tell", failed.domain, listed.slot)
        for turn in range(1, failed.reply + 1, 2):
            if any(each.key == key and each.value == listed.value for each in failed.talk.added[turn]):
                return Cause("value_misheard", turn, "user", listed.unit)
    return None


def value_outside_goal(failed: Failure) -> Cause | None:
    """The system lists a value that the user said and its goal does not have."""
    for listed in failed.listed:
        turns = [turn for turn, each in failed.said(listed.slot) if each.value == listed.value]
        if turns and not failed.in_goal(listed):
            return Cause("searched_outside_goal", turns[-1], what=listed.unit)
    return None


def slot_heard_otherwise(failed: Failure) -> Cause | None:
    """Some slot of the domain was heard with another value than the user said."""
    talk = failed.talk
    for turn in range(1, failed.reply + 1, 2):
        lost = {each.key for each in talk.lost[turn] if each.kind == "tell" and each.domain == failed.domain}
        for each in talk.added[turn]:
            if each.key in lost:
                return Cause("value_misheard", turn, "user", each.unit)
    return None


def not_the_goals(failed: Failure) -> Cause | None:
    """The domain, or a value that is listed, is not the goal's: nothing can be said of the goal."""
    known = failed.domain in failed.talk.dialogue.wants and all(map(failed.in_goal, failed.listed))
    return None if known else Cause("failure_unexplained", failed.reply, what=failed.what)


def database_decides(failed: Failure) -> Cause | None:
    """The database knows whether what the user said last can be found or booked."""
    if failed.database is None:
        return None
    talk, domain, parts = failed.talk, failed.domain, failed.talk.dialogue.wants[failed.domain].parts
    latest = {each.slot: each.value for turn in range(0, failed.reply, 2) for each in talk.tells(turn, domain)}
    book = set(map(slot_of, talk.booking_units(domain)))
    search = {slot: value for slot, value in latest.items() if slot not in book}
    details = {slot: value for slot, value in latest.items() if slot in book} if failed.is_booking else {}
    found = failed.database(domain, search, details)
    unsaid = [each for each in parts.get("info", ()) if slot_of(each) not in latest]
    if found and failed.is_booking and unsaid:
        # What was offered need not be what the goal wants, so that its booking may fail rightly.
        return Cause("searched_with_less", failed.reply - 1, what=unsaid[0])
    return Cause("searched_without_cause" if found else "impossible", failed.reply, what=failed.what)


def whole_goal_listed(failed: Failure) -> Cause | None:
    """The system lists all that a part of the goal says, each value as the user said it last."""
    for listed in failed.listed:
        said = failed.said(listed.slot)
        if not said or said[-1][1].value != listed.value:
            return None
    slots = {each.slot for each in failed.listed}
    parts = failed.talk.dialogue.wants[failed.domain].parts
    for name in ("book", "fail_book") if failed.is_booking else ("info", "fail_info"):
        units = parts.get(name)
        if units and slots >= set(map(slot_of, units)):
            return Cause("nothing_found", failed.reply, what=failed.what)
    return None


def unexplained(failed: Failure) -> Cause | None:
    """Nothing shows why it fails."""
    return Cause("failure_unexplained", failed.reply, what=failed.what)


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
"""For a failed search or booking: what the system searched with is compared with what was said and wanted."""


def trace(talk: Exchange, domain: str, reply: int, database: Database | None = None) -> Cause:
    """The cause of a failure that the system reports."""
    return first_cause(TRACE_TESTS, Failure(talk, domain, reply, database))


class LastTurn(Struct, eq=False):
    """A turn of the user after which it does not go on, in a domain or at all."""

    talk: Exchange
    turn: int
    database: Database | None = None

    @property
    def reply(self) -> int:
        """The reply of the system."""
        return self.turn + 1

    @property
    def back(self) -> int:
        """The next turn of the user."""
        return self.turn + 2


StopTest: TypeAlias = Callable[[LastTurn], Cause | None]


def no_reply(last: LastTurn) -> Cause | None:
    """The dialogue ends with the user's turn."""
    return Cause("file_ends", last.turn) if last.reply >= last.talk.length else None


def failure_reported(last: LastTurn) -> Cause | None:
    """The reply says that a search or a booking failed."""
    failure = last.talk.fails(last.reply)
    return trace(last.talk, failure.domain, last.reply, last.database) if failure is not None else None


def booking_heard(last: LastTurn) -> Cause | None:
    """The user hears of a booking that it did not ask for, or that was not made."""
    talk, reply, back = last.talk, last.reply, last.back
    if back >= talk.length or not any(each.kind == "booked" for each in talk.heard[back] or ()):
        return None
    if talk.premature_booking(reply):
        return Cause("reference_without_booking", reply)
    made = any(each.kind == "booked" for each in talk.said[reply])
    return None if made else Cause("booking_misheard", back, "system")


def only_courtesies(last: LastTurn) -> Cause | None:
    """The reply is nothing but courtesies, though the user speaks of a domain."""
    talk, reply = last.talk, last.reply
    if not talk.talk.moves[reply].acts or talk.topics(reply) or talk.said[reply] or not talk.topics(last.turn):
        return None
    return Cause("constraint_unheard", reply, "user") if talk.lost[reply] else Cause("no_reaction", reply)


def nothing_follows(last: LastTurn) -> Cause | None:
    """The dialogue ends with the reply."""
    return Cause("file_ends", last.reply) if last.back >= last.talk.length else None


def never_heard(last: LastTurn) -> Cause | None:
    """What the user says last was misheard, so that the reply is about something else: the first turn that misheard it."""
    talk = last.talk
    told = [each for each in talk.lost[last.reply] if each.kind == "tell"]
    for turn in range(1, last.reply + 1, 2):
        for each in talk.lost[turn]:
            if any(each[:4] == other[:4] for other in told):
                return Cause("constraint_unheard", turn, "user", each.unit)
    return None


def stops_by_itself(last: LastTurn) -> Cause | None:
    """Nothing but the user explains it."""
    return Cause("stopped", last.back)


STOP_TESTS: tuple[StopTest, ...] = (
    no_reply,
    failure_reported,
    booking_heard,
    only_courtesies,
    nothing_follows,
    never_heard,
    stops_by_itself,
)
"""For a user that does not go on after one of its turns."""


def stop(talk: Exchange, last: int, database: Database | None = None) -> Cause:
    """Why the user does not go on after one of its turns."""
    return first_cause(STOP_TESTS, LastTurn(talk, last, database))
