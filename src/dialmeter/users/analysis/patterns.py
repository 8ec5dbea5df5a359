"""Patterns of expression: units in one turn or in several turns, complete or with gaps, missed domains, and provided slots.

The pattern of a part of a goal with more than one unit is ``miss_all`` (``miss_all_reqs`` for requests) if no unit is said. Otherwise
it is ``no_miss`` if all units are said, else ``miss``, followed by ``one`` if the units that are said share a turn, else ``mult``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ..counting import split_alternatives
from ..events import DialogueOutcome
from ..goals import goal_units

Kind: TypeAlias = Literal["search", "booking", "requests", "provision", "missed"]

_KINDS: dict[str, Kind] = {"info": "search", "fail_info": "search", "book": "booking", "fail_book": "booking"}
_PARTNER = {"info": "fail_info", "fail_info": "info", "book": "fail_book", "fail_book": "book"}
_PROVISION = {"provision_entire_domain": "prov_all", "provision_slots": "prov_some"}


class Pattern(Struct, frozen=True):
    """One pattern in one domain of a dialogue. ``part`` is the part of the goal."""

    kind: Kind
    domain: str
    pattern: str
    part: str = ""


def expression(units: Sequence[str], mentions: Mapping[str, Sequence[int]], none: str = "miss_all") -> str:
    """Return the pattern in which some units are expressed.

    Args:
        units: the wanted units.
        mentions: unit → turns in which it is said.
        none: the name of the pattern if no unit is said.

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
    """Return the patterns of one dialogue: search, booking, requests, slots that the system provides, missed domains."""
    patterns: list[Pattern] = []
    unneeded = {(event.domain, event.about) for event in outcome.events if event.name == "alternative_not_needed"}
    for domain, domain_units in goal_units(outcome.goal).items():
        said, asked = outcome.said.get(domain, {}), outcome.request_acts.get(domain, {})
        for part, units in domain_units.parts.items():
            wanted = [unit for unit in units if (domain, unit) not in unneeded]
            pair = {name: domain_units.parts.get(name, ()) for name in (part, _PARTNER[part])}
            alternatives = {unit for sides in split_alternatives(pair) for side in sides for unit in side}
            # If none of its alternatives is wanted, a part has no wanted unit that the other part of its pair does not have.
            if len(wanted) > 1 and (len(wanted) == len(units) or not alternatives.isdisjoint(wanted)):
                patterns.append(Pattern(_KINDS[part], domain, expression(wanted, said), part))
        if len(domain_units.requests) > 1:
            patterns.append(Pattern("requests", domain, expression(domain_units.requests, asked, "miss_all_reqs")))
            logged = {event.name for event in outcome.events if event.domain == domain}
            given = next((pattern for name, pattern in _PROVISION.items() if name in logged), "no_prov")
            patterns.append(Pattern("provision", domain, given))
    patterns += [
        Pattern("missed", event.domain, event.name) for event in outcome.events if event.name == "missed_domain"
    ]
    return patterns


def count_patterns(patterns: Iterable[Pattern]) -> dict[Kind, dict[str, dict[str, int]]]:
    """Return kind → domain → pattern → number of occurrences.

    Example:
        >>> count_patterns([Pattern("search", "hotel", "miss_all"), Pattern("search", "hotel", "miss_all")])
        {'search': {'hotel': {'miss_all': 2}}}
    """
    counts: dict[Kind, dict[str, dict[str, int]]] = {}
    for (kind, domain, pattern), count in sorted(
        Counter((each.kind, each.domain, each.pattern) for each in patterns).items()
    ):
        counts.setdefault(kind, {}).setdefault(domain, {})[pattern] = count
    return counts
