"""Reasons for repeated constraints of the goal: first actions of the system between the mentions, then actions of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..events import behaviour
from ..profile import REQUEST
from ..system_turn import SystemTurn

if TYPE_CHECKING:
    from ..prepared_dialogue import PreparedTurn, ScoringSetup


class Repetition(Struct, eq=False):
    """Two successive mentions of a constraint, and the system turns between them, newest first."""

    domain: str
    slot: str
    constraint: str
    between: list[SystemTurn]
    again: PreparedTurn
    setup: ScoringSetup


@behaviour("repetition", "system")
def elicited_by_sys_question(repetition: Repetition) -> bool:
    """The system has just asked for the slot."""
    return repetition.slot in repetition.between[0].requests


@behaviour("repetition", "system")
def elicited_by_booking_failure(repetition: Repetition) -> bool:
    """The system could not book, and has had no success since."""
    return _bookable(repetition) and _still_failed(repetition.between, [turn.no_book for turn in repetition.between])


@behaviour("repetition", "system")
def elicited_by_no_offers(repetition: Repetition) -> bool:
    """The system found nothing in the domain, and has had no success since."""
    return _still_failed(repetition.between, [turn.no_offer for turn in repetition.between])


@behaviour("repetition", "system")
def failed_sys_nlu(repetition: Repetition) -> bool:
    """The system did not understand the constraint."""
    understood = [turn.understood for turn in repetition.between]
    if None in understood and not repetition.setup.rules.faults.missing_nlu_is_failure:
        return False
    return not any(repetition.constraint in each for each in understood if each is not None)


@behaviour("repetition", "user")
def confirmed_choice_params(repetition: Repetition) -> bool:
    """The system has just mentioned a choice."""
    return repetition.between[0].choice


@behaviour("repetition", "user")
def repeated_while_requesting_info(repetition: Repetition) -> bool:
    """The user requests something in the same turn."""
    acts = repetition.again.acts
    services = (repetition.domain, repetition.setup.profile.booking)
    return any(types & REQUEST for service in services for types, _, _ in acts.get(service, ()))


@behaviour("repetition", "user")
def repeated_while_booking(repetition: Repetition) -> bool:
    """The system has just named an entity or proposed to book."""
    return repetition.between[0].entity_or_booking


@behaviour("repetition", "user")
def repeated_when_answering_request(repetition: Repetition) -> bool:
    """The system has just asked for something in the domain or for a booking."""
    return repetition.between[0].asks


@behaviour("repetition", "user")
def switched_between_domains(repetition: Repetition) -> bool:
    """The system has handled another domain in the meantime, and no turn is about a taxi."""
    if repetition.again.taxi or any(turn.taxi for turn in repetition.between):
        return False
    setup = repetition.setup
    own = {repetition.domain, setup.profile.booking}
    if not setup.rules.faults.general_is_a_domain:
        own |= setup.no_domains
    return any(not turn.services <= own for turn in repetition.between)


@behaviour("repetition", "log", switch="elicited_by_booking_failure")
def nobook_validation_failure(repetition: Repetition) -> bool:
    """The system could not book, but then named an entity or booked."""
    failed = [turn.no_book for turn in repetition.between]
    return _bookable(repetition) and any(failed) and not _still_failed(repetition.between, failed)


@behaviour("repetition", "log", switch="elicited_by_no_offers")
def nooffer_validation_failure(repetition: Repetition) -> bool:
    """The system found nothing in the domain, but then named an entity or booked."""
    failed = [turn.no_offer for turn in repetition.between]
    return any(failed) and not _still_failed(repetition.between, failed)


def _bookable(repetition: Repetition) -> bool:
    return repetition.setup.traits(repetition.domain).transactional


def _still_failed(between: list[SystemTurn], failed: list[bool]) -> bool:
    """Return True if the newest failure is not older than the newest success. Failure and success may be in the same turn."""
    for turn, fails in zip(between, failed, strict=True):
        if fails:
            return True
        if turn.made:
            return False
    return False
