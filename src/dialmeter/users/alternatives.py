"""Conditional goals: a first choice, and a second choice that is wanted only if the first fails.

A domain of a goal has up to two pairs of parts, ``fail_info`` with ``info`` and ``fail_book`` with ``book``. Values of a slot that differ
between the two parts of a pair are alternatives; all other constraints are unconditional.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from .goals import GoalUnits, slot_of
from .prepared_dialogue import PreparedDialogue
from .profile import NO_BOOK
from .system_turn import booked_domain

_PAIRS = (("fail_info", "info"), ("fail_book", "book"))
_UNTESTABLE = re.compile(r"yes|no|\d{1,2}")
"""Values that cannot be found reliably in a text: texts express them in other words, or they are part of other numbers."""


class Alternatives(Struct, frozen=True):
    """The two choices of one pair of parts, in one dialogue.

    Attributes:
        tried: the constraints of the choice that the user tries first.
        other: the constraints of the other choice.
        failed: the first system turn that reports failure of the tried choice; None if no turn does.
        needed: the constraints of the other choice that are wanted.
    """

    tried: tuple[str, ...]
    other: tuple[str, ...]
    failed: int | None
    needed: frozenset[str]

    @property
    def unneeded(self) -> frozenset[str]:
        """The constraints of the other choice that are not wanted."""
        return frozenset(self.other) - self.needed


def split_alternatives(parts: Mapping[str, Sequence[str]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the alternatives of each pair of parts of a goal, with the failing choice first. Pairs without alternatives are skipped.

    Example:
        >>> split_alternatives({"fail_info": ["area=east", "stars=4"], "info": ["area=west", "stars=4", "type=hotel"]})
        [(('area=east',), ('area=west',))]
        >>> split_alternatives({"info": ["area=west"], "book": ["day=monday"], "fail_book": ["day=friday"]})
        [(('day=friday',), ('day=monday',))]
    """
    alternatives = []
    for failing, main in _PAIRS:
        first, second = parts.get(failing, ()), parts.get(main, ())
        slots = {slot_of(each) for each in first}
        given_up = tuple(each for each in first if each not in second)
        instead = tuple(each for each in second if slot_of(each) in slots and each not in first)
        if given_up and instead:
            alternatives.append((given_up, instead))
    return alternatives


def find_alternatives(dialogue: PreparedDialogue, domain: str) -> list[Alternatives]:
    """Find out which choices of a goal were tried in a dialogue, and which of the others are wanted."""
    parts = dialogue.goal_units[domain].parts
    said = dialogue.said.get(domain, {})
    booking = parts.get("fail_book", ())
    return [
        _decide(dialogue, domain, said, given_up, instead, is_booking=set(given_up) <= set(booking))
        for given_up, instead in split_alternatives(parts)
    ]


def absent_choices(units: Mapping[str, GoalUnits], task: str) -> list[list[str]]:
    """Return the failing choices of a goal that the text of the task does not mention, with their domains."""
    return [
        [domain, *sorted(given_up)]
        for domain, each in units.items()
        for given_up, _ in (split_alternatives(each.parts) if task else ())
        if _is_absent(given_up, task)
    ]


def _decide(
    dialogue: PreparedDialogue,
    domain: str,
    said: Mapping[str, list[int]],
    given_up: tuple[str, ...],
    instead: tuple[str, ...],
    *,
    is_booking: bool,
) -> Alternatives:
    first, second = (
        min((said[each][0] for each in units if each in said), default=None) for units in (given_up, instead)
    )
    if _is_absent(given_up, dialogue.task) or (second is not None and (first is None or second < first)):
        tried, other, begun = instead, given_up, second
    else:
        tried, other, begun = given_up, instead, first
    failed = None if begun is None else _failure(dialogue, domain, begun, is_booking=is_booking)
    needed = other if failed is not None else [each for each in other if each in said]
    return Alternatives(tried, other, failed, frozenset(needed))


def _failure(dialogue: PreparedDialogue, domain: str, after: int, *, is_booking: bool) -> int | None:
    """Return the first system turn after a given turn that reports a failed search, or a failed booking, in the domain."""
    for number in range(after + 1, len(dialogue.turns), 2):
        if is_booking:
            if dialogue.turns[number].no_book and _books_here(dialogue, number, domain):
                return number
        elif dialogue.system_turn(number, domain).no_offer:
            return number
    return None


def _books_here(dialogue: PreparedDialogue, number: int, domain: str) -> bool:
    acts = dialogue.turns[number].acts
    if any(types & NO_BOOK for types, _, _ in acts.get(domain, ())):
        return True
    booking = acts.get(dialogue.setup.profile.booking, ())
    return any(types & NO_BOOK for types, _, _ in booking) and booked_domain(dialogue, number) == domain


def _is_absent(units: Sequence[str], task: str) -> bool:
    """Return True if the text of the task mentions none of the constraints; False if this cannot be tested."""
    values = [each.partition("=")[2] for each in units]
    testable = [value for value in values if not _UNTESTABLE.fullmatch(value)]
    return bool(task and testable) and not any(re.search(rf"\b{re.escape(value)}\b", task) for value in testable)


def unneeded_constraints(choices: Sequence[Alternatives]) -> frozenset[str]:
    """Return the constraints of a domain's goal that are not wanted. A constraint that another pair of parts wants is wanted."""
    unneeded = frozenset().union(*(choice.unneeded for choice in choices))
    if len(choices) < 2 or not unneeded:
        return unneeded
    return unneeded - frozenset().union(*(frozenset(choice.tried) | choice.needed for choice in choices))
