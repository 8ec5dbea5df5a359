"""Causes of unwanted and repeated units. The first test that finds a cause decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ...model import Act
from ..profile import OWN_CONFIRM, OWN_INTENT
from .exchange import FAILURES, Cause, Exchange, ExchangeItem, first_cause, is_reference
from .failures import Database, trace


class Mention(Struct, eq=False):
    """A mention outside the goal."""

    exchange: Exchange
    item: ExchangeItem
    turn: int


OutsideTest: TypeAlias = Callable[[Mention], Cause | None]


def value_is_reference(mention: Mention) -> Cause | None:
    """The value refers to another value."""
    detail = f"{mention.item.slot}={mention.item.written}"
    return Cause("reference_not_resolved", mention.turn, detail=detail) if is_reference(mention.item.written) else None


def value_is_domain(mention: Mention) -> Cause | None:
    """The value is the name of the domain."""
    is_domain = mention.item.written == mention.item.domain.lower()
    return (
        Cause("domain_as_value", mention.turn, detail=f"{mention.item.slot}={mention.item.written}")
        if is_domain
        else None
    )


def choice_misheard(mention: Mention) -> Cause | None:
    """The user makes a choice because it heard a choice that was not offered."""
    choices = mention.exchange.setup.profile.choice_slots
    if mention.item.slot not in choices or mention.turn == 0:
        return None
    moves = mention.exchange.talk.moves
    heard, said = moves[mention.turn].understood or (), moves[mention.turn - 1].acts or ()
    offered = any(act.slot.lower() in choices for act in said)
    misheard = any(act.slot.lower() in choices for act in heard) and not offered
    return Cause("slot_misheard", mention.turn, detail=mention.item.slot) if misheard else None


def booking_declined(mention: Mention) -> Cause | None:
    """The user declines a booking that the system made without a request, or that the user misheard."""
    exchange, profile = mention.exchange, mention.exchange.setup.profile
    if mention.item.slot not in profile.declining_slots or mention.turn == 0:
        return None
    if exchange.premature_booking(mention.turn - 1):
        return Cause("reference_without_booking", mention.turn - 1)
    moves = exchange.talk.moves

    def has_booking(acts: Sequence[Act] | None) -> bool:
        return any(
            act.service == profile.booking or exchange.setup.types_of(act.name) & (OWN_INTENT | OWN_CONFIRM)
            for act in acts or ()
        )

    if has_booking(moves[mention.turn].understood) and not has_booking(moves[mention.turn - 1].acts):
        return Cause("booking_misheard", mention.turn)
    return None


def domain_misheard(mention: Mention) -> Cause | None:
    """The user heard something about the domain that the system did not say."""
    heard = any(each.domain == mention.item.domain for each in mention.exchange.added[mention.turn])
    return Cause("domain_misheard", mention.turn, detail=mention.item.domain) if heard else None


def failure_unheard(mention: Mention) -> Cause | None:
    """The user did not hear that the search or the booking failed."""
    unheard = any(each.kind in FAILURES for each in mention.exchange.lost[mention.turn])
    return Cause("failure_unheard", mention.turn) if unheard else None


def outside_goal(mention: Mention) -> Cause | None:
    """Nothing else explains it, so the user is the cause."""
    detail = mention.item.unit if mention.item.kind == "tell" else mention.item.slot
    return Cause("outside_goal", mention.turn, detail=detail)


OUTSIDE_CONSTRAINT_TESTS: tuple[OutsideTest, ...] = (
    value_is_reference,
    value_is_domain,
    choice_misheard,
    booking_declined,
    outside_goal,
)
"""Tests for a constraint that is not in the goal."""

OUTSIDE_REQUEST_TESTS: tuple[OutsideTest, ...] = (domain_misheard, failure_unheard, outside_goal)
"""Tests for a request that is not in the goal."""


class Repeat(Struct, eq=False):
    """Two successive mentions of an item."""

    exchange: Exchange
    item: ExchangeItem
    first: int
    again: int
    database: Database | None = None

    @property
    def domain(self) -> str:
        """The domain of the item."""
        return self.item.domain

    @property
    def replies(self) -> range:
        """The system turns between the two mentions."""
        return range(self.first + 1, self.again, 2)


RepeatTest: TypeAlias = Callable[[Repeat], Cause | None]


def labelled_twice(repeat: Repeat) -> Cause | None:
    """The value has two mentions, and the second turn has it in another domain, too."""
    item = repeat.item
    mentions = [turn for turn, each in repeat.exchange.mentions(repeat.domain, item.slot) if each.value == item.value]
    in_other_domain = any(
        each.kind == "tell" and each.domain != repeat.domain and each.value == item.value and item.value
        for each in repeat.exchange.said[repeat.again]
    )
    is_label_error = len(set(mentions)) == 2 and in_other_domain
    return Cause("labelled_twice", repeat.again, detail=item.unit) if is_label_error else None


def booking_unheard(repeat: Repeat) -> Cause | None:
    """The system booked in the domain, and the user did not hear it."""
    for turn in repeat.replies:
        if any(each.kind == "booked" and each.domain == repeat.domain for each in repeat.exchange.lost[turn + 1]):
            return Cause("booking_unheard", turn + 1)
    return None


def last_failure(repeat: Repeat) -> Cause | None:
    """A search or a booking failed, and since then the system has not told or booked anything in the domain."""
    for turn in reversed(repeat.replies):
        if repeat.exchange.fails(turn, repeat.domain):
            return trace(repeat.exchange, repeat.domain, turn, repeat.database)
        if any(each.domain == repeat.domain and each.kind in ("tell", "booked") for each in repeat.exchange.said[turn]):
            return None
    return None


def constraint_unheard(repeat: Repeat) -> Cause | None:
    """The system did not hear the first of the two mentions."""
    reply = repeat.first + 1
    unheard = any(
        each.key == repeat.item.key and each.value == repeat.item.value for each in repeat.exchange.lost[reply]
    )
    return Cause("constraint_unheard", reply, detail=repeat.item.unit) if unheard else None


def heard_as_choice(repeat: Repeat) -> Cause | None:
    """The system told the slot, and the user heard a choice."""
    key = ("tell", repeat.domain, repeat.item.slot)
    for turn in repeat.replies:
        told = [each for each in repeat.exchange.said[turn] if each.key == key and not _selects(each)]
        heard = [each for each in repeat.exchange.heard[turn + 1] or () if each.key == key and _selects(each)]
        if told and heard:
            return Cause("heard_as_choice", turn + 1, detail=repeat.item.slot)
    return None


def reply_misheard(repeat: Repeat) -> Cause | None:
    """The user heard another value of the slot, or did not hear what the system told about the domain, its entity or the slot."""
    exchange, domain = repeat.exchange, repeat.domain
    entities = exchange.setup.traits(domain).entity_slots
    for turn in repeat.replies:
        told = exchange.tells(turn, domain)
        lost = [each for each in told if each in exchange.lost[turn + 1]]
        if any(each.key == ("tell", domain, repeat.item.slot) for each in exchange.added[turn + 1]):
            return Cause("slot_misheard", turn + 1, detail=repeat.item.slot)
        if lost and (len(lost) == len(told) or any(each.slot in (*entities, repeat.item.slot) for each in lost)):
            return Cause("answer_unheard", turn + 1, detail=lost[0].slot)
    return None


def _selects(item: ExchangeItem) -> bool:
    return "select" in item.act.lower()


def no_reaction(repeat: Repeat) -> Cause | None:
    """No reply between the two mentions is about the domain."""
    if any(repeat.exchange.speaks_of(turn, repeat.domain) for turn in repeat.replies):
        return None
    return Cause("no_reaction", repeat.first + 1)


def question_misheard(repeat: Repeat) -> Cause | None:
    """The user heard a question about the domain that the system did not ask."""
    for turn in repeat.replies:
        if any(each.kind == "ask" and each.domain == repeat.domain for each in repeat.exchange.added[turn + 1]):
            return Cause("question_misheard", turn + 1)
    return None


def repeated(repeat: Repeat) -> Cause | None:
    """Nothing else explains it, so the user is the cause."""
    return Cause("repeated", repeat.again, detail=repeat.item.unit)


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
"""Tests for a repeated constraint of the goal."""


def request_unheard(repeat: Repeat) -> Cause | None:
    """The system did not hear the first request."""
    reply = repeat.first + 1
    unheard = any(each.key == repeat.item.key for each in repeat.exchange.lost[reply])
    return Cause("request_unheard", reply, detail=repeat.item.slot) if unheard else None


def _answers(repeat: Repeat) -> Iterator[tuple[int, ExchangeItem]]:
    for turn in repeat.replies:
        for each in repeat.exchange.answers(turn, repeat.domain, repeat.item.slot):
            yield turn, each


def no_answer(repeat: Repeat) -> Cause | None:
    """The system answers only with placeholders."""
    answers = list(_answers(repeat))
    if answers and all(each.is_placeholder for _, each in answers):
        return Cause("no_answer", answers[0][0], detail=f"{repeat.item.slot}={answers[0][1].written}")
    return None


def answer_unheard(repeat: Repeat) -> Cause | None:
    """The system answers, and the user does not hear it."""
    for turn, each in _answers(repeat):
        if each in repeat.exchange.lost[turn + 1]:
            return Cause("answer_unheard", turn + 1, detail=repeat.item.slot)
    return None


def new_search(repeat: Repeat) -> Cause | None:
    """The system has answered, but then the user has searched again, or the system has named another entity."""
    answered = next((turn for turn, _ in _answers(repeat)), None)
    if answered is None:
        return None
    exchange, domain = repeat.exchange, repeat.domain
    for turn in range(answered + 1, repeat.again + 1, 2):
        told = exchange.tells(turn, domain)
        if told:
            previous = [
                number
                for number, each in exchange.mentions(domain, told[0].slot)
                if number < turn and each.value == told[0].value
            ]
            if previous:
                return repeat_cause(Repeat(exchange, told[0], previous[-1], turn, repeat.database))
            return Cause("new_search", repeat.again)
    entities = exchange.setup.traits(domain).entity_slots
    names = {
        turn: each.value
        for turn in range(1, repeat.again, 2)
        for each in exchange.tells(turn, domain)
        if each.slot in entities
    }
    earlier = [name for turn, name in names.items() if turn <= answered]
    later = [name for turn, name in names.items() if turn > answered]
    if earlier and later and later[-1] != earlier[-1]:
        return Cause("new_search", repeat.again)
    return None


def asked_after_answer(repeat: Repeat) -> Cause | None:
    """The system has answered, and the user heard it."""
    return Cause("asked_after_answer", repeat.again, detail=repeat.item.slot) if any(_answers(repeat)) else None


def question_unanswered(repeat: Repeat) -> Cause | None:
    """The system asks something in the domain, and the user does not answer."""
    for turn in repeat.replies:
        for each in repeat.exchange.said[turn]:
            if each.kind == "ask" and each.domain == repeat.domain and each not in repeat.exchange.lost[turn + 1]:
                if not repeat.exchange.tells(turn + 1, repeat.domain, each.slot):
                    return Cause("asked_instead_of_answering", turn + 1, detail=each.slot)
                break
    return None


def never_answered(repeat: Repeat) -> Cause | None:
    """The system does not answer."""
    return Cause("no_reaction", repeat.first + 1, detail=repeat.item.slot)


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
"""Tests for a repeated request."""


def repeat_cause(repeat: Repeat) -> Cause:
    """Return the cause of a repeated item."""
    return first_cause(REPEATED_REQUEST_TESTS if repeat.item.kind == "ask" else REPEATED_CONSTRAINT_TESTS, repeat)
