"""The exchange of items in a dialogue: what each turn says, what the listener hears, and which items are lost or added.

Acts are reduced to items, so only relevant differences count. For example, ``Inform`` and ``Recommend`` give the same item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from ...model import Act
from ..goals import constraint, slot_of
from ..prepared_dialogue import PreparedDialogue, booked_domain
from ..profile import BOOK, BOOKING_INTENT, INFORM, NO_BOOK, NO_OFFER, OWN_CONFIRM, OWN_INTENT, RECOMMEND, REQUEST

Database: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, str]], int]
"""Takes a domain, search constraints and booking details. Returns the number of entities that meet them."""

ExchangeKind: TypeAlias = Literal["tell", "ask", "nothing found", "not booked", "booked", "offers to book"]
TELLING = INFORM | RECOMMEND | OWN_INTENT
FAILURES: tuple[ExchangeKind, ...] = ("nothing found", "not booked")
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
    def is_reference(self) -> bool:
        """True if the value refers to another value.

        Example:
            >>> [ExchangeItem("tell", "hotel", "area", written=each).is_reference for each in ("the same area", "samekind")]
            [True, False]
        """
        return "same" in self.written.split()

    @property
    def key(self) -> tuple[str, str, str]:
        """Kind, domain and slot."""
        return self.kind, self.domain, self.slot

    @property
    def unit(self) -> str:
        """Slot and value as text."""
        return constraint(self.slot, self.value)


def pick(
    items: Iterable[ExchangeItem], kind: ExchangeKind, domain: str | None = None, slot: str | None = None
) -> list[ExchangeItem]:
    """Return the items of a kind, of any domain and slot unless they are given."""
    return [each for each in items if each.kind == kind and domain in (None, each.domain) and slot in (None, each.slot)]


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
        database: checks failed searches; None if not known.
        limit: maximum number of turns of a dialogue; None if not known.
    """

    def __init__(
        self,
        dialogue: PreparedDialogue,
        database: Database | None = None,
        limit: int | None = None,
    ) -> None:
        self.dialogue = dialogue
        self.setup = dialogue.setup
        self.conversation = conversation = dialogue.conversation
        self.database = database
        self.length = len(conversation.moves)
        self.cut = conversation.cut or (limit is not None and self.length >= limit)
        self.said: list[list[ExchangeItem]] = []
        self.heard: list[list[ExchangeItem]] = []
        self.lost: list[list[ExchangeItem]] = []
        self.added: list[list[ExchangeItem]] = []
        for number, move in enumerate(conversation.moves):
            said, heard = self.said[-1] if number else [], list(self._items(move.understood or (), number - 1))
            if move.understood is None or not number or conversation.moves[number - 1].acts is None:
                # It is not known what was said or heard, so nothing is misheard.
                said = heard = []
            self.said.append(list(self._items(move.acts or (), number)))
            self.heard.append(heard)
            self.lost.append([each for each in said if not any(alike(each, other) for other in heard)])
            self.added.append([each for each in heard if not any(alike(other, each) for other in said)])

    def _items(self, acts: Iterable[Act], number: int) -> Iterator[ExchangeItem]:
        """Yield the items of the acts of a turn. Acts of the booking service belong to the most recent bookable domain."""
        profile = self.setup.profile
        for act in acts:
            types, slot = self.setup.types_of(act.name), act.slot.lower()
            if act.service in profile.general or slot in profile.choice_slots:
                continue
            domain, is_booking = act.service, act.service == profile.booking
            if is_booking:
                domain = booked_domain(self.dialogue, number) or domain
            is_reference_number = slot in profile.reference_slots
            if types & REQUEST and slot:
                yield ExchangeItem("ask", domain, slot, act=act.name)
            if types & NO_OFFER:
                yield ExchangeItem("nothing found", domain, act=act.name)
            if types & NO_BOOK:
                yield ExchangeItem("not booked", domain, act=act.name)
            if types & (BOOK | OWN_CONFIRM) or (types & TELLING and is_reference_number):
                yield ExchangeItem("booked", domain, act=act.name)
            if types & BOOKING_INTENT and is_booking:
                yield ExchangeItem("offers to book", domain, act=act.name)
            if types & TELLING and slot and not is_reference_number:
                for value in act.values or ("",):
                    lower = value.lower()
                    is_matched = lower and domain in self.dialogue.goal_units
                    canonical = self._canonical(domain, slot, lower) if is_matched else lower
                    yield ExchangeItem("tell", domain, slot, canonical, lower, act.name)

    def _canonical(self, domain: str, slot: str, value: str) -> str:
        units = self.dialogue.goal_units.get(domain)
        return self.setup.matcher(domain, slot, value, units.values.get(slot, ()) if units else ())

    def listed(self, number: int, domain: str) -> list[ExchangeItem]:
        """Return the values that a turn says cannot be found or booked."""
        values = []
        for act in self.conversation.moves[number].acts or ():
            is_about_domain = act.service == domain or (
                act.service == self.setup.profile.booking and booked_domain(self.dialogue, number) == domain
            )
            if is_about_domain and act.slot and self.setup.types_of(act.name) & (NO_OFFER | NO_BOOK):
                slot = act.slot.lower()
                for value in (value.lower() for value in act.values if value.lower() not in _EMPTY):
                    values.append(ExchangeItem("tell", domain, slot, self._canonical(domain, slot, value), value))
        return values

    def tells(self, number: int, domain: str, slot: str | None = None) -> list[ExchangeItem]:
        """Return the items that a turn tells about a domain, or about one of its slots."""
        return pick(self.said[number], "tell", domain, slot)

    def mentions(self, domain: str, slot: str) -> list[tuple[int, ExchangeItem]]:
        """Return the items that the user tells about a slot, with their turns."""
        return self._mentions.get((domain, slot), [])

    @cached_property
    def _mentions(self) -> dict[tuple[str, str], list[tuple[int, ExchangeItem]]]:
        """Domain and slot → the items that the user tells about it, with their turns."""
        mentions: dict[tuple[str, str], list[tuple[int, ExchangeItem]]] = {}
        for turn in range(0, self.length, 2):
            for each in pick(self.said[turn], "tell"):
                mentions.setdefault((each.domain, each.slot), []).append((turn, each))
        return mentions

    def speaks_of(self, number: int, domain: str) -> bool:
        """Return True if a turn has acts of a domain, including bookings."""
        return 0 <= number < self.length and (
            domain in self.dialogue.turns[number].acts or any(each.domain == domain for each in self.said[number])
        )

    def topics(self, number: int) -> list[str]:
        """Return the domains that the acts of a turn are about."""
        return [each for each in self.dialogue.turns[number].acts if each not in self.setup.no_domains]

    @cached_property
    def topic_before(self) -> list[str | None]:
        """The most recent domain before each turn; None at the beginning."""
        latest: list[str | None] = [None]
        for number in range(self.length):
            latest.append([latest[-1], *self.topics(number)][-1])
        return latest

    @cached_property
    def user_turns(self) -> list[int]:
        """The user turns with acts of a domain."""
        return [number for number in range(0, self.length, 2) if self.topics(number)]

    def answers(self, number: int, domain: str, slot: str) -> list[ExchangeItem]:
        """Return the items of a turn that answer a request: values of the slot, or a booking if the slot is a reference number."""
        if slot in self.setup.profile.reference_slots:
            return pick(self.said[number], "booked", domain)
        return self.tells(number, domain, slot)

    def fails(self, number: int, domain: str | None = None) -> ExchangeItem | None:
        """Return the failed search or booking that a turn reports, or None."""
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
        return any(not self.booked_before(number, each.domain) for each in pick(self.said[number], "booked"))
