"""How constraints and requests are expressed: all at once or bit by bit, with gaps or without; what is missed or given.

Patterns of a goal part with more than one unit: ``miss_all`` (``miss_all_reqs`` for requests), or ``miss`` or ``no_miss`` (were all
of them said?) with ``one`` or ``mult`` (do those that were said share a turn?).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ...model import Goal
from ..goals import goal_units
from ..outcome import DialogueOutcome

Kind: TypeAlias = Literal["search", "booking", "requests", "provision", "missed"]

_KINDS: dict[str, Kind] = {"info": "search", "fail_info": "search", "book": "booking", "fail_book": "booking"}
_PROVISION = {"provision_entire_domain": "prov_all", "provision_slots": "prov_some"}


class Pattern(Struct, frozen=True):
    """One pattern in one domain of a dialogue; ``part`` is the part of the goal that it is about."""

    kind: Kind
    domain: str
    pattern: str
    part: str = ""


def expression(units: Sequence[str], mentions: Mapping[str, Sequence[int]], none: str = "miss_all") -> str:
    """How some units are expressed.

    Args:
        units: what is wanted.
        mentions: unit → turns.
        none: the name where none of them is.

    Example:
        >>> expression(["area=east", "stars=4"], {"area=east": [0, 2], "stars=4": [2]})
        'no_miss_one'
        >>> expression(["area=east", "stars=4", "type=hotel"], {"area=east": [0], "stars=4": [2]})
        'miss_mult'
    """
    said = [set(mentions[unit]) for unit in units if unit in mentions]
    if not said:
        return none
    share = "one" if set.intersection(*said) else "mult"
    return f"{'no_miss' if len(said) == len(units) else 'miss'}_{share}"


def patterns_of(outcome: DialogueOutcome, goal: Goal) -> list[Pattern]:
    """The patterns of one dialogue: search, booking, requests, what the system gave unasked, domains that were missed."""
    found: list[Pattern] = []
    for domain, wants in goal_units(goal).items():
        said, asked = outcome.said.get(domain, {}), outcome.asked.get(domain, {})
        found += [
            Pattern(_KINDS[part], domain, expression(units, said), part)
            for part, units in wants.parts.items()
            if len(units) > 1
        ]
        if len(wants.requests) > 1:
            found.append(Pattern("requests", domain, expression(wants.requests, asked, "miss_all_reqs")))
    given = {(event.domain, _PROVISION[event.name]) for event in outcome.events if event.name in _PROVISION}
    found += [Pattern("provision", domain, pattern) for domain, pattern in sorted(given)]
    found += [Pattern("missed", event.domain, event.name) for event in outcome.events if event.name == "missed_domain"]
    return found


def counted(patterns: Iterable[Pattern]) -> dict[Kind, dict[str, dict[str, int]]]:
    """How often each pattern occurs: kind → domain → pattern.

    Example:
        >>> counted([Pattern("search", "hotel", "miss_all"), Pattern("search", "hotel", "miss_all")])
        {'search': {'hotel': {'miss_all': 2}}}
    """
    found: dict[Kind, dict[str, dict[str, int]]] = {}
    for (kind, domain, pattern), count in sorted(
        Counter((each.kind, each.domain, each.pattern) for each in patterns).items()
    ):
        found.setdefault(kind, {}).setdefault(domain, {})[pattern] = count
    return found
