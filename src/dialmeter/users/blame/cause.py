"""Causes of lost points: the party, the turn of the evidence, and the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct

Party: TypeAlias = Literal[
    "user", "system", "user misheard system", "system misheard user", "goal", "label", "not needed", "unknown"
]
PARTIES: tuple[Party, ...] = get_args(Party)
Case = TypeVar("Case")

REASONS: dict[str, tuple[Party, str]] = {
    "second_choice": ("not needed", "it is a second choice of the goal, and the first choice did not fail"),
    "not_labelled": ("label", "the user says it in the text, but no act has it"),
    "reference_not_resolved": ("label", "the value refers to another value, and was not resolved"),
    "domain_as_value": ("label", "the value is the name of the domain"),
    "labelled_twice": ("label", "the same value is labelled in another domain of the turn, too"),
    "question_ignored": ("user", "the system asks for it, and the user never answers"),
    "wrong_value": ("user", "the user says another value, which is not in the goal"),
    "outside_goal": ("user", "the user says or asks for something that is not in its goal"),
    "repeated": ("user", "the user repeats it without a reason"),
    "asked_after_answer": ("user", "the user asks again although it heard the answer"),
    "asked_instead_of_answering": ("user", "the user asks again instead of answering the system's question"),
    "stopped": ("user", "the user stops by itself"),
    "searched_outside_goal": ("user", "the search fails with a value that is not in the goal"),
    "searched_with_less": (
        "user",
        "a booking fails because the user searched with fewer constraints than its goal has",
    ),
    "reference_without_booking": ("system", "the system gives a reference number without a booking"),
    "no_answer": ("system", "the system answers with a placeholder"),
    "no_reaction": ("system", "the system does not react to what the user says"),
    "searched_without_cause": ("system", "the system reports a failure although the database has a match"),
    "value_misheard": ("system misheard user", "the system searches with a value that it heard but nobody said"),
    "change_unheard": ("system misheard user", "the system did not hear the new value"),
    "reference_taken_literally": ("system misheard user", "the system uses a reference to another value as a value"),
    "request_unheard": ("system misheard user", "the system did not hear the request"),
    "constraint_unheard": ("system misheard user", "the system did not hear what the user said, and does not react"),
    "booking_misheard": ("user misheard system", "the user heard about a booking that was not made"),
    "booking_unheard": ("user misheard system", "the user did not hear that the booking was made"),
    "answer_misheard": ("user misheard system", "the user heard an answer that was not given"),
    "answer_unheard": ("user misheard system", "the user did not hear the answer"),
    "heard_as_choice": ("user misheard system", "the user heard a choice, but the system stated a fact"),
    "question_misheard": ("user misheard system", "the user heard a question that was not asked"),
    "slot_misheard": ("user misheard system", "the user heard the slot, but the system did not say it"),
    "domain_misheard": ("user misheard system", "the user heard about the domain, but the system did not mention it"),
    "failure_unheard": ("user misheard system", "the user did not hear that the search or the booking failed"),
    "impossible": ("goal", "nothing in the database meets the goal"),
    "nothing_found": ("goal", "the system finds nothing that meets all constraints of the goal"),
    "new_search": ("not needed", "the user asks again after a new search"),
    "turn_limit": ("unknown", "the dialogue was cut at the turn limit"),
    "file_ends": ("unknown", "the dialogue ends in the middle"),
    "failure_unexplained": ("unknown", "a search or a booking fails for an unknown reason"),
}
"""Reason → the party that it blames, and its meaning."""


class Cause(Struct, frozen=True):
    """The cause of a lost point.

    Attributes:
        why: the reason, one of ``REASONS``.
        turn: the turn of the evidence; None if there is none.
        detail: the slot and value of the evidence.
    """

    why: str
    turn: int | None
    detail: str = ""

    @property
    def party(self) -> Party:
        """The party to blame.

        Example:
            >>> Cause("stopped", 4).party, Cause("booking_unheard", 4).party
            ('user', 'user misheard system')
        """
        return REASONS[self.why][0]


def first_cause(tests: Sequence[Callable[[Case], Cause | None]], case: Case) -> Cause:
    """Return the cause that the first test finds. The last test of every list always finds one."""
    return next(cause for test in tests if (cause := test(case)) is not None)


def most_frequent(causes: Sequence[Cause]) -> Cause:
    """Return the first cause with the most frequent party. On a tie, the earlier one wins.

    Example:
        >>> most_frequent([Cause("repeated", 2), Cause("no_reaction", 5), Cause("repeated", 8)]).turn
        2
    """
    votes = Counter(each.party for each in causes)
    best = max(votes, key=lambda each: votes[each])
    return next(each for each in causes if each.party == best)
