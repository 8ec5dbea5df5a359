"""Why a user says a constraint on a slot that its goal does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..events import behaviour
from ..system_turn import SystemTurn, offered

if TYPE_CHECKING:
    from ..prepared_dialogue import ScoringSetup


class OutsideMention(Struct, eq=False):
    """A mention outside the goal, and the system turns before it, newest first."""

    domain: str
    slot: str
    before: list[SystemTurn]
    setup: ScoringSetup

    @property
    def context(self) -> list[SystemTurn]:
        """The turns that the rules look back at."""
        return self.before[: self.setup.rules.not_in_goal.context]

    @property
    def names_entity(self) -> bool:
        """Is the slot one that names an entity of the domain?"""
        return self.slot in self.setup.traits(self.domain).entity_slots


@behaviour("not_in_goal", "system", on=False)
def elicited_by_sys_question(seen: OutsideMention) -> bool:
    """The system has just asked for the slot."""
    return seen.slot in seen.before[0].requests


@behaviour("not_in_goal", "system")
def elicited_by_sys_offer(seen: OutsideMention) -> bool:
    """The system has lately told, recommended or booked with the slot."""
    return any(offered(seen.slot, turn.offers, seen.setup) for turn in seen.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_failure(seen: OutsideMention) -> bool:
    """A booking has lately failed, and the user names another entity."""
    bookable = seen.setup.traits(seen.domain).transactional
    return seen.names_entity and bookable and any(turn.no_book for turn in seen.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_acceptance(seen: OutsideMention) -> bool:
    """The system has just proposed to book, and the user names the entity."""
    bookable = seen.setup.traits(seen.domain).transactional
    return seen.names_entity and bookable and seen.before[0].booking_intent


@behaviour("not_in_goal", "system")
def elicited_by_recommendation(seen: OutsideMention) -> bool:
    """The system has recommended something in the domain, and the user names an entity."""
    return seen.names_entity and any(turn.recommends for turn in seen.before)
