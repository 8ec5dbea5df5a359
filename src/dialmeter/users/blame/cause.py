"""A cause of a lost point: the party, the turn of the evidence, and the test that decided it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct

Party: TypeAlias = Literal["user", "system", "understanding", "goal", "label", "not needed", "unknown"]
PARTIES: tuple[Party, ...] = get_args(Party)
Seen = TypeVar("Seen")

REASONS: dict[str, tuple[Party, str]] = {
    "second_choice": ("not needed", "a second choice of the goal, and the first did not fail"),
    "not_labelled": ("label", "the user says it in words, and no act says it"),
    "reference_not_resolved": ("label", "the value refers to another one, and was not resolved"),
    "domain_as_value": ("label", "the value is the name of the domain"),
    "labelled_twice": ("label", "the same value is labelled in another domain of the turn, too"),
    "question_ignored": ("user", "the system asks for it and the user never answers"),
    "wrong_value": ("user", "the user says another value, which the goal does not have"),
    "outside_goal": ("user", "the user says or asks for what its goal does not have"),
    "repeated": ("user", "the user says it again without a cause"),
    "asked_after_answer": ("user", "the user asks again though it heard the answer"),
    "asked_instead_of_answering": ("user", "the user asks again instead of answering the system's question"),
    "stopped": ("user", "the user stops by itself"),
    "searched_outside_goal": ("user", "the search fails with a value that the goal does not have"),
    "searched_with_less": ("user", "a booking fails for what the user found with less than its goal says"),
    "reference_without_booking": ("system", "the system gives a reference number without a booking"),
    "no_answer": ("system", "the system answers with a placeholder"),
    "no_reaction": ("system", "the system does not react to what the user says"),
    "searched_without_cause": ("system", "the system says that nothing fits though the database has a match"),
    "value_misheard": ("understanding", "the system searches with a value that it heard and nobody said"),
    "change_unheard": ("understanding", "the system did not hear the new value"),
    "reference_taken_literally": ("understanding", "the system takes a reference for a value"),
    "request_unheard": ("understanding", "the system did not hear the request"),
    "constraint_unheard": ("understanding", "the system did not hear what the user said, and does not react"),
    "booking_misheard": ("understanding", "the user heard of a booking that was not made"),
    "booking_unheard": ("understanding", "the user did not hear that the booking was made"),
    "answer_misheard": ("understanding", "the user heard an answer that was not given"),
    "answer_unheard": ("understanding", "the user did not hear the answer"),
    "heard_as_choice": ("understanding", "the user heard a choice where the system told a fact"),
    "question_misheard": ("understanding", "the user heard a question that was not asked"),
    "slot_misheard": ("understanding", "the user heard the slot, and the system did not say it"),
    "domain_misheard": ("understanding", "the user heard of the domain, and the system did not speak of it"),
    "failure_unheard": ("understanding", "the user did not hear that the search or the booking failed"),
    "impossible": ("goal", "nothing in the database meets the goal"),
    "nothing_found": ("goal", "the system finds nothing for all that the goal says"),
    "new_search": ("not needed", "the user asks again after a new search"),
    "turn_limit": ("unknown", "the dialogue was cut at its limit of turns"),
    "file_ends": ("unknown", "the dialogue ends in the middle"),
    "failure_unexplained": ("unknown", "a search or a booking fails, and nothing shows why"),
}
"""Every reason: the party that it blames, and what it means."""


class Cause(Struct, frozen=True):
    """Why a point was lost.

    Attributes:
        why: the reason, one of ``REASONS``.
        turn: of the evidence; None where there is none.
        of: whose words were not understood, where that is the reason.
        what: the slot and value of the evidence.
    """

    why: str
    turn: int | None
    of: Literal["user", "system", ""] = ""
    what: str = ""

    @property
    def party(self) -> Party:
        """Who is to blame.

        Example:
            >>> Cause("stopped", 4).party
            'user'
        """
        return REASONS[self.why][0]


def first_cause(tests: Sequence[Callable[[Seen], Cause | None]], seen: Seen) -> Cause:
    """The cause that the first test finds; the last test of every list always finds one."""
    return next(cause for test in tests if (cause := test(seen)) is not None)


def most_frequent(causes: Sequence[Cause]) -> Cause:
    """Of the most frequent party and listener, the first; on a tie, the party that was first.

    Example:
        >>> most_frequent([Cause("repeated", 2), Cause("no_reaction", 5), Cause("repeated", 8)]).turn
        2
    """
    votes = Counter((each.party, each.of) for each in causes)
    best = max(votes, key=lambda each: votes[each])
    return next(each for each in causes if (each.party, each.of) == best)
