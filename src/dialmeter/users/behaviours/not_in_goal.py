"""Reasons for constraints on slots that are not in the goal."""

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
        """The latest system turns that the rules consider."""
        return self.before[: self.setup.rules.not_in_goal.context]

    @property
    def names_entity(self) -> bool:
        """True if the slot names an entity of the domain."""
        return self.slot in self.setup.traits(self.domain).entity_slots


@behaviour("not_in_goal", "system", on=False)
def elicited_by_sys_question(mention: OutsideMention) -> bool:
    """The system has just asked for the slot."""
    return mention.slot in mention.before[0].requests


@behaviour("not_in_goal", "system")
def elicited_by_sys_offer(mention: OutsideMention) -> bool:
    """The system has recently informed about, recommended or booked the slot."""
    return any(offered(mention.slot, turn.offers, mention.setup) for turn in mention.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_failure(mention: OutsideMention) -> bool:
    """A booking has recently failed, and the user names another entity."""
    bookable = mention.setup.traits(mention.domain).transactional
    return mention.names_entity and bookable and any(turn.no_book for turn in mention.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_acceptance(mention: OutsideMention) -> bool:
    """The system has just proposed to book, and the user names the entity."""
    bookable = mention.setup.traits(mention.domain).transactional
    return mention.names_entity and bookable and mention.before[0].booking_intent


@behaviour("not_in_goal", "system")
def elicited_by_recommendation(mention: OutsideMention) -> bool:
    """The system has recommended something in the domain, and the user names an entity."""
    return mention.names_entity and any(turn.recommends for turn in mention.before)
