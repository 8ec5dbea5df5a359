"""Layouts of dialogue states in files."""

from __future__ import annotations

from typing import Literal, NamedTuple


class StateLayout(NamedTuple):
    """The layout of states in a format.

    Attributes:
        shape: the structure of the state; ``sections`` is ``{"hotel": {"semi": {"area": "east"}, "book": {"people": "2",
            "booked": []}}}``, where "booked" is not a slot.
        absent: texts that mean that a slot has no value.
        prefixed: True if slot names may repeat the name of their service.
        lists: True if every value must be a list of texts.
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
"""Nested if any value is an object, otherwise flat."""
GLUED = StateLayout("glued")
"""``["hotel-area-east"]``, split at the first two hyphens."""
SERVICES = StateLayout("nested", prefixed=True)
"""``{"hotel": {"hotel-area": ["east", "the east"]}}``"""
