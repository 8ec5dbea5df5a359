"""What each turn says, what its listener heard of it, and what was lost or added on the way.

Acts are reduced to items, so that only differences that matter count: ``Inform`` and ``Recommend`` tell the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from ...model import Act, Conversation
from ..goals import constraint, slot_of
from ..prepared_dialogue import PreparedDialogue
from ..profile import BOOK, BOOKING_INTENT, INFORM, NO_BOOK, NO_OFFER, OWN_CONFIRM, OWN_INTENT, RECOMMEND, REQUEST
from ..system_turn import booked_domain

ExchangeKind: TypeAlias = Literal["tell", "ask", "nothing found", "not booked", "booked", "offers to book"]
TELLS = INFORM | RECOMMEND | OWN_INTENT
FAILURES = ("nothing found", "not booked")
_PLACEHOLDER = re.compile(r"\?+|#[^#]*#|\[[^\]]*\]|<[^>]*>")
_EMPTY = ("", "none")


class ExchangeItem(NamedTuple):
    """What an act says: something told or asked for, a search or a booking that failed, a booking, or the offer to book."""

    kind: ExchangeKind
    domain: str
    slot: str = ""
    value: str = ""
    """Canonical."""
    written: str = ""
    act: str = ""

    @property
    def is_placeholder(self) -> bool:
        """Is the value no value?"""
        return bool(_PLACEHOLDER.fullmatch(self.written))

    @property
    def key(self) -> tuple[str, str, str]:
        """Kind, domain and slot."""
        return self.kind, self.domain, self.slot

    @property
    def unit(self) -> str:
        """Slot and value."""
        return constraint(self.slot, self.value)


class ListedValue(NamedTuple):
    """A value that the system says cannot be found or booked."""

    slot: str
    value: str
    """Canonical."""
    written: str

    @property
    def unit(self) -> str:
        """Slot and value."""
        return constraint(self.slot, self.value)


def is_reference(value: str) -> bool:
    """Does a value refer to another one, as in "same area as the hotel"?

    Example:
        >>> is_reference("the same day"), is_reference("samekind")
        (True, False)
    """
    return "same" in value.split()


def alike(told: ExchangeItem, heard: ExchangeItem) -> bool:
    """Is what was heard what was told?

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
    one, other = (set(each.written.split()) - {"the"} for each in (told, heard))
    return one <= other or other <= one


