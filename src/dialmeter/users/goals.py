"""The units of a goal, in lower case: constraints to say and slots to request."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from ..model import DomainGoal, Goal, dialogue_key


class GoalUnits(Struct, frozen=True):
    """A domain of a goal.

    Attributes:
        constraints: the distinct ``slot=value`` pairs of all parts.
        slots: the slots of all parts.
        values: slot → what is wanted of it, to look at first when a value is brought to canonical form.
        parts: constraints by part.
        requests: ``domain-slot`` to ask for.
        books: does the goal book in this domain?
    """

    constraints: tuple[str, ...]
    slots: frozenset[str]
    values: Mapping[str, tuple[str, ...]]
    parts: Mapping[str, tuple[str, ...]]
    requests: tuple[str, ...]
    books: bool


def constraint(slot: str, value: str) -> str:
    """A constraint as it is counted and shown.

    Example:
        >>> constraint("area", "east")
        'area=east'
    """
    return f"{slot}={value}"


def slot_of(constraint: str) -> str:
    """The slot of a constraint.

    Example:
        >>> slot_of("area=east")
        'area'
    """
    return constraint.partition("=")[0]


def request(domain: str, slot: str) -> str:
    """A request as it is counted and shown; a slot that names its domain already stays as it is.

    Example:
        >>> request("hotel", "Phone"), request("hotel", "hotel-phone")
        ('hotel-phone', 'hotel-phone')
    """
    prefix, lower = f"{domain.lower()}-", slot.lower()
    return lower if lower.startswith(prefix) else prefix + lower


def requested_slot(request: str) -> str:
    """The slot of a request.

    Example:
        >>> requested_slot("attraction-entrance fee")
        'entrance fee'
    """
    return request.partition("-")[2] or request


def goal_units(goal: Goal, slots_as_written: bool = False) -> dict[str, GoalUnits]:
    """The units of a goal, by domain.

    Args:
        goal: as it was read.
        slots_as_written: keep the letter case of slots in ``values``, a fault of the published evaluator.

    Example:
        >>> goal_units({"train": DomainGoal(info={"leaveAt": "10:00"}, requests=("price",))})["train"].constraints
        ('leaveat=10:00',)
    """
    return {domain: _wants(domain, inside, slots_as_written) for domain, inside in goal.items()}


def _wants(domain: str, inside: DomainGoal, slots_as_written: bool) -> GoalUnits:
    constraints: dict[str, None] = {}
    slots: set[str] = set()
    values: dict[str, tuple[str, ...]] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for name, part in inside.parts.items():
        held = []
        for written, value in part.items():
            slot, wanted = written.lower(), value.lower()
            slots.add(slot)
            held.append(f"{slot}={wanted}")
            key = written if slots_as_written else slot
            values[key] = (*values.get(key, ()), wanted)
        parts[name] = tuple(held)
        constraints.update(dict.fromkeys(held))
    requests = tuple(dict.fromkeys([request(domain, slot) for slot in inside.requests]))
    return GoalUnits(tuple(constraints), frozenset(slots), values, parts, requests, bool(inside.book))


def canonical_goal(goal: Goal) -> dict[str, dict[str, object]]:
    """A goal in one form for all formats: lower case, without empty parts, requests sorted.

    Example:
        >>> canonical_goal({"hotel": DomainGoal(info={"Area": "East"}, requests=("phone", "Address"))})
        {'hotel': {'info': {'area': 'east'}, 'requests': ['address', 'phone']}}
    """
    return {
        domain: {
            **{
                name: {slot.lower(): value.lower() for slot, value in part.items()}
                for name, part in inside.parts.items()
            },
            **({"requests": sorted(slot.lower() for slot in inside.requests)} if inside.requests else {}),
        }
        for domain, inside in goal.items()
    }


_encode = msgspec.json.Encoder(order="sorted").encode


def goal_digest(goal: Goal) -> bytes:
    """SHA-256 of one goal."""
    return hashlib.sha256(_encode(canonical_goal(goal))).digest()


def data_digest(goals: Iterable[tuple[str, bytes]]) -> str:
    """The ``data:`` field of a signature: ten digits over all goals, whatever the format or the order.

    Args:
        goals: dialogue and the digest of its goal.

    Example:
        >>> one, other = goal_digest({}), goal_digest({"hotel": DomainGoal(info={"area": "east"})})
        >>> data_digest([("b", one), ("A.json", other)]) == data_digest([("a", other), ("b", one)])
        True
    """
    whole = hashlib.sha256()
    for key, digest in sorted((dialogue_key(dialogue), digest) for dialogue, digest in goals):
        whole.update(key.encode("utf-8", "surrogatepass") + b"\x1c" + digest)
    return whole.hexdigest()[:10]
