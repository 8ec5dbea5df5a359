"""Why a user asks for a slot again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..events import behaviour
from ..system_turn import SystemTurn

if TYPE_CHECKING:
    from ..prepared_dialogue import PreparedTurn, ScoringSetup


class RepeatedRequest(Struct, eq=False):
    """Two requests of a slot, one after the other, and the system turns between them, newest first."""

    domain: str
    request: str
    slot: str
    between: list[SystemTurn]
    first: PreparedTurn
    again: PreparedTurn
    setup: ScoringSetup

    @property
    def is_reference(self) -> bool:
        """Is a reference number asked for?"""
        return self.slot in self.setup.profile.reference_slots


@behaviour("request", "log")
def spurious_annotation(seen: RepeatedRequest) -> bool:
    """The talk between is of other domains, so that the repeated request looks like a wrong label."""
    profile = seen.setup.profile
    if seen.is_reference:
        return False
    if seen.setup.traits(seen.domain).taxi and any(word in seen.request for word in profile.taxi.words):
        return False
    services = frozenset().union(*[turn.services for turn in seen.between]) - seen.setup.no_domains
    if not services:
        return False
    if seen.domain not in services and len(seen.between) > 1:
        return True
    several = any(len(turn.acts.keys() - set(profile.general)) > 1 for turn in (seen.first, seen.again))
    return several and len(seen.between) > 3 and services != {seen.domain}


@behaviour("request", "system", switch="validate_nlu")
def system_req_nlu_failure(seen: RepeatedRequest) -> bool:
    """The system did not understand the request."""
    heard = seen.between[-1].understood_requests
    return heard is not None and seen.slot not in heard


@behaviour("request", "user", switch="validate_policy", excuses=False)
def repeated_despite_receiving_answer(seen: RepeatedRequest) -> bool:
    """The system has answered in the meantime."""
    if any(seen.slot in turn.informs for turn in seen.between):
        return True
    return seen.is_reference and any(turn.reference for turn in seen.between)


@behaviour("request", "system", switch="validate_policy")
def no_answer(seen: RepeatedRequest) -> bool:
    """The system has answered with a placeholder, such as a question mark, and with no value."""
    return not repeated_despite_receiving_answer(seen) and any(seen.slot in turn.placeholders for turn in seen.between)


@behaviour("request", "user", switch="validate_policy")
def user_prempted_request(seen: RepeatedRequest) -> bool:
    """The system asks for something of the domain or of a booking instead of answering."""
    return seen.between[-1].asks


@behaviour("request", "system", switch="validate_policy")
def delayed_response(seen: RepeatedRequest) -> bool:
    """The system neither answers nor asks."""
    return not any(holds(seen) for holds in (repeated_despite_receiving_answer, no_answer, user_prempted_request))
