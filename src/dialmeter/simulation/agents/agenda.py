"""The agenda of a user: a stack of what is still to be said.

Schatzmann, Thomson, Weilhammer, Ye and Young (2007), Agenda-Based User Simulation for Bootstrapping a POMDP Dialogue System, NAACL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

Stage: TypeAlias = Literal["search", "book", "ask", "close", "bye"]


class Item(NamedTuple):
    """One thing to do: tell a search constraint or a booking detail, ask for a slot, see whether a domain is done, or leave."""

    stage: Stage
    domain: str = ""
    slot: str = ""
    value: str = ""


class Agenda:
    """A stack; what is pushed last is said first.

    Example:
        >>> agenda = Agenda([Item("bye"), Item("ask", "hotel", "phone")])
        >>> agenda.push([Item("search", "hotel", "area", "east")])
        >>> [item.stage for item in agenda.pop(3)], [item.stage for item in agenda.pop(1)]
        (['search'], ['ask'])
    """

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._stack = list(items)

    @property
    def top(self) -> Item:
        """What comes next."""
        return self._stack[-1]

    def push(self, items: Iterable[Item]) -> None:
        """Puts items on top, the first of them uppermost; an item that stands further down is taken from there."""
        new = list(dict.fromkeys(items))
        self._stack = [item for item in self._stack if item not in new] + new[::-1]

    def pop(self, most: int) -> list[Item]:
        """Takes items from the top that can be said together: one stage of one domain, and no slot twice."""
        first = self._stack.pop()
        found = [first]
        while len(found) < most and self._stack and self.top[:2] == first[:2]:
            if self.top.slot in [item.slot for item in found]:
                break
            found.append(self._stack.pop())
        return found

    def drop(self, unwanted: Callable[[Item], bool]) -> None:
        """Takes away what needs not be said any more."""
        self._stack = [item for item in self._stack if not unwanted(item)]
