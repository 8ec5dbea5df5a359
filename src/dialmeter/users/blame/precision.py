"""Why was something said that the goal does not have, or said again? The first test that finds a cause decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ...model import Act
from ..profile import OWN_CONFIRM, OWN_INTENT
from .cause import Cause, first_cause
from .exchange import FAILURES, Exchange, ExchangeItem, is_reference
from .failures import Database, trace


class Mention(Struct, eq=False):
    """A mention outside the goal."""

    talk: Exchange
    item: ExchangeItem
    turn: int


OutsideTest: TypeAlias = Callable[[Mention], Cause | None]


def value_is_reference(seen: Mention) -> Cause | None:
    """The value refers to another one."""
    what = f"{seen.item.slot}={seen.item.written}"
    return Cause("reference_not_resolved", seen.turn, what=what) if is_reference(seen.item.written) else None


def value_is_domain(seen: Mention) -> Cause | None:
    """The value is the name of the domain."""
    same = seen.item.written == seen.item.domain.lower()
    return Cause("domain_as_value", seen.turn, what=f"{seen.item.slot}={seen.item.written}") if same else None


def choice_misheard(seen: Mention) -> Cause | None:
    """The user chooses after it heard a choice that was not offered."""
    choices = seen.talk.setup.profile.choice_slots
    if seen.item.slot not in choices or seen.turn == 0:
        return None
    moves = seen.talk.talk.moves
    heard, said = moves[seen.turn].understood or (), moves[seen.turn - 1].acts or ()
    offered = any(act.slot.lower() in choices for act in said)
    found = any(act.slot.lower() in choices for act in heard) and not offered
    return Cause("slot_misheard", seen.turn, "system", seen.item.slot) if found else None


def booking_declined(seen: Mention) -> Cause | None:
    """The user declines a booking that was made without its wish, or that it misheard."""
    talk, profile = seen.talk, seen.talk.setup.profile
    if seen.item.slot not in profile.declining_slots or seen.turn == 0:
        return None
    if talk.premature_booking(seen.turn - 1):
        return Cause("reference_without_booking", seen.turn - 1)
    moves = talk.talk.moves

    def of_booking(acts: Sequence[Act] | None) -> bool:
        return any(
            act.service == profile.booking or talk.setup.parts_of(act.name) & (OWN_INTENT | OWN_CONFIRM)
            for act in acts or ()
        )

    if of_booking(moves[seen.turn].understood) and not of_booking(moves[seen.turn - 1].acts):
        return Cause("booking_misheard", seen.turn, "system")
    return None


def domain_misheard(seen: Mention) -> Cause | None:
    """The user heard something of the domain that the system did not say."""
    heard = any(each.domain == seen.item.domain for each in seen.talk.added[seen.turn])
    return Cause("domain_misheard", seen.turn, "system", seen.item.domain) if heard else None


def failure_unheard(seen: Mention) -> Cause | None:
    """The user did not hear that the search or the booking failed."""
    unheard = any(each.kind in FAILURES for each in seen.talk.lost[seen.turn])
    return Cause("failure_unheard", seen.turn, "system") if unheard else None


def outside_goal(seen: Mention) -> Cause | None:
    """Nothing but the user explains it."""
    what = seen.item.unit if seen.item.kind == "tell" else seen.item.slot
    return Cause("outside_goal", seen.turn, what=what)


OUTSIDE_CONSTRAINT_TESTS: tuple[OutsideTest, ...] = (
    value_is_reference,
    value_is_domain,
    choice_misheard,
    booking_declined,
    outside_goal,
)
"""For a constraint that the goal does not have."""

OUTSIDE_REQUEST_TESTS: tuple[OutsideTest, ...] = (domain_misheard, failure_unheard, outside_goal)
"""For a request that the goal does not have."""


class Repeat(Struct, eq=False):
    """Two mentions of an item, one after the other."""

    talk: Exchange
    item: ExchangeItem
    first: int
    again: int
    database: Database | None = None

    @property
    def domain(self) -> str:
        """Of the item."""
        return self.item.domain

    @property
    def replies(self) -> range:
        """The system turns between the two."""
        return range(self.first + 1, self.again, 2)


RepeatTest: TypeAlias = Callable[[Repeat], Cause | None]


def labelled_twice(seen: Repeat) -> Cause | None:
    """It is said twice, and the second turn has the value in another domain, too."""
    item = seen.item
    mentions = [turn for turn, each in seen.talk.mentions(seen.domain, item.slot) if each.value == item.value]
    elsewhere = any(
        each.kind == "tell" and each.domain != seen.domain and each.value == item.value and item.value
        for each in seen.talk.said[seen.again]
    )
    found = len(set(mentions)) == 2 and elsewhere
    return Cause("labelled_twice", seen.again, what=item.unit) if found else None


def booking_unheard(seen: Repeat) -> Cause | None:
    """The system booked in the domain, and the user did not hear it."""
    for turn in seen.replies:
        if any(each.kind == "booked" and each.domain == seen.domain for each in seen.talk.lost[turn + 1]):
            return Cause("booking_unheard", turn + 1, "system")
    return None


def last_failure(seen: Repeat) -> Cause | None:
    """A search or a booking failed, and nothing was told or booked in the domain since."""
    for turn in reversed(seen.replies):
        if seen.talk.fails(turn, seen.domain):
            return trace(seen.talk, seen.domain, turn, seen.database)
        if any(each.domain == seen.domain and each.kind in ("tell", "booked") for each in seen.talk.said[turn]):
            return None
    return None


def constraint_unheard(seen: Repeat) -> Cause | None:
    """The system did not hear the first of the two mentions."""
    reply = seen.first + 1
    unheard = any(each.key == seen.item.key and each.value == seen.item.value for each in seen.talk.lost[reply])
    return Cause("constraint_unheard", reply, "user", seen.item.unit) if unheard else None


def heard_as_choice(seen: Repeat) -> Cause | None:
    """The system told the slot, and the user heard a choice."""
    key = ("tell", seen.domain, seen.item.slot)
    for turn in seen.replies:
        told = [each for each in seen.talk.said[turn] if each.key == key and not _selects(each)]
        heard = [each for each in seen.talk.heard[turn + 1] or () if each.key == key and _selects(each)]
        if told and heard:
            return Cause("heard_as_choice", turn + 1, "system", seen.item.slot)
    return None


def reply_misheard(seen: Repeat) -> Cause | None:
    """The user heard another value of the slot, or did not hear what the system told of the domain, its entity or the slot."""
    talk, domain = seen.talk, seen.domain
    entities = talk.setup.traits(domain).entity_slots
    for turn in seen.replies:
        told = talk.tells(turn, domain)
        lost = [each for each in told if each in talk.lost[turn + 1]]
        if any(each.key == ("tell", domain, seen.item.slot) for each in talk.added[turn + 1]):
            return Cause("slot_misheard", turn + 1, "system", seen.item.slot)
        if lost and (len(lost) == len(told) or any(each.slot in (*entities, seen.item.slot) for each in lost)):
            return Cause("answer_unheard", turn + 1, "system", lost[0].slot)
    return None


def _selects(item: ExchangeItem) -> bool:
    return "select" in item.act.lower()


def no_reaction(seen: Repeat) -> Cause | None:
    """No reply between speaks of the domain."""
    if any(seen.talk.speaks_of(turn, seen.domain) for turn in seen.replies):
        return None
    return Cause("no_reaction", seen.first + 1)


def question_misheard(seen: Repeat) -> Cause | None:
    """The user heard a question of the domain that was not asked."""
    for turn in seen.replies:
        if any(each.kind == "ask" and each.domain == seen.domain for each in seen.talk.added[turn + 1]):
            return Cause("question_misheard", turn + 1, "system")
    return None


def repeated(seen: Repeat) -> Cause | None:
    """Nothing but the user explains it."""
    return Cause("repeated", seen.again, what=seen.item.unit)


REPEATED_CONSTRAINT_TESTS: tuple[RepeatTest, ...] = (
    labelled_twice,
    booking_unheard,
    last_failure,
    constraint_unheard,
    heard_as_choice,
    reply_misheard,
    no_reaction,
    question_misheard,
    repeated,
)
"""For a constraint of the goal that is said again."""


def request_unheard(seen: Repeat) -> Cause | None:
    """The system did not hear the first request."""
    reply = seen.first + 1
    unheard = any(each.key == seen.item.key for each in seen.talk.lost[reply])
    return Cause("request_unheard", reply, "user", seen.item.slot) if unheard else None


def _answers(seen: Repeat) -> Iterator[tuple[int, ExchangeItem]]:
    for turn in seen.replies:
        for each in seen.talk.answers(turn, seen.domain, seen.item.slot):
            yield turn, each


def no_answer(seen: Repeat) -> Cause | None:
    """The system answers, with placeholders only."""
    answers = list(_answers(seen))
    if answers and all(each.is_placeholder for _, each in answers):
        return Cause("no_answer", answers[0][0], what=f"{seen.item.slot}={answers[0][1].written}")
    return None


def answer_unheard(seen: Repeat) -> Cause | None:
    """The system answers, and the user does not hear it."""
    for turn, each in _answers(seen):
        if each in seen.talk.lost[turn + 1]:
            return Cause("answer_unheard", turn + 1, "system", seen.item.slot)
    return None


def new_search(seen: Repeat) -> Cause | None:
    """The system has answered, but since then the user has searched again, or another entity was named."""
    answered = next((turn for turn, _ in _answers(seen)), None)
    if answered is None:
        return None
    talk, domain = seen.talk, seen.domain
    for turn in range(answered + 1, seen.again + 1, 2):
        told = talk.tells(turn, domain)
        if told:
            before = [
                at for at, each in talk.mentions(domain, told[0].slot) if at < turn and each.value == told[0].value
            ]
            if before:
                return repeat_cause(Repeat(talk, told[0], before[-1], turn, seen.database))
            return Cause("new_search", seen.again)
    entities = talk.setup.traits(domain).entity_slots
    names = {
        turn: each.value
        for turn in range(1, seen.again, 2)
        for each in talk.tells(turn, domain)
        if each.slot in entities
    }
    before_names = [name for turn, name in names.items() if turn <= answered]
    later = [name for turn, name in names.items() if turn > answered]
    if before_names and later and later[-1] != before_names[-1]:
        return Cause("new_search", seen.again)
    return None


def asked_after_answer(seen: Repeat) -> Cause | None:
    """The system has answered, and the user heard it."""
    return Cause("asked_after_answer", seen.again, what=seen.item.slot) if any(_answers(seen)) else None


def question_unanswered(seen: Repeat) -> Cause | None:
    """The system asks something in the domain, and the user does not answer."""
    for turn in seen.replies:
        for each in seen.talk.said[turn]:
            if each.kind == "ask" and each.domain == seen.domain and each not in seen.talk.lost[turn + 1]:
                if not seen.talk.tells(turn + 1, seen.domain, each.slot):
                    return Cause("asked_instead_of_answering", turn + 1, what=each.slot)
                break
    return None


def never_answered(seen: Repeat) -> Cause | None:
    """The system does not answer."""
    return Cause("no_reaction", seen.first + 1, what=seen.item.slot)


REPEATED_REQUEST_TESTS: tuple[RepeatTest, ...] = (
    request_unheard,
    no_answer,
    answer_unheard,
    new_search,
    asked_after_answer,
    last_failure,
    question_unanswered,
    never_answered,
)
"""For a request that is made again."""


def repeat_cause(seen: Repeat) -> Cause:
    """Why an item is said or asked for again."""
    return first_cause(REPEATED_REQUEST_TESTS if seen.item.kind == "ask" else REPEATED_CONSTRAINT_TESTS, seen)
