"""Named behaviours and events: what each is called, where it belongs, whose it is, and how it is found.

Each behaviour is one small function. Those of a family are tried in the order of the table; all that hold are logged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ..events import Family
from . import not_in_goal, repeating, requesting

Owner: TypeAlias = Literal["system", "user", "log"]


class Behaviour(Struct, frozen=True):
    """A class of events.

    Attributes:
        name: as in the output.
        family: where it belongs.
        owner: who causes it; ``log`` where nobody is to blame for it by itself.
        about: what it means, in one sentence.
        holds: the test, where the class has one of its own.
    """

    name: str
    family: Family
    owner: Owner
    about: str
    holds: Callable[[Any], bool] | None = None


def _tested(family: Family, owner: Owner, *tests: Callable[[Any], bool]) -> tuple[Behaviour, ...]:
    return tuple(
        Behaviour(test.__name__, family, owner, (test.__doc__ or "").strip().partition("\n")[0], test) for test in tests
    )


REPEATED_BY_SYSTEM = _tested(
    "repetition",
    "system",
    repeating.elicited_by_sys_question,
    repeating.elicited_by_booking_failure,
    repeating.elicited_by_no_offers,
    repeating.failed_sys_nlu,
)
REPEATED_BY_USER = _tested(
    "repetition",
    "user",
    repeating.confirmed_choice_params,
    repeating.repeated_while_requesting_info,
    repeating.repeated_while_booking,
    repeating.repeated_when_answering_request,
    repeating.switched_between_domains,
)
REPETITION_LOGS = _tested(
    "repetition", "log", repeating.nobook_validation_failure, repeating.nooffer_validation_failure
)
OUTSIDE_GOAL = _tested(
    "not_in_goal",
    "system",
    not_in_goal.elicited_by_sys_question,
    not_in_goal.elicited_by_sys_offer,
    not_in_goal.elicited_by_booking_failure,
    not_in_goal.elicited_by_booking_acceptance,
    not_in_goal.elicited_by_recommendation,
)
REQUESTED_AGAIN = (
    *_tested("request", "log", requesting.spurious_annotation),
    *_tested("request", "system", requesting.system_req_nlu_failure),
    *_tested("request", "user", requesting.repeated_despite_receiving_answer, requesting.user_prempted_request),
    *_tested("request", "system", requesting.delayed_response),
)

_PLAIN: tuple[tuple[str, Family, Owner, str], ...] = (
    ("unmatched", "repetition", "user", "A constraint is said again and nothing explains why."),
    ("repeated_inform", "repetition", "log", "A constraint is said at more than one turn."),
    ("repetitions_warning", "repetition", "log", "A constraint is said at very many turns."),
    ("first_turn", "not_in_goal", "user", "A constraint outside the goal is said at the first turn."),
    ("unmatched", "not_in_goal", "user", "A constraint outside the goal is said and nothing explains why."),
    ("auto_matched_value", "not_in_goal", "log", "A value that is fine for any slot is said."),
    ("auto_matched_slot", "not_in_goal", "log", "A slot that is fine in this domain is said."),
    ("auto_matched_slot_value_pair", "not_in_goal", "log", "A pair of slot and value that is fine is said."),
    ("wrong_taxi_annotations", "not_in_goal", "log", "An entity is named while a taxi is talked of."),
    ("single_repetitions_nog", "goal", "user", "A slot of the goal is said once, with a value that is not wanted."),
    ("missed_domain", "goal", "user", "Nothing is said in a domain of the goal."),
    ("missed_constraints", "goal", "user", "A wanted constraint is never said."),
    ("informed_wrong_value", "goal", "user", "A wanted constraint is never said, but another value of its slot is."),
    ("sys_preempted_constraint", "goal", "system", "The system says a wanted constraint that the user does not."),
    ("failed_dialogue", "goal", "log", "The search ends without an entity while constraints are missing."),
    ("informed_domains_outside_goals", "goal", "user", "A constraint is said in a domain that is not in the goal."),
    ("provision_entire_domain", "request", "system", "The system gives what no request of the domain asked for."),
    ("provision_slots", "request", "system", "The system gives a wanted slot before it is asked for."),
    ("auto_ref", "request", "log", "A reference number is asked for where the goal books."),
    ("multiple_req", "request", "log", "A slot is asked for at more than one turn."),
    ("repetitions_warning", "request", "log", "A slot is asked for at very many turns."),
    ("requests_not_in_goal", "request", "user", "Slots are asked for in a domain where none is wanted."),
    ("requested_domains_outside_goals", "request", "user", "Slots are asked for in a domain that is not in the goal."),
)

ALL: tuple[Behaviour, ...] = (
    *REPEATED_BY_SYSTEM,
    *REPEATED_BY_USER,
    *REPETITION_LOGS,
    *OUTSIDE_GOAL,
    *REQUESTED_AGAIN,
    *(Behaviour(*each) for each in _PLAIN),
)
"""Every class of events that dialmeter finds."""


def names() -> list[str]:
    """The names of all classes, each once.

    Example:
        >>> "unmatched" in names(), len(names()) == len(set(names()))
        (True, True)
    """
    return list(dict.fromkeys(each.name for each in ALL))
