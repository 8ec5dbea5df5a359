"""Why a user says a constraint of its goal again. First what the system did between, then what the user does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..events import behaviour
from ..profile import REQUEST
from ..system_turn import SystemTurn

if TYPE_CHECKING:
    from ..prepared_dialogue import PreparedTurn, ScoringSetup


class Repetition(Struct, eq=False):
    """Two mentions of a constraint, one after the other, and the system turns between them, newest first."""

    domain: str
    slot: str
    constraint: str
    between: list[SystemTurn]
    again: PreparedTurn
    setup: ScoringSetup


@behaviour("repetition", "system")
def elicited_by_sys_question(seen: Repetition) -> bool:
    """The system has just asked for the slot."""
    return seen.slot in seen.between[0].requests


@behaviour("repetition", "system")
def elicited_by_booking_failure(seen: Repetition) -> bool:
    """The system could not book, and has not come to anything since."""
    return _bookable(seen) and _still_failed(seen.between, [turn.no_book for turn in seen.between])


@behaviour("repetition", "system")
def elicited_by_no_offers(seen: Repetition) -> bool:
    """The system found nothing in the domain, and has not come to anything since."""
    return _still_failed(seen.between, [turn.no_offer for turn in seen.between])


@behaviour("repetition", "system")
def failed_sys_nlu(seen: Repetition) -> bool:
    """The system did not understand the constraint."""
    heard = [turn.understood for turn in seen.between]
    if None in heard and not seen.setup.rules.faults.missing_nlu_is_failure:
        return False
    return not any(seen.constraint in each for each in heard if each is not None)


@behaviour("repetition", "user")
def confirmed_choice_params(seen: Repetition) -> bool:
    """The system has just told of a choice."""
    return seen.between[0].choice


@behaviour("repetition", "user")
def repeated_while_requesting_info(seen: Repetition) -> bool:
    """The user asks for something at the same turn."""
    acts = seen.again.acts
    services = (seen.domain, seen.setup.profile.booking)
    return any(parts & REQUEST for service in services for parts, _, _ in acts.get(service, ()))


@behaviour("repetition", "user")
def repeated_while_booking(seen: Repetition) -> bool:
    """The system has just named an entity or proposed to book."""
    return seen.between[0].entity_or_booking


@behaviour("repetition", "user")
def repeated_when_answering_request(seen: Repetition) -> bool:
    """The system has just asked for something in the domain or for a booking."""
    return seen.between[0].asks


@behaviour("repetition", "user")
def switched_between_domains(seen: Repetition) -> bool:
    """The system has dealt with another domain in the meantime, and no taxi is talked of."""
    if seen.again.taxi or any(turn.taxi for turn in seen.between):
        return False
    setup = seen.setup
    own = {seen.domain, setup.profile.booking}
    if not setup.rules.faults.general_is_a_domain:
        own |= setup.no_domains
    return any(not turn.services <= own for turn in seen.between)


@behaviour("repetition", "log", switch="elicited_by_booking_failure")
def nobook_validation_failure(seen: Repetition) -> bool:
    """The system could not book, but then named an entity or booked."""
    failed = [turn.no_book for turn in seen.between]
    return _bookable(seen) and any(failed) and not _still_failed(seen.between, failed)


@behaviour("repetition", "log", switch="elicited_by_no_offers")
def nooffer_validation_failure(seen: Repetition) -> bool:
    """The system found nothing in the domain, but then named an entity or booked."""
    failed = [turn.no_offer for turn in seen.between]
    return any(failed) and not _still_failed(seen.between, failed)


def _bookable(seen: Repetition) -> bool:
    return seen.setup.traits(seen.domain).transactional


def _still_failed(between: list[SystemTurn], failed: list[bool]) -> bool:
    """Is the newest failure not older than the newest success? At the same turn it is not."""
    for turn, fails in zip(between, failed, strict=True):
        if fails:
            return True
        if turn.made:
            return False
    return False
