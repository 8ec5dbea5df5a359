"""The units of a goal, in lower case: constraints to say and slots to request."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from ..model import DomainGoal, Goal, dialogue_key
from ..values.steps import nfkc


class GoalUnits(Struct, frozen=True):
    """The units of one domain of a goal.

    Attributes:
        constraints: the distinct ``slot=value`` pairs of all parts.
        slots: the slots of all parts.
        values: slot → its values in the goal. They are tried first when a value is canonicalised.
        parts: constraints by part.
        requests: the ``domain-slot`` names to ask for.
        books: True if the goal has a booking in this domain.
    """

    constraints: tuple[str, ...]
    slots: frozenset[str]
    values: Mapping[str, tuple[str, ...]]
    parts: Mapping[str, tuple[str, ...]]
    requests: tuple[str, ...]
    books: bool


def constraint(slot: str, value: str) -> str:
    """Return the text of a constraint, as it is counted and shown.

    Example:
        >>> constraint("area", "east")
        'area=east'
    """
    return f"{slot}={value}"


def slot_of(constraint: str) -> str:
    """Return the slot of a constraint.

    Example:
        >>> slot_of("area=east")
        'area'
    """
    return constraint.partition("=")[0]


def request(domain: str, slot: str) -> str:
    """Return the text of a request, as it is counted and shown. A slot that begins with its domain is not changed.

    Example:
        >>> request("hotel", "Phone"), request("hotel", "hotel-phone")
        ('hotel-phone', 'hotel-phone')
    """
    prefix, lower = f"{domain.lower()}-", slot.lower()
    return lower if lower.startswith(prefix) else prefix + lower


def requested_slot(request: str) -> str:
    """Return the slot of a request.

    Example:
        >>> requested_slot("attraction-entrance fee")
        'entrance fee'
    """
    return request.partition("-")[2] or request


def lower_value(value: str) -> str:
    """Return a value in lower case and plain characters, as values are compared unless a rule set says otherwise.

    Example:
        >>> lower_value("East"), lower_value("\uff14 Stars")
        ('east', '4 stars')
    """
    return value.lower() if value.isascii() else nfkc(value).lower()


def goal_units(
    goal: Goal, slots_as_written: bool = False, lower: Callable[[str], str] = lower_value
) -> dict[str, GoalUnits]:
    """Return the units of a goal, by domain.

    Args:
        goal: the goal as it was read.
        slots_as_written: keep the letter case of slots in ``values``. This is a fault of the published evaluator.
        lower: converts the values.

    Example:
        >>> goal_units({"train": DomainGoal(info={"leaveAt": "10:00"}, requests=("price",))})["train"].constraints
        ('leaveat=10:00',)
    """
    return {domain: _domain_units(domain, domain_goal, slots_as_written, lower) for domain, domain_goal in goal.items()}


def _domain_units(
    domain: str, domain_goal: DomainGoal, slots_as_written: bool, lower: Callable[[str], str]
) -> GoalUnits:
    constraints: dict[str, None] = {}
    slots: set[str] = set()
    values: dict[str, tuple[str, ...]] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for name, part in domain_goal.parts.items():
        unit_texts = []
        for written, value in part.items():
            slot, compared = written.lower(), lower(value)
            slots.add(slot)
            unit_texts.append(f"{slot}={compared}")
            key = written if slots_as_written else slot
            values[key] = (*values.get(key, ()), compared)
        parts[name] = tuple(unit_texts)
        constraints.update(dict.fromkeys(unit_texts))
    requests = tuple(dict.fromkeys([request(domain, slot) for slot in domain_goal.requests]))
    return GoalUnits(tuple(constraints), frozenset(slots), values, parts, requests, bool(domain_goal.book))


_encode = msgspec.json.Encoder(order="sorted").encode


def goal_digest(units: Mapping[str, GoalUnits], absent: Sequence[list[str]] = ()) -> bytes:
    """Return the SHA-256 digest of what a rule set sees of one goal. The order of a goal does not matter.

    Args:
        units: the units of the goal under the rule set.
        absent: first choices that the text of the task does not mention.
    """
    seen = {
        domain: (
            {name: sorted(part) for name, part in each.parts.items()},
            {slot: sorted(values) for slot, values in each.values.items()},
            sorted(each.requests),
        )
        for domain, each in units.items()
    }
    return hashlib.sha256(_encode((seen, sorted(absent)))).digest()


def data_digest(goals: Iterable[tuple[str, bytes]]) -> str:
    """Return the ``data:`` field of a signature: the first ten hex digits of a digest of all goals. Format and order do not matter.

    Args:
        goals: pairs of a dialogue id and the digest of its goal.

    Example:
        >>> one, other = (goal_digest(goal_units(goal)) for goal in ({}, {"hotel": DomainGoal(info={"area": "east"})}))
        >>> data_digest([("b", one), ("A.json", other)]) == data_digest([("a", other), ("b", one)])
        True
    """
    whole = hashlib.sha256()
    for key, digest in sorted((dialogue_key(dialogue), digest) for dialogue, digest in goals):
        whole.update(key.encode("utf-8", "surrogatepass") + b"\x1c" + digest)
    return whole.hexdigest()[:10]
