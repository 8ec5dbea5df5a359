"""The ways in which files write a state."""

from __future__ import annotations

from typing import Literal, NamedTuple


class StateLayout(NamedTuple):
    """How a format writes a state.

    Attributes:
        shape: what holds what; ``sections`` is ``{"hotel": {"semi": {"area": "east"}, "book": {"people": "2", "booked":
            []}}}``, where "booked" is no slot.
        absent: texts that stand where a slot is named and has no value.
        prefixed: slots may repeat the name of their service.
        lists: a value is a list of texts, and nothing else.
    """

    shape: Literal["flat", "nested", "any", "sections", "glued"]
    absent: tuple[str, ...] = ()
    prefixed: bool = False
    lists: bool = False


FLAT = StateLayout("flat")
"""``{"hotel-area": "east"}``"""
NESTED = StateLayout("nested")
"""``{"hotel": {"area": "east"}}``"""
ANY = StateLayout("any")
"""Nested where a value is an object, otherwise flat."""
GLUED = StateLayout("glued")
"""``["hotel-area-east"]``, split at the first two hyphens."""
SERVICES = StateLayout("nested", prefixed=True)
"""``{"hotel": {"hotel-area": ["east", "the east"]}}``"""
