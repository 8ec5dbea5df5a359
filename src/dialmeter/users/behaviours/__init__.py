"""The classes of events: those that a test finds, one module per family, and those that counting finds, below.

To add one that a test finds, write a function with :func:`~dialmeter.users.events.behaviour` into the module of its family.
All tests of a family that hold are reported, in the order of their declarations.
"""

from __future__ import annotations

from importlib import import_module

from ..events import ALL, Behaviour, declare

__all__ = ["ALL", "names"]

# The order of lists: a constraint of the goal said again, one outside the goal, a request made again.
for _module in ("repeating", "not_in_goal", "requesting"):
    import_module(f"{__name__}.{_module}")

for _declaration in (
    Behaviour("unmatched", "repetition", "user", "A constraint is said again and nothing explains why."),
    Behaviour("repeated_inform", "repetition", "log", "A constraint is said at more than one turn."),
    Behaviour("repetitions_warning", "repetition", "log", "A constraint is said at very many turns."),
    Behaviour("first_turn", "not_in_goal", "user", "A constraint outside the goal is said at the first turn."),
    Behaviour("unmatched", "not_in_goal", "user", "A constraint outside the goal is said and nothing explains why."),
    Behaviour("auto_matched_value", "not_in_goal", "log", "A value that is fine for any slot is said."),
    Behaviour("auto_matched_slot", "not_in_goal", "log", "A slot that is fine in this domain is said."),
    Behaviour("auto_matched_slot_value_pair", "not_in_goal", "log", "A pair of slot and value that is fine is said."),
    Behaviour("wrong_taxi_annotations", "not_in_goal", "log", "An entity is named while a taxi is talked of."),
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
        "A wanted constraint is never said, but another value of its slot is.",
    ),
    Behaviour(
        "sys_preempted_constraint", "goal", "system", "The system says a wanted constraint that the user does not."
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
        "provision_entire_domain", "request", "system", "The system gives what no request of the domain asked for."
    ),
    Behaviour("provision_slots", "request", "system", "The system gives a wanted slot before it is asked for."),
    Behaviour("auto_ref", "request", "log", "A reference number is asked for where the goal books."),
    Behaviour("multiple_req", "request", "log", "A slot is asked for at more than one turn."),
    Behaviour("repetitions_warning", "request", "log", "A slot is asked for at very many turns."),
    Behaviour("requests_not_in_goal", "request", "user", "Slots are asked for in a domain where none is wanted."),
    Behaviour(
        "requested_domains_outside_goals", "request", "user", "Slots are asked for in a domain that is not in the goal."
    ),
    Behaviour(
        "missed", "text", "user", "A value is not conveyed, though asked for or needed for a call that was not made."
    ),
    Behaviour(
        "invented", "text", "user", "A value that neither instruction nor agent named, or an unstated lack of an id."
    ),
    Behaviour(
        "wrong", "text", "user", "Another value than the instruction gives, or denies having an id that it gives."
    ),
    Behaviour("leak", "text", "user", "What the instruction forbids to say is said before the agent says it."),
    Behaviour("early_stop", "text", "user", "The user ends the dialogue with a value missed and its call not made."),
    Behaviour("stuck", "text", "user", "The user repeats an earlier message."),
    Behaviour("volunteered", "text", "user", "A value is said unasked that may be said only if asked."),
):
    declare(_declaration)


def names() -> list[str]:
    """The names of all classes, each once.

    Example:
        >>> "unmatched" in names(), len(names()) == len(set(names()))
        (True, True)
    """
    return list(dict.fromkeys(each.name for each in ALL))
