"""How constraints and requests are expressed: all at once or bit by bit, with gaps or without; what is missed or given.

Patterns of a goal part with more than one unit: ``miss_all`` (``miss_all_reqs`` for requests), or ``miss`` or ``no_miss`` (were all
of them said?) with ``one`` or ``mult`` (do those that were said share a turn?).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ..alternatives import split_alternatives
from ..goals import goal_units
from ..outcome import DialogueOutcome

Kind: TypeAlias = Literal["search", "booking", "requests", "provision", "missed"]

_KINDS: dict[str, Kind] = {"info": "search", "fail_info": "search", "book": "booking", "fail_book": "booking"}
_PARTNER = {"info": "fail_info", "fail_info": "info", "book": "fail_book", "fail_book": "book"}
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


def patterns_of(outcome: DialogueOutcome) -> list[Pattern]:
    """Return the patterns of one dialogue: search, booking, requests, what the system gave unasked, domains that were missed."""
    found: list[Pattern] = []
    unneeded = {(event.domain, event.about) for event in outcome.events if event.name == "alternative_not_needed"}
    for domain, wants in goal_units(outcome.goal).items():
        said, asked = outcome.said.get(domain, {}), outcome.request_acts.get(domain, {})
        for part, units in wants.parts.items():
            wanted = [unit for unit in units if (domain, unit) not in unneeded]
            # Without its own choice a part wants nothing that the other part of its pair does not want.
            if len(wanted) > 1 and (len(wanted) == len(units) or _has_choice(part, wanted, wants.parts)):
                found.append(Pattern(_KINDS[part], domain, expression(wanted, said), part))
        if len(wants.requests) > 1:
            found.append(Pattern("requests", domain, expression(wants.requests, asked, "miss_all_reqs")))
            logged = {event.name for event in outcome.events if event.domain == domain}
            given = next((pattern for name, pattern in _PROVISION.items() if name in logged), "no_prov")
            found.append(Pattern("provision", domain, given))
    found += [Pattern("missed", event.domain, event.name) for event in outcome.events if event.name == "missed_domain"]
    return found


def _has_choice(part: str, wanted: Sequence[str], parts: Mapping[str, Sequence[str]]) -> bool:
    """Is something wanted of a part that is an alternative to the other part of its pair?"""
    own = {
        unit
        for pair in split_alternatives({part: parts[part], _PARTNER[part]: parts[_PARTNER[part]]})
        for side in pair
        for unit in side
    }
    return any(unit in own for unit in wanted)


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