class Exchange:
    """A dialogue as an exchange of items.

    Args:
        dialogue: prepared for scoring, which knows canonical values and the domain of a booking.
        talk: the same as it was read.
        limit: how many turns a dialogue can have; None if not known.
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
            before = talk.moves[number - 1].acts if number else None
            if move.understood is None or before is None:
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
        """The items of acts; those of the service of bookings belong to the domain that was spoken of last at a turn."""
        setup = self.setup
        profile, matcher, wants = setup.profile, setup.matcher, self.dialogue.wants
        for act in acts:
            parts, slot = setup.parts_of(act.name), act.slot.lower()
            if act.service in profile.general or slot in profile.choice_slots:
                continue
            domain, is_booking = act.service, act.service == profile.booking
            if is_booking:
                domain = booked_domain(self.dialogue, number) or domain
            if parts & REQUEST and slot:
                yield ExchangeItem("ask", domain, slot, act=act.name)
            if parts & NO_OFFER:
                yield ExchangeItem("nothing found", domain, act=act.name)
            if parts & NO_BOOK:
                yield ExchangeItem("not booked", domain, act=act.name)
            if parts & (BOOK | OWN_CONFIRM) or (parts & TELLS and slot in profile.reference_slots):
                yield ExchangeItem("booked", domain, act=act.name)
            if parts & BOOKING_INTENT and is_booking:
                yield ExchangeItem("offers to book", domain, act=act.name)
            if parts & TELLS and slot and slot not in profile.reference_slots:
                goal_values = wants[domain].values.get(slot, ()) if domain in wants else ()
                for value in act.values or ("",):
                    lower = value.lower()
                    canonical = matcher(domain, slot, lower, goal_values) if lower and domain in wants else lower
                    yield ExchangeItem("tell", domain, slot, canonical, lower, act.name)

    def listed(self, number: int, domain: str) -> list[ListedValue]:
        """The values that a turn says cannot be found or booked."""
        setup, wants, found = self.setup, self.dialogue.wants, []
        for act in self.talk.moves[number].acts or ():
            here = act.service == domain or (
                act.service == setup.profile.booking and booked_domain(self.dialogue, number) == domain
            )
            if here and act.slot and setup.parts_of(act.name) & (NO_OFFER | NO_BOOK):
                slot = act.slot.lower()
                goal_values = wants[domain].values.get(slot, ()) if domain in wants else ()
                for value in act.values:
                    lower = value.lower()
                    if lower not in _EMPTY:
                        canonical = setup.matcher(domain, slot, lower, goal_values)
                        found.append(ListedValue(slot, canonical, lower))
        return found

    def tells(self, number: int, domain: str, slot: str | None = None) -> list[ExchangeItem]:
        """What a turn tells of a domain, or of one of its slots."""
        told = (each for each in self.said[number] if each.kind == "tell" and each.domain == domain)
        return [each for each in told if slot in (None, each.slot)]

    def mentions(self, domain: str, slot: str) -> list[tuple[int, ExchangeItem]]:
        """What the user tells of a slot, with the turns."""
        return [(turn, each) for turn in range(0, self.length, 2) for each in self.tells(turn, domain, slot)]

    def speaks_of(self, number: int, domain: str) -> bool:
        """Has a turn acts of a domain, bookings included?"""
        return 0 <= number < self.length and (
            domain in self.dialogue.turns[number].acts or any(each.domain == domain for each in self.said[number])
        )

    def topics(self, number: int) -> set[str]:
        """The domains that the acts of a turn are about."""
        return set(self.dialogue.turns[number].acts) - self.setup.no_domains

    @cached_property
    def topic_before(self) -> list[str | None]:
        """The domain that was spoken of last before each turn; None at the beginning."""
        found: list[str | None] = []
        last: str | None = None
        for number in range(self.length):
            found.append(last)
            topics = [each for each in self.dialogue.turns[number].acts if each not in self.setup.no_domains]
            last = topics[-1] if topics else last
        return found

    @cached_property
    def user_turns(self) -> list[int]:
        """The turns of the user that have acts of a domain."""
        return [number for number in range(0, self.length, 2) if self.topics(number)]

    def answers(self, number: int, domain: str, slot: str) -> list[ExchangeItem]:
        """What answers a request in a turn: the slot told, or a booking where a reference number is asked for."""
        if slot in self.setup.profile.reference_slots:
            return [each for each in self.said[number] if each.kind == "booked" and each.domain == domain]
        return self.tells(number, domain, slot)

    def fails(self, number: int, domain: str | None = None) -> ExchangeItem | None:
        """The failure of a search or a booking that a turn reports."""
        if number >= self.length:
            return None
        found = (each for each in self.said[number] if each.kind in FAILURES)
        return next((each for each in found if domain in (None, each.domain)), None)

    def booking_units(self, domain: str) -> list[str]:
        """The constraints of the goal that a booking in a domain is made with."""
        parts = self.dialogue.wants[domain].parts if domain in self.dialogue.wants else {}
        return [each for part in ("book", "fail_book") for each in parts.get(part, ())]

    def booked_before(self, number: int, domain: str) -> bool:
        """Has the user said anything to book with in a domain before a turn?"""
        slots = set(map(slot_of, self.booking_units(domain)))
        return any(each.slot in slots for turn in range(0, number, 2) for each in self.tells(turn, domain))

    def premature_booking(self, number: int) -> bool:
        """Does a turn give a reference number though the user has said nothing to book with in its domain?"""
        return any(each.kind == "booked" and not self.booked_before(number, each.domain) for each in self.said[number])


def acts_in_words(acts: Sequence[Act] | None) -> str:
    """Acts as one line.

    Example:
        >>> acts_in_words([Act("Hotel-Inform", "hotel", "area", ("east",)), Act("general-bye", "general")])
        'Hotel-Inform area=east, general-bye'
    """
    if acts is None:
        return "unknown"
    words = [
        f"{each.name} {each.slot}{'=' if each.values else ''}{'|'.join(each.values)}" if each.slot else each.name
        for each in acts
    ]
    return ", ".join(words) or "nothing"
