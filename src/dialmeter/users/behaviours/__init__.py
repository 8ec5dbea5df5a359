"""The classes of events. Classes that a test finds have one module per family; classes that counting finds are declared below.

To add a class with a test, add a function with the decorator :func:`~dialmeter.users.events.behaviour` to the module of its
family. All tests of a family that match are reported, in the order of their declarations.
"""

from __future__ import annotations

from importlib import import_module

from ..events import ALL, Behaviour, declare

__all__ = ["ALL", "names"]

# The order of lists: repeated constraints of the goal, constraints outside the goal, repeated requests.
for _module in ("repeating", "not_in_goal", "requesting"):
    import_module(f"{__name__}.{_module}")

for _declaration in (
    Behaviour("unmatched", "repetition", "user", "A constraint is repeated and nothing explains why."),
    Behaviour("repeated_inform", "repetition", "log", "A constraint is said in more than one turn."),
    Behaviour("repetitions_warning", "repetition", "log", "A constraint is said in very many turns."),
    Behaviour("first_turn", "not_in_goal", "user", "A constraint outside the goal is said in the first turn."),
    Behaviour("unmatched", "not_in_goal", "user", "A constraint outside the goal is said and nothing explains why."),
    Behaviour("auto_matched_value", "not_in_goal", "log", "A value is said that is allowed for any slot."),
    Behaviour("auto_matched_slot", "not_in_goal", "log", "A slot is said that is always allowed in this domain."),
    Behaviour(
        "auto_matched_slot_value_pair", "not_in_goal", "log", "A pair of slot and value is said that is always allowed."
    ),
    Behaviour("wrong_taxi_annotations", "not_in_goal", "log", "An entity is named in a turn about a taxi."),
    Behaviour(
        "single_repetitions_nog",
        "goal",
        "user",
        "A slot of the goal is said once, with a value that is not wanted.",
    ),
    Behaviour("missed_domain", "goal", "user", "Nothing is said in a domain of the goal."),
    Behaviour("missed_constraints", "goal", "user", "A wanted constraint is never said."),
    Behaviour(
        "informed_wrong_value",
        "goal",
        "user",
        "A wanted constraint is never said, but another value of its slot is said.",
    ),
    Behaviour(
        "sys_preempted_constraint", "goal", "system", "The system says a wanted constraint that the user does not say."
    ),
    Behaviour(
        "alternative_not_needed",
        "goal",
        "log",
        "A second choice of the goal is not wanted, because the first did not fail.",
    ),
    Behaviour("failed_dialogue", "goal", "log", "The search ends without an entity while constraints are missing."),
    Behaviour(
        "informed_domains_outside_goals", "goal", "user", "A constraint is said in a domain that is not in the goal."
    ),
    Behaviour(
        "provision_entire_domain",
        "request",
        "system",
        "The system gives a wanted slot, and the user requests nothing in the domain.",
    ),
    Behaviour("provision_slots", "request", "system", "The system gives a wanted slot that the user does not request."),
    Behaviour(
        "auto_ref", "request", "log", "A reference number is requested in a domain in which the goal has a booking."
    ),
    Behaviour("multiple_req", "request", "log", "A slot is requested in more than one turn."),
    Behaviour("repetitions_warning", "request", "log", "A slot is requested in very many turns."),
    Behaviour("requests_not_in_goal", "request", "user", "Slots are requested in a domain in which no slot is wanted."),
    Behaviour(
        "requested_domains_outside_goals", "request", "user", "Slots are requested in a domain that is not in the goal."
    ),
    Behaviour(
        "missed",
        "text",
        "user",
        "A value is not conveyed, although it was requested or was needed for a call that was not made.",
    ),
    Behaviour(
        "invented",
        "text",
        "user",
        "A value that is neither in the instruction nor from the agent, or a claim not to have an id that the instruction does not state.",
    ),
    Behaviour(
        "wrong",
        "text",
        "user",
        "A value that differs from the instruction, or a claim not to have an id that the instruction gives.",
    ),
    Behaviour(
        "leak", "text", "user", "The user says something that the instruction forbids, before the agent says it."
    ),
    Behaviour(
        "early_stop", "text", "user", "The user ends the dialogue although a value is missed and its call was not made."
    ),
    Behaviour("stuck", "text", "user", "The user repeats an earlier message."),
    Behaviour(
        "volunteered",
        "text",
        "user",
        "The user says a value without a question, although the instruction allows it only if asked.",
    ),
):
    declare(_declaration)


def names() -> list[str]:
    """Return the names of all classes, each once.

    Example:
        >>> "unmatched" in names(), len(names()) == len(set(names()))
        (True, True)
    """
    return list(dict.fromkeys(each.name for each in ALL))
