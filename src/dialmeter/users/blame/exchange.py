"""The exchange of items in a dialogue: what each turn says, what the listener hears, and which items are lost or added.

Acts are reduced to items, so only relevant differences count. For example, ``Inform`` and ``Recommend`` give the same item. What goes
wrong in an exchange is the cause of a lost point: the party, the turn of the evidence, and the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

from msgspec import Struct

from ...model import Act, Conversation
from ..goals import constraint, slot_of
from ..prepared_dialogue import PreparedDialogue
from ..profile import BOOK, BOOKING_INTENT, INFORM, NO_BOOK, NO_OFFER, OWN_CONFIRM, OWN_INTENT, RECOMMEND, REQUEST
from ..system_turn import booked_domain

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


ExchangeKind: TypeAlias = Literal["tell", "ask", "nothing found", "not booked", "booked", "offers to book"]
TELLS = INFORM | RECOMMEND | OWN_INTENT
FAILURES = ("nothing found", "not booked")
_PLACEHOLDER = re.compile(r"\?+|#[^#]*#|\[[^\]]*\]|<[^>]*>")
_EMPTY = ("", "none")


class ExchangeItem(NamedTuple):
    """One item of an act: a value that is told, a slot that is asked for, a failed search or booking, a booking, or an offer to book."""

    kind: ExchangeKind
    domain: str
    slot: str = ""
    value: str = ""
    """The canonical value."""
    written: str = ""
    act: str = ""

    @property
    def is_placeholder(self) -> bool:
        """True if the value is a placeholder."""
        return bool(_PLACEHOLDER.fullmatch(self.written))

    @property
    def key(self) -> tuple[str, str, str]:
        """Kind, domain and slot."""
        return self.kind, self.domain, self.slot

    @property
    def unit(self) -> str:
        """Slot and value as text."""
        return constraint(self.slot, self.value)


class ListedValue(NamedTuple):
    """A value that the system says cannot be found or booked."""

    slot: str
    value: str
    """The canonical value."""
    written: str

    @property
    def unit(self) -> str:
        """Slot and value as text."""
        return constraint(self.slot, self.value)


def is_reference(value: str) -> bool:
    """Return True if a value refers to another value, as in "same area as the hotel".

    Example:
        >>> is_reference("the same day"), is_reference("samekind")
        (True, False)
    """
    return "same" in value.split()


def alike(told: ExchangeItem, heard: ExchangeItem) -> bool:
    """Return True if the item that was heard is the item that was told.

    Example:
        >>> told = ExchangeItem("tell", "hotel", "name", "the gonville hotel", "the gonville hotel")
        >>> alike(told, told._replace(value="gonville", written="gonville")), alike(told, told._replace(value="", written=""))
        (True, False)
    """
    if told.key != heard.key:
        return False
    if told.kind != "tell":
        return True
    if heard.written in _EMPTY and told.written not in _EMPTY:
        return False
    if told.value == heard.value or told.written == heard.written:
        return True
    told_words, heard_words = (set(each.written.split()) - {"the"} for each in (told, heard))
    return told_words <= heard_words or heard_words <= told_words


class Exchange:
    """A dialogue as an exchange of items.

    Args:
        dialogue: the dialogue prepared for scoring, with canonical values.
        talk: the same dialogue as it was read.
        limit: maximum number of turns of a dialogue; None if not known.
    """

    def __init__(self, dialogue: PreparedDialogue, talk: Conversation, limit: int | None = None) -> None:
        self.dialogue = dialogue
        self.setup = dialogue.setup
        self.talk = talk
        self.length = len(talk.moves)
        self.cut = talk.cut or (limit is not None and self.length >= limit)
        self.said: list[list[ExchangeItem]] = []
        self.heard: list[list[ExchangeItem] | None] = []
        self.lost: list[list[ExchangeItem]] = []
        self.added: list[list[ExchangeItem]] = []
        for number, move in enumerate(talk.moves):
            self.said.append(list(self._items(move.acts or (), number)))
            previous = talk.moves[number - 1].acts if number else None
            if move.understood is None or previous is None:
                self.heard.append(None)
                self.lost.append([])
                self.added.append([])
                continue
            heard = list(self._items(move.understood, number - 1))
            self.heard.append(heard)
            said = self.said[number - 1]
            self.lost.append([each for each in said if not any(alike(each, other) for other in heard)])
            self.added.append([each for each in heard if not any(alike(other, each) for other in said)])

    def _items(self, acts: Iterable[Act], number: int) -> Iterator[ExchangeItem]:
        """Yield the items of the acts of a turn. Acts of the booking service belong to the most recent bookable domain."""
        setup = self.setup
        profile, matcher, units = setup.profile, setup.matcher, self.dialogue.goal_units
        for act in acts:
            types, slot = setup.types_of(act.name), act.slot.lower()
            if act.service in profile.general or slot in profile.choice_slots:
                continue
            domain, is_booking = act.service, act.service == profile.booking
            if is_booking:
                domain = booked_domain(self.dialogue, number) or domain
            if types & REQUEST and slot:
                yield ExchangeItem("ask", domain, slot, act=act.name)
            if types & NO_OFFER:
                yield ExchangeItem("nothing found", domain, act=act.name)
            if types & NO_BOOK:
                yield ExchangeItem("not booked", domain, act=act.name)
            if types & (BOOK | OWN_CONFIRM) or (types & TELLS and slot in profile.reference_slots):
                yield ExchangeItem("booked", domain, act=act.name)
            if types & BOOKING_INTENT and is_booking:
                yield ExchangeItem("offers to book", domain, act=act.name)
            if types & TELLS and slot and slot not in profile.reference_slots:
                goal_values = units[domain].values.get(slot, ()) if domain in units else ()
                for value in act.values or ("",):
                    lower = value.lower()
                    canonical = matcher(domain, slot, lower, goal_values) if lower and domain in units else lower
                    yield ExchangeItem("tell", domain, slot, canonical, lower, act.name)

    def listed(self, number: int, domain: str) -> list[ListedValue]:
        """Return the values that a turn says cannot be found or booked."""
        setup, units, values = self.setup, self.dialogue.goal_units, []
        for act in self.talk.moves[number].acts or ():
            is_about_domain = act.service == domain or (
                act.service == setup.profile.booking and booked_domain(self.dialogue, number) == domain
            )
            if is_about_domain and act.slot and setup.types_of(act.name) & (NO_OFFER | NO_BOOK):
                slot = act.slot.lower()
                goal_values = units[domain].values.get(slot, ()) if domain in units else ()
                for value in act.values:
                    lower = value.lower()
                    if lower not in _EMPTY:
                        canonical = setup.matcher(domain, slot, lower, goal_values)
                        values.append(ListedValue(slot, canonical, lower))
        return values

    def tells(self, number: int, domain: str, slot: str | None = None) -> list[ExchangeItem]:
        """Return the items that a turn tells about a domain, or about one of its slots."""
        told = (each for each in self.said[number] if each.kind == "tell" and each.domain == domain)
        return [each for each in told if slot in (None, each.slot)]

    def mentions(self, domain: str, slot: str) -> list[tuple[int, ExchangeItem]]:
        """Return the items that the user tells about a slot, with their turns."""
        return [(turn, each) for turn in range(0, self.length, 2) for each in self.tells(turn, domain, slot)]

    def speaks_of(self, number: int, domain: str) -> bool:
        """Return True if a turn has acts of a domain, including bookings."""
        return 0 <= number < self.length and (
            domain in self.dialogue.turns[number].acts or any(each.domain == domain for each in self.said[number])
        )

    def topics(self, number: int) -> set[str]:
        """Return the domains that the acts of a turn are about."""
        return set(self.dialogue.turns[number].acts) - self.setup.no_domains

    @cached_property
    def topic_before(self) -> list[str | None]:
        """The most recent domain before each turn; None at the beginning."""
        previous_topics: list[str | None] = []
        last: str | None = None
        for number in range(self.length):
            previous_topics.append(last)
            topics = [each for each in self.dialogue.turns[number].acts if each not in self.setup.no_domains]
            last = topics[-1] if topics else last
        return previous_topics

    @cached_property
    def user_turns(self) -> list[int]:
        """The user turns with acts of a domain."""
        return [number for number in range(0, self.length, 2) if self.topics(number)]

    def answers(self, number: int, domain: str, slot: str) -> list[ExchangeItem]:
        """Return the items of a turn that answer a request: values of the slot, or a booking if the slot is a reference number."""
        if slot in self.setup.profile.reference_slots:
            return [each for each in self.said[number] if each.kind == "booked" and each.domain == domain]
        return self.tells(number, domain, slot)

    def fails(self, number: int, domain: str | None = None) -> ExchangeItem | None:
        """Return the failed search or booking that a turn reports, or None."""
        if number >= self.length:
            return None
        failures = (each for each in self.said[number] if each.kind in FAILURES)
        return next((each for each in failures if domain in (None, each.domain)), None)

    def booking_units(self, domain: str) -> list[str]:
        """Return the constraints of the goal for a booking in a domain."""
        parts = self.dialogue.goal_units[domain].parts if domain in self.dialogue.goal_units else {}
        return [each for part in ("book", "fail_book") for each in parts.get(part, ())]

    def booked_before(self, number: int, domain: str) -> bool:
        """Return True if the user has given a booking constraint of a domain before a turn."""
        slots = set(map(slot_of, self.booking_units(domain)))
        return any(each.slot in slots for turn in range(0, number, 2) for each in self.tells(turn, domain))

    def premature_booking(self, number: int) -> bool:
        """Return True if a turn reports a booking although the user has given no booking constraint of its domain."""
        return any(each.kind == "booked" and not self.booked_before(number, each.domain) for each in self.said[number])


def confusion(said: Iterable[Act], heard: Iterable[Act]) -> tuple[str, str]:
    """Return what was said and not heard, and what was heard instead.

    Names of acts are compared first. If they are equal, their slots are compared, and then their values, which are not named: a
    confusion of values is the same confusion for every value.

    Example:
        >>> said, heard = Act("Booking-Book", "booking", "ref", ("7",)), Act("Train-OfferBooked", "train", "ref", ("7",))
        >>> confusion([said], [heard])
        ('Booking-Book', 'Train-OfferBooked')
        >>> stars, area = (Act("Hotel-Inform", "hotel", slot, ("4",)) for slot in ("stars", "area"))
        >>> confusion([stars], [stars, area]), confusion([stars], [Act("Hotel-Inform", "hotel", "stars", ("3",))])
        (('nothing', 'Hotel-Inform area'), ('Hotel-Inform stars', 'another value'))
    """
    told, understood = ({_act_parts(each) for each in acts} for acts in (said, heard))
    for size in (1, 2):
        before, after = ({" ".join(each[:size]).strip() for each in acts} for acts in (told, understood))
        if before != after:
            return ", ".join(sorted(before - after)) or "nothing", ", ".join(sorted(after - before)) or "nothing"
    return ", ".join(sorted({" ".join(each[:2]).strip() for each in told - understood})) or "nothing", "another value"


def _act_parts(act: Act) -> tuple[str, str, str]:
    """Return the name of an act with its service, its slot and its values."""
    is_named = act.service.lower() in act.name.lower()
    return act.name if is_named else f"{act.service}-{act.name}", act.slot, "|".join(act.values)


def acts_in_words(acts: Sequence[Act] | None) -> str:
    """Return acts as one line of text.

    Example:
        >>> acts_in_words([Act("Hotel-Inform", "hotel", "area", ("east",)), Act("general-bye", "general")])
        'Hotel-Inform area=east, general-bye'
    """
    if acts is None:
        return "unknown"
    texts = [
        f"{each.name} {each.slot}{'=' if each.values else ''}{'|'.join(each.values)}" if each.slot else each.name
        for each in acts
    ]
    return ", ".join(texts) or "nothing"
