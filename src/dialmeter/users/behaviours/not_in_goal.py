"""Why a user says a constraint on a slot that its goal does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..events import behaviour
from ..system_turn import Glance, offered

if TYPE_CHECKING:
    from ..prepared_dialogue import Stage


class Mention(Struct, eq=False):
    """A mention outside the goal, and the system turns before it, newest first."""

    domain: str
    slot: str
    before: list[Glance]
    stage: Stage

    @property
    def context(self) -> list[Glance]:
        """The turns that the rules look back at."""
        return self.before[: self.stage.rules.not_in_goal.context]

    @property
    def names_entity(self) -> bool:
        """Is the slot one that names an entity of the domain?"""
        return self.slot in self.stage.traits(self.domain).entity_slots


@behaviour("not_in_goal", "system", on=False)
def elicited_by_sys_question(seen: Mention) -> bool:
    """The system has just asked for the slot."""
    return seen.slot in seen.before[0].requests


@behaviour("not_in_goal", "system")
def elicited_by_sys_offer(seen: Mention) -> bool:
    """The system has lately told, recommended or booked with the slot."""
    return any(offered(seen.slot, turn.offers, seen.stage) for turn in seen.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_failure(seen: Mention) -> bool:
    """A booking has lately failed, and the user names another entity."""
    bookable = seen.stage.traits(seen.domain).transactional
    return seen.names_entity and bookable and any(turn.no_book for turn in seen.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_acceptance(seen: Mention) -> bool:
    """The system has just proposed to book, and the user names the entity."""
    bookable = seen.stage.traits(seen.domain).transactional
    return seen.names_entity and bookable and seen.before[0].booking_intent


@behaviour("not_in_goal", "system")
def elicited_by_recommendation(seen: Mention) -> bool:
    """The system has recommended something in the domain, and the user names an entity."""
    return seen.names_entity and any(turn.recommends for turn in seen.before)
