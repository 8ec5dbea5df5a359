"""Goals for dialogues without goals, derived from what their users say and ask for, or from final states.

Such a goal describes what a user did, not what it was instructed to do, so the dialogue itself scores almost perfectly on it. Use it to
score other users on the same goals, or to compare readers of text with acts.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..model import USER, Conversation, DomainGoal, Goal
from .profile import INFORM, NO_BOOK, NO_OFFER, REQUEST, Profile, classifier

_ABSENT = frozenset(["", "none", "not mentioned", "?"])


def derived_goal(talk: Conversation, profile: Profile, final_state: Mapping[str, str] | None = None) -> Goal:
    """Derive the goal of a dialogue. It is empty if the user says and asks for nothing.

    In each service, the last value that the user gives for a slot is a constraint. An earlier value is a failed constraint, if the
    system reported between the two values that it could not find or book anything. If the user has no acts, the constraints come
    from the final state.

    Args:
        talk: a dialogue.
        profile: maps names of acts to their types.
        final_state: ``domain-slot`` → value at the end of the dialogue.

    Example:
        >>> from dialmeter.model import Act, Move
        >>> from dialmeter.users.profile import named
        >>> said = Move("user", acts=(Act("INFORM", "Hotels_1", "city", ("Ely",)), Act("REQUEST", "Hotels_1", "phone")))
        >>> derived_goal(Conversation("d1", (said,)), named("sgd"))
        {'Hotels_1': DomainGoal(info={'city': 'Ely'}, fail_info={}, book={}, fail_book={}, requests=('phone',))}
    """
    if not any(move.acts for move in talk.moves if move.speaker == USER):
        return _from_state(final_state or {})
    types_of = classifier(profile.acts)
    ignored_services = {*profile.general, profile.booking}
    info: dict[str, dict[str, str]] = {}
    failed: dict[str, dict[str, str]] = {}
    requests: dict[str, dict[str, None]] = {}
    said_at: dict[tuple[str, str], int] = {}
    failures: list[int] = []
    for number, move in enumerate(talk.moves):
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


def _from_state(state: Mapping[str, str]) -> Goal:
    constraints: dict[str, dict[str, str]] = {}
    for slot, value in state.items():
        domain, hyphen, name = slot.partition("-")
        if hyphen and value.lower() not in _ABSENT:
            constraints.setdefault(domain, {})[name] = value
    return {domain: DomainGoal(info=info) for domain, info in constraints.items()}


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
