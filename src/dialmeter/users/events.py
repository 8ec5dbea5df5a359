"""What happened in a dialogue: events with their place and whether they were credited, and remarks on its data."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

Family: TypeAlias = Literal["repetition", "not_in_goal", "goal", "request"]
"""Where an event belongs: a constraint of the goal said again, one outside the goal, the goal as a whole, a request."""


class Event(Struct, frozen=True, omit_defaults=True):
    """One event.

    Attributes:
        name: its class, such as ``unmatched``.
        family: where it belongs; some classes are in two families.
        domain: where it happened.
        about: the constraint ``slot=value`` or the request ``domain-slot``; empty for events of a whole domain.
        turns: where to look, as places in the dialogue from 0.
        credited: did it make a mention or a repetition count as wanted?
        said: what was said instead, where something else was expected.
    """

    name: str = field(name="class")
    family: Family
    domain: str
    about: str = ""
    turns: tuple[int, ...] = ()
    credited: bool = False
    said: str = ""

    @property
    def slot(self) -> str:
        """The slot that the event is about.

        Example:
            >>> Event("unmatched", "repetition", "hotel", "area=east", (0, 2)).slot
            'area'
            >>> Event("delayed_response", "request", "hotel", "hotel-phone", (0, 2)).slot
            'phone'
        """
        if self.family == "request":
            return self.about.partition("-")[2] or self.about
        return self.about.partition("=")[0]


class Remark(Struct, frozen=True, omit_defaults=True):
    """Something in a dialogue that is not as it should be and does not keep it from being scored."""

    code: str
    turn: int | None = None
    what: str = ""
