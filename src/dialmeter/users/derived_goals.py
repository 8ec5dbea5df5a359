"""Goals for dialogues that have none, from what their users say and ask for, or from final states.

Such a goal is what a user did, not what it was told to do: the dialogue that it comes from loses next to nothing against it. It serves to
score other users on the same goals, and readers of text against acts.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..model import USER, Conversation, DomainGoal, Goal
from .profile import INFORM, NO_BOOK, NO_OFFER, REQUEST, Profile, classifier

_ABSENT = frozenset(["", "none", "not mentioned", "?"])


def derived_goal(talk: Conversation, profile: Profile, final_state: Mapping[str, str] | None = None) -> Goal:
    """The goal of a dialogue; empty if its user says and asks for nothing.

    By service, the last value that the user tells of a slot is a constraint; an earlier value is one that failed, if the system has
    found or booked nothing since. Where the dialogue has no acts of the user, the final state holds the constraints.

    Args:
        talk: a dialogue.
        profile: names the acts.
        final_state: ``domain-slot`` → value at the end.

    Example:
        >>> from dialmeter.model import Act, Move
        >>> from dialmeter.users.profile import named
        >>> said = Move("user", acts=(Act("INFORM", "Hotels_1", "city", ("Ely",)), Act("REQUEST", "Hotels_1", "phone")))
        >>> derived_goal(Conversation("d1", (said,)), named("sgd"))
        {'Hotels_1': DomainGoal(info={'city': 'Ely'}, fail_info={}, book={}, fail_book={}, requests=('phone',))}
    """
    if not any(move.acts for move in talk.moves if move.speaker == USER):
        return _from_state(final_state or {})
    parts_of = classifier(profile.acts)
    outside = {*profile.general, profile.booking}
    info: dict[str, dict[str, str]] = {}
    failed: dict[str, dict[str, str]] = {}
    requests: dict[str, dict[str, None]] = {}
    said_at: dict[tuple[str, str], int] = {}
    failures: list[int] = []
    for number, move in enumerate(talk.moves):
        for act in move.acts or ():
            parts = parts_of(act.name)
            if move.speaker != USER:
                failures += [number] if parts & (NO_OFFER | NO_BOOK) else []
                continue
            value = act.values[0] if act.values else ""
            if not act.slot or act.service in outside:
                continue
            if parts & INFORM and value.lower() not in _ABSENT:
                before = info.setdefault(act.service, {}).get(act.slot, value)
                since = said_at.get((act.service, act.slot), number)
                if before != value and any(since < each < number for each in failures):
                    failed.setdefault(act.service, {})[act.slot] = before
                info[act.service][act.slot] = value
                said_at[act.service, act.slot] = number
            if parts & REQUEST:
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
    found: dict[str, dict[str, str]] = {}
    for slot, value in state.items():
        domain, hyphen, name = slot.partition("-")
        if hyphen and value.lower() not in _ABSENT:
            found.setdefault(domain, {})[name] = value
    return {domain: DomainGoal(info=info) for domain, info in found.items()}


def written_goals(goals: Mapping[str, Goal]) -> dict[str, dict[str, dict[str, object]]]:
    """Goals by dialogue in MultiWOZ's format, which ``--goals`` reads.

    Example:
        >>> written_goals({"d1": {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}})
        {'d1': {'hotel': {'info': {'area': 'east'}, 'reqt': ['phone']}}}
    """
    return {
        dialogue: {
            domain: {
                **{name: dict(part) for name, part in wanted.parts.items()},
                **({"reqt": list(wanted.requests)} if wanted.requests else {}),
            }
            for domain, wanted in goal.items()
        }
        for dialogue, goal in goals.items()
    }
