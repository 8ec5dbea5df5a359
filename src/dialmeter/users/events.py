"""Events of a dialogue, and the declarations of their classes.

A class of events is one declaration. Switches of rule sets, ``dialmeter list events``, the documentation, verdicts and charts are
derived from it. A class that is found by a test is a function, declared by :func:`behaviour`; see ``users/behaviours``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct, field

from .goals import requested_slot, slot_of

Family: TypeAlias = Literal["repetition", "not_in_goal", "goal", "request", "text"]
"""Where an event belongs: a constraint of the goal said again, one outside the goal, the goal as a whole, a request, a goal in words."""

Owner: TypeAlias = Literal["system", "user", "log"]
Test = TypeVar("Test", bound=Callable[[Any], bool])


class Event(Struct, frozen=True, omit_defaults=True):
    """One event.

    Attributes:
        name: its class, such as ``unmatched``.
        family: where it belongs; some classes are in two families.
        domain: where it happened.
        about: the constraint ``slot=value`` or the request ``domain-slot``; empty for events of a whole domain.
        turns: where to look, as places in the dialogue from 0; in a log, places of messages.
        credited: did it make a mention or a repetition count as wanted?
        said: what was said instead, where something else was expected; in a log, the words.
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
        return requested_slot(self.about) if self.family == "request" else slot_of(self.about)


class Remark(Struct, frozen=True, omit_defaults=True):
    """A defect in the data of a dialogue that can be scored nevertheless."""

    code: str
    turn: int | None = None
    what: str = ""


class Behaviour(Struct, frozen=True):
    """The declaration of a class of events.

    Attributes:
        name: as in the output.
        family: where it belongs.
        owner: who causes it; ``log`` for a note that blames nobody.
        about: what it means, in one sentence.
        holds: the test, where the class has its own.
        switch: the switch of the rule set that turns the test on; the name of the class unless it says otherwise.
        on: the value of the switch in rule sets that do not state it.
        excuses: is a repetition that has this reason credited?
    """

    name: str
    family: Family
    owner: Owner
    about: str
    holds: Callable[[Any], bool] | None = None
    switch: str = ""
    on: bool = True
    excuses: bool = False

    @property
    def full_switch(self) -> str:
        """The switch with its table in a rule set; empty if there is none.

        Example:
            >>> Behaviour("late", "request", "system", "The answer is late.", switch="late").full_switch
            'requests.late'
        """
        return f"{TABLES[self.family]}.{self.switch}" if self.switch else ""


TABLES: dict[Family, str] = {"repetition": "repetitions", "not_in_goal": "not_in_goal", "request": "requests"}
"""Family → the table of a rule set with the switches of its behaviours."""

ALL: list[Behaviour] = []
"""Every class of events that dialmeter finds."""


def declare(new: Behaviour) -> None:
    """Adds a class of events."""
    if any((each.family, each.name) == (new.family, new.name) for each in ALL):
        raise ValueError(f"there is a class {new.name} in the family {new.family} already")
    ALL.append(new)


def behaviour(
    family: Family,
    owner: Owner,
    *,
    switch: str = "",
    on: bool = True,
    excuses: bool | None = None,
) -> Callable[[Test], Test]:
    """Declares a class of events by the function that finds it: its name, and the first line of its docstring.

    Declare it before ``dialmeter.users.rules`` is imported, which makes a switch for it.

    Args:
        family: decides what the function gets; see the modules of ``users/behaviours``.
        owner: who causes it.
        switch: the switch of another class, if the class shares it.
        on: the value of its switch in rule sets that do not state it.
        excuses: is a repetition with this reason credited? If not given: yes, except for notes.
    """

    def register(test: Test) -> Test:
        name, about = test.__name__, (test.__doc__ or "").strip().partition("\n")[0]
        credit = owner != "log" if excuses is None else excuses
        declare(Behaviour(name, family, owner, about, test, switch or name, on, credit))
        return test

    return register


@cache
def switched_on(family: Family, switches: Struct) -> tuple[Behaviour, ...]:
    """The behaviours of a family whose tests a rule set asks for.

    Args:
        family: of the behaviours.
        switches: the table of the rule set.
    """
    found = (each for each in ALL if each.family == family and each.holds)
    return tuple(each for each in found if getattr(switches, each.switch, each.on))
