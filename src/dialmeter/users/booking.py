"""What the system tells of a domain, by acts of the domain and by booking acts, which are of no domain by name."""

from __future__ import annotations

from .act_types import SLOT_VALUES
from .goals import constraint
from .prepared_dialogue import Scene


def told(scene: Scene, domain: str, wanted: str) -> tuple[int, ...]:
    """The system turns that tell a constraint of a domain."""
    return tuple(
        [
            turn.number
            for turn in scene.turns[1::2]
            for service in _services(scene, turn.number, domain)
            if any(
                parts & SLOT_VALUES and constraint(slot, value) == wanted for parts, slot, value in turn.acts[service]
            )
        ]
    )


def told_slots(scene: Scene, domain: str) -> dict[str, int]:
    """The slots of a domain that the system tells, each with the first turn at which it does."""
    found: dict[str, int] = {}
    for turn in scene.turns[1::2]:
        for service in _services(scene, turn.number, domain):
            for parts, slot, _ in turn.acts[service]:
                if parts & SLOT_VALUES and slot:
                    found.setdefault(slot, turn.number)
    return found


def _services(scene: Scene, number: int, domain: str) -> list[str]:
    """The services of a turn that speak for a domain."""
    acts, stage = scene.turns[number].acts, scene.stage
    found = [domain] if domain in acts else []
    booking = stage.profile.booking
    if booking in acts and (stage.rules.faults.booking_is_every_domain or booked_domain(scene, number) == domain):
        found.append(booking)
    return found


def booked_domain(scene: Scene, number: int) -> str | None:
    """The domain that a booking act is about: the bookable one that was spoken of last.

    Where two were spoken of at the same turn it is the one of these that was spoken of later before that turn, and
    where that does not tell them apart, the first by name: one booking is never two.
    """
    stage = scene.stage
    left: set[str] = set()
    for turn in reversed(scene.turns[: number + 1]):
        here = {service for service in turn.acts if stage.traits(service).transactional}
        if left and here & left:
            left &= here
        elif not left:
            left = here
        if len(left) == 1:
            break
    return min(left) if left else None
