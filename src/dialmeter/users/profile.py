"""Profiles: the names that a corpus uses for acts, services and entity slots, and the types of its acts.

A corpus other than MultiWOZ needs a profile, not code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec import Struct, field

from ..core.rule_files import RuleFiles


class Acts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Regular expressions that are searched in names of acts, with letter case. An empty one matches nothing."""

    inform: str
    request: str
    recommend: str = ""
    no_offer: str = ""
    book: str = ""
    no_book: str = ""
    booking_intent: str = ""
    own_booking_confirm: str = ""
    own_booking_intent: str = ""
    raw: str = ""
    """Acts whose values are not canonicalised."""
    other: str = ""
    """Known acts that are ignored."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            try:
                re.compile(getattr(self, name))
            except re.error as error:
                raise ValueError(f"acts.{name} is not a regular expression: {error}") from None


class Taxi(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The domains whose places are entities of other domains, and the words that identify them in a text."""

    domains: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class AllowedConstraints(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Constraints outside the goal that are always allowed: values of any slot, slots of a domain, values of a slot."""

    values: tuple[str, ...] = ()
    slots: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pairs: dict[str, tuple[str, ...]] = field(default_factory=dict)


class UtteranceWords(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words for slots and domains in utterances, for users without acts, and the names of acts that are read from text."""

    inform: str = "Inform"
    request: str = "Request"
    asks: tuple[str, ...] = ()
    """Words that mark a question without a question mark."""
    domains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    slots: dict[str, tuple[str, ...]] = field(default_factory=dict)
    of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Domain → its slots."""
    before: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Slot → words right before its value, such as "from" before a departure."""
    times: tuple[str, ...] = ()
    """Slots whose values are times of day."""
    numbers: tuple[str, ...] = ()
    """Slots whose values are whole numbers."""
    flags: tuple[str, ...] = ()
    """Slots whose values are yes and no."""


class DomainTraits(Struct, frozen=True):
    """The properties of one domain in a profile."""

    entity_slots: frozenset[str]
    transactional: bool
    own_booking: bool
    taxi: bool
    fine_slots: frozenset[str]


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The profile of a corpus. A domain is given by its name, or by a pattern such as ``Hotels_*``."""

    name: str
    about: str = ""
    acts: Acts
    domains: tuple[str, ...]
    general: tuple[str, ...] = ("general",)
    booking: str = ""
    """The booking service of all domains, if there is one."""
    entity_slots: dict[str, tuple[str, ...]] = field(default_factory=dict)
    transactional: tuple[str, ...] = ()
    own_booking: tuple[str, ...] = ()
    """Domains with bookings in their own service, by their own acts."""
    reference_slots: tuple[str, ...] = ()
    choice_slots: tuple[str, ...] = ()
    declining_slots: tuple[str, ...] = ()
    """Slots by which a user says that it does not want to book."""
    always_requestable: tuple[str, ...] = ()
    """The ``domain-slot`` names that users may always request if the goal has a booking (published name: auto_add_to_ref)."""
    kept_values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Domain → values that are not canonicalised."""
    taxi: Taxi = field(default_factory=Taxi)
    fine: AllowedConstraints = field(default_factory=AllowedConstraints)
    words: UtteranceWords = field(default_factory=UtteranceWords)

    @property
    def shown(self) -> str:
        """The name in signatures. If the profile is not a shipped one, a digest of its content follows.

        Example:
            >>> named("town").shown, msgspec.structs.replace(named("town"), choice_slots=()).shown
            ('town', 'town@28760e2423')
        """
        if self.name in names() and self.digest == named(self.name).digest:
            return self.name
        return f"{self.name}@{self.digest}"

    @property
    def digest(self) -> str:
        """Ten hexadecimal digits that identify the content without its name and description."""
        content = msgspec.json.encode(msgspec.structs.replace(self, name="", about=""), order="sorted")
        return hashlib.sha256(content).hexdigest()[:10]

    def traits(self, domain: str) -> DomainTraits:
        """Return the properties of a domain.

        Example:
            >>> named("multiwoz").traits("train").own_booking, sorted(named("sgd").traits("Hotels_4").entity_slots)
            (True, ['hotel_name', 'place_name'])
        """
        return DomainTraits(
            frozenset(slot for name, slots in self.entity_slots.items() if fnmatchcase(domain, name) for slot in slots),
            _listed(domain, self.transactional),
            _listed(domain, self.own_booking),
            _listed(domain, self.taxi.domains),
            frozenset(slot for name, slots in self.fine.slots.items() if fnmatchcase(domain, name) for slot in slots),
        )

    def knows(self, service: str) -> bool:
        """Return True if this is a service of the corpus.

        Example:
            >>> [named("multiwoz").knows(name) for name in ("hotel", "booking", "general", "spa")]
            [True, True, True, False]
        """
        return service == self.booking or _listed(service, self.general) or _listed(service, self.domains)


def _listed(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


_FILES = RuleFiles(Profile, "profile", Path(__file__).parent / "profiles", "multiwoz")
names = _FILES.names
named = _FILES.named
load = _FILES.load
text_of = _FILES.text_of


(
    INFORM,
    REQUEST,
    RECOMMEND,
    NO_OFFER,
    BOOK,
    NO_BOOK,
    BOOKING_INTENT,
    OWN_CONFIRM,
    OWN_INTENT,
    RAW,
    OTHER,
    PLACEHOLDER,
) = (1 << place for place in range(12))
"""Types of acts as bits, in the order of the fields of ``Acts``; PLACEHOLDER depends on the value of an act, not on its name."""
SLOT_VALUES = INFORM | RECOMMEND | OWN_CONFIRM | BOOK | NO_OFFER
"""Acts that give values for slots."""
OFFERS = INFORM | RECOMMEND | BOOK


def classifier(acts: Acts, nooffer_misspelt: bool = False) -> Callable[[str], int]:
    """Return a function from the name of an act to its types, as bits.

    Args:
        acts: the regular expressions of a profile.
        nooffer_misspelt: search for ``noofer``, as the published evaluator does.

    Example:
        >>> from .profile import named
        >>> types = classifier(named("multiwoz").acts)
        >>> types("Booking-Inform") == INFORM | BOOKING_INTENT, types("Train-OfferBook") == OWN_INTENT, types("Booking-Wait")
        (True, True, 0)
    """
    fields = msgspec.structs.asdict(acts)
    if nooffer_misspelt:
        fields["no_offer"] = acts.no_offer.replace("nooffer", "noofer")
    patterns = [(re.compile(pattern), 1 << place) for place, pattern in enumerate(fields.values()) if pattern]
    return lambda name: sum(bit for pattern, bit in patterns if pattern.search(name))
