"""Reasons for repeated requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..events import behaviour
from ..system_turn import SystemTurn

if TYPE_CHECKING:
    from ..prepared_dialogue import PreparedTurn, ScoringSetup


class RepeatedRequest(Struct, eq=False):
    """Two successive requests of a slot, and the system turns between them, newest first."""

    domain: str
    request: str
    slot: str
    between: list[SystemTurn]
    first: PreparedTurn
    again: PreparedTurn
    setup: ScoringSetup

    @property
    def is_reference(self) -> bool:
        """True if the request is for a reference number."""
        return self.slot in self.setup.profile.reference_slots


@behaviour("request", "log")
def spurious_annotation(repeated: RepeatedRequest) -> bool:
    """The turns between are about other domains, so the repeated request is probably a wrong label."""
    profile = repeated.setup.profile
    if repeated.is_reference:
        return False
    if repeated.setup.traits(repeated.domain).taxi and any(word in repeated.request for word in profile.taxi.words):
        return False
    services = frozenset().union(*[turn.services for turn in repeated.between]) - repeated.setup.no_domains
    if not services:
        return False
    if repeated.domain not in services and len(repeated.between) > 1:
        return True
    several = any(len(turn.acts.keys() - set(profile.general)) > 1 for turn in (repeated.first, repeated.again))
    return several and len(repeated.between) > 3 and services != {repeated.domain}


@behaviour("request", "system", switch="validate_nlu")
def system_req_nlu_failure(repeated: RepeatedRequest) -> bool:
    """The system did not understand the request."""
    understood = repeated.between[-1].understood_requests
    return understood is not None and repeated.slot not in understood


@behaviour("request", "user", switch="validate_policy", excuses=False)
def repeated_despite_receiving_answer(repeated: RepeatedRequest) -> bool:
    """The system has answered in the meantime."""
    if any(repeated.slot in turn.informs for turn in repeated.between):
        return True
    return repeated.is_reference and any(turn.reference for turn in repeated.between)


@behaviour("request", "system", switch="validate_policy")
def no_answer(repeated: RepeatedRequest) -> bool:
    """The system has answered only with a placeholder, such as a question mark."""
    return not repeated_despite_receiving_answer(repeated) and any(
        repeated.slot in turn.placeholders for turn in repeated.between
    )


@behaviour("request", "user", switch="validate_policy")
def user_prempted_request(repeated: RepeatedRequest) -> bool:
    """The system asks for a slot of the domain or of a booking instead of answering."""
    return repeated.between[-1].asks


@behaviour("request", "system", switch="validate_policy")
def delayed_response(repeated: RepeatedRequest) -> bool:
    """The system neither answers nor asks."""
    return not any(holds(repeated) for holds in (repeated_despite_receiving_answer, no_answer, user_prempted_request))
