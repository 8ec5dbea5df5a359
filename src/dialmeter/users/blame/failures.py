"""Why did a search or a booking fail, why did the user stop, and why did the dialogue not go on?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeAlias

from .cause import Cause, most_frequent
from .exchange import Exchange, ExchangeItem, ListedValue, is_reference

Database: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, str]], int]
"""How many entities of a domain meet constraints and can be booked with details."""

RepeatCause: TypeAlias = Callable[[Exchange, ExchangeItem, int, int, Database | None], Cause]
"""Why the user says or asks for an item at two turns, one after the other."""

_LOOP = 3
"""From how many equal turns on a dialogue is stuck."""


def trace(talk: Exchange, domain: str, reply: int, database: Database | None = None) -> Cause:
    """The cause of a failure that the system reports: what it searched with is compared with what was said and wanted."""
    listed = talk.listed(reply, domain)
    found = (cause for test in TRACE_TESTS for value in listed if (cause := test(talk, value)) is not None)
    return (
        next(found, None)
        or _misheard_slot(talk, domain, reply)
        or _goal_or_system(talk, domain, reply, {each.slot: each.value for each in listed}, database)
    )


def replaced_value(talk: Exchange, listed: ListedValue) -> Cause | None:
    """The system lists a value that the user has replaced by another."""
    said = _said_before(talk, listed)
    if not said or said[-1][1].value == listed.value or not any(each.value == listed.value for _, each in said):
        return None
    turn, latest = said[-1]
    if latest in talk.lost[turn + 1]:
        return Cause("change_unheard", turn + 1, "user", f"{listed.slot}={latest.value}")
    return None


def literal_reference(talk: Exchange, listed: ListedValue) -> Cause | None:
    """The system searches for the words of a reference, as in "same area"."""
    for turn in range(1, listed.turn + 1, 2) if is_reference(listed.written) else ():
        if any(each.slot == listed.slot and each.written == listed.written for each in talk.heard[turn] or ()):
            return Cause("reference_taken_literally", turn, "user", f"{listed.slot}={listed.written}")
    return None


def unsaid_value(talk: Exchange, listed: ListedValue) -> Cause | None:
    """The system lists a value that the user never said."""
    if any(each.value == listed.value for _, each in _said_before(talk, listed)):
        return None
    key = ("tell", listed.domain, listed.slot)
    for turn in range(1, listed.turn + 1, 2):
        if any(each.key == key and each.value == listed.value for each in talk.added[turn]):
            return Cause("value_misheard", turn, "user", listed.unit)
    return None


def value_outside_goal(talk: Exchange, listed: ListedValue) -> Cause | None:
    """The system lists a value that the user said and its goal does not have."""
    wants = talk.dialogue.wants.get(listed.domain)
    if listed.value in talk.setup.profile.fine.values or (wants is not None and listed.unit in wants.constraints):
        return None
    turns = [turn for turn, each in _said_before(talk, listed) if each.value == listed.value]
    return Cause("searched_outside_goal", turns[-1], what=listed.unit) if turns else None


def _said_before(talk: Exchange, listed: ListedValue) -> list[tuple[int, ExchangeItem]]:
    return [(turn, each) for turn, each in talk.mentions(listed.domain, listed.slot) if turn < listed.turn]


TRACE_TESTS = (replaced_value, literal_reference, unsaid_value, value_outside_goal)
"""Of a failed search or booking: each looks at one value that the system lists."""


def _misheard_slot(talk: Exchange, domain: str, reply: int) -> Cause | None:
    """Some slot of the domain was heard with another value than the user said."""
    for turn in range(1, reply + 1, 2):
        lost = {each.key for each in talk.lost[turn] if each.kind == "tell" and each.domain == domain}
        for each in talk.added[turn]:
            if each.key in lost:
                return Cause("value_misheard", turn, "user", f"{each.slot}={each.value}")
    return None


def _goal_or_system(
    talk: Exchange, domain: str, reply: int, listed: Mapping[str, str], database: Database | None
) -> Cause:
    """All that failed is in the goal: the database decides, or the goal itself where the system lists all of it."""
    wants = talk.dialogue.wants.get(domain)
    failure = talk.fails(reply, domain)
    fine = talk.setup.profile.fine.values
    if wants is None or failure is None:
        return Cause("failure_unexplained", reply)
    if any(value not in fine and f"{slot}={value}" not in wants.constraints for slot, value in listed.items()):
        return Cause("failure_unexplained", reply)
    is_booking = failure.kind == "not booked"
    parts = {name: dict(each.partition("=")[::2] for each in units) for name, units in wants.parts.items()}
    what = ", ".join(f"{slot}={value}" for slot, value in listed.items())
    if database is not None:
        latest = {
            each.slot: each.value
            for turn in range(0, reply, 2)
            for each in talk.said[turn]
            if each.kind == "tell" and each.domain == domain
        }
        book = {slot for name in ("book", "fail_book") for slot in parts.get(name, {})}
        search = {slot: value for slot, value in latest.items() if slot not in book}
        details = {slot: value for slot, value in latest.items() if slot in book} if is_booking else {}
        found = database(domain, search, details)
        unsaid = [each for each in wants.parts.get("info", ()) if each.partition("=")[0] not in latest]
        if found and is_booking and unsaid:
            # What was offered need not be what the goal wants, so that its booking may fail rightly.
            return Cause("searched_with_less", reply - 1, what=unsaid[0])
        return Cause("searched_without_cause" if found else "impossible", reply, what=what)
    pair = ("book", "fail_book") if is_booking else ("info", "fail_info")
    if any(parts.get(name) and listed.keys() >= parts[name].keys() for name in pair):
        return Cause("nothing_found", reply, what=what)
    return Cause("failure_unexplained", reply, what=what)


def stop(talk: Exchange, last: int, database: Database | None = None) -> Cause:
    """Why the user does not go on after one of its turns."""
    reply, back = last + 1, last + 2
    if reply >= talk.length:
        return Cause("file_ends", last)
    failure = talk.fails(reply)
    if failure is not None:
        return trace(talk, failure.domain, reply, database)
    if back < talk.length and any(each.kind == "booked" for each in talk.heard[back] or ()):
        if talk.premature_booking(reply):
            return Cause("reference_without_booking", reply)
        if not any(each.kind == "booked" for each in talk.said[reply]):
            return Cause("booking_misheard", back, "system")
    acts = talk.talk.moves[reply].acts
    if acts and not talk.topics(reply) and not talk.said[reply] and talk.topics(last):
        return Cause("constraint_unheard", reply, "user") if talk.lost[reply] else Cause("no_reaction", reply)
    if back >= talk.length:
        return Cause("file_ends", reply)
    return _never_heard(talk, last) or Cause("stopped", back)


def _never_heard(talk: Exchange, last: int) -> Cause | None:
    """What the user says last was misheard, so that the reply is about something else: the first turn that misheard it."""
    told = [each for each in talk.lost[last + 1] if each.kind == "tell"]
    for turn in range(1, last + 2, 2):
        for each in talk.lost[turn]:
            if any(each[:4] == other[:4] for other in told):
                return Cause("constraint_unheard", turn, "user", f"{each.slot}={each.value}")
    return None


def blocker(talk: Exchange, repeat: RepeatCause, database: Database | None = None) -> Cause:
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
            causes.append(repeat(talk, common, before, again, database))
        return most_frequent(causes)
    if talk.cut:
        return Cause("turn_limit", talk.length - 1)
    return stop(talk, turns[-1], database)
