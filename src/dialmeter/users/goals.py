"""The units of a goal, in lower case: constraints to say and slots to request.

Goals for dialogues without goals can be derived from what their users say and ask for, or from final states. Such a goal describes
what a user did, not what it was instructed to do, so the dialogue itself scores almost perfectly on it. Use it to score other users
on the same goals, or to compare readers of text with acts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from ..model import USER, Conversation, DomainGoal, Goal, dialogue_key
from ..values.steps import nfkc
from .profile import INFORM, NO_BOOK, NO_OFFER, REQUEST, Profile, classifier


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


_ABSENT = frozenset(["", "none", "not mentioned", "?"])


def derived_goal(conversation: Conversation, profile: Profile, final_state: Mapping[str, str] | None = None) -> Goal:
    """Derive the goal of a dialogue. It is empty if the user says and asks for nothing.

    In each service, the last value that the user gives for a slot is a constraint. An earlier value is a failed constraint, if the
    system reported between the two values that it could not find or book anything. If the user has no acts, the constraints come
    from the final state (``domain-slot`` → value).

    Example:
        >>> from dialmeter.model import Act, Move
        >>> from dialmeter.users.profile import named
        >>> said = Move("user", acts=(Act("INFORM", "Hotels_1", "city", ("Ely",)), Act("REQUEST", "Hotels_1", "phone")))
        >>> derived_goal(Conversation("d1", (said,)), named("sgd"))
        {'Hotels_1': DomainGoal(info={'city': 'Ely'}, fail_info={}, book={}, fail_book={}, requests=('phone',))}
    """
    if not any(move.acts for move in conversation.moves if move.speaker == USER):
        constraints: dict[str, dict[str, str]] = {}
        for slot, value in (final_state or {}).items():
            domain, hyphen, name = slot.partition("-")
            if hyphen and value.lower() not in _ABSENT:
                constraints.setdefault(domain, {})[name] = value
        return {domain: DomainGoal(info=info) for domain, info in constraints.items()}
    types_of = classifier(profile.acts)
    ignored_services = {*profile.general, profile.booking}
    info: dict[str, dict[str, str]] = {}
    failed: dict[str, dict[str, str]] = {}
    requests: dict[str, dict[str, None]] = {}
    said_at: dict[tuple[str, str], int] = {}
    failures: list[int] = []
    for number, move in enumerate(conversation.moves):
        for act in move.acts or ():
            types = types_of(act.name)
            if move.speaker != USER:
                failures += [number] if types & (NO_OFFER | NO_BOOK) else []
                continue
            value = act.values[0] if act.values else ""
            if not act.slot or act.service in ignored_services:
                continue
            if types & INFORM and value.lower() not in _ABSENT:
                earlier = info.setdefault(act.service, {}).get(act.slot, value)
                since = said_at.get((act.service, act.slot), number)
                if earlier != value and any(since < each < number for each in failures):
                    failed.setdefault(act.service, {})[act.slot] = earlier
                info[act.service][act.slot] = value
                said_at[act.service, act.slot] = number
            if types & REQUEST:
                requests.setdefault(act.service, {})[act.slot] = None
        for service, slots in (move.requested or {}).items():
            for slot in slots:
                requests.setdefault(service, {})[slot.removeprefix(f"{service}-")] = None
    return {
        service: DomainGoal(
            info=info.get(service, {}), fail_info=failed.get(service, {}), requests=tuple(requests.get(service, ()))
        )
        for service in dict.fromkeys((*info, *requests))
        if info.get(service) or requests.get(service)
    }


def written_goals(goals: Mapping[str, Goal]) -> dict[str, dict[str, dict[str, object]]]:
    """Convert goals, by dialogue, to MultiWOZ's format, which ``--goals`` reads.

    Example:
        >>> written_goals({"d1": {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}})
        {'d1': {'hotel': {'info': {'area': 'east'}, 'reqt': ['phone']}}}
    """
    return {
        dialogue: {
            domain: {
                **{name: dict(part) for name, part in domain_goal.parts.items()},
                **({"reqt": list(domain_goal.requests)} if domain_goal.requests else {}),
            }
            for domain, domain_goal in goal.items()
        }
        for dialogue, goal in goals.items()
    }
