"""Acts by intent and domain, named as in MultiWOZ (``Hotel-Inform``, ``general-bye``), and the phrases for them.

Phrases are frames and clauses, which can be filled and recognised.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ...model import SYSTEM, USER, Act
from ..world.schema import DOMAINS, DONTCARE

BOOKING = "booking"
GENERAL = "general"
ASKED = "?"
"""The value of a request."""

# As MultiWOZ writes them; other words get a capital.
_INTENTS = {
    "nooffer": "NoOffer",
    "nobook": "NoBook",
    "offerbook": "OfferBook",
    "offerbooked": "OfferBooked",
}


def act(service: str, intent: str, slot: str = "", value: str = "") -> Act:
    """An act by service and intent.

    Example:
        >>> act("hotel", "inform", "area", "east")
        Act(name='Hotel-Inform', service='hotel', slot='area', values=('east',))
        >>> act("general", "bye").name, act("train", "offerbooked").name, act("hotel", "request", "phone").values
        ('general-bye', 'Train-OfferBooked', ('?',))
    """
    if intent == "request" and not value:
        value = ASKED
    return Act(_name(service, intent), service, slot, (value,) if value else ())


@lru_cache(maxsize=512)
def _name(service: str, intent: str) -> str:
    if service == GENERAL:
        return f"general-{intent}"
    return f"{service.capitalize()}-{_INTENTS.get(intent, intent.capitalize())}"


@lru_cache(maxsize=512)
def intent_of(name: str) -> str:
    """The intent in an act's name, in small letters.

    Example:
        >>> intent_of("Booking-NoBook"), intent_of("general-bye")
        ('nobook', 'bye')
    """
    return name.rpartition("-")[2].lower()


def value_of(found: Act) -> str:
    """The value of an act, empty where it has none."""
    return found.values[0] if found.values else ""


Kind: TypeAlias = Literal["clauses", "slots", "word", "fact", "value", "plain"]
"""What a frame has room for: clauses, slots that are asked for, one slot, one slot with its value, a value, or nothing."""

_FIELD = re.compile(r"\{(clauses|slots|word|v)\}")


class SentenceFrame(Struct, frozen=True):
    """A sentence with room, for one intent of one service; ``slot`` is set where the frame speaks of one slot only."""

    service: str
    intent: str
    kind: Kind
    text: str
    slot: str = ""


class Clause(Struct, frozen=True):
    """A phrase for a slot, with room for its value or for one value only."""

    slot: str
    text: str
    value: str = ""


class Grammar(Struct, frozen=True):
    """All that one speaker can say.

    Attributes:
        frames: act's service and intent → its sentences; a user's booking sentences have the intent ``book``.
        clauses: service → its phrases.
        words: slot → what it is called.
    """

    frames: Mapping[tuple[str, str], tuple[SentenceFrame, ...]]
    clauses: Mapping[str, tuple[Clause, ...]]
    words: Mapping[str, str]


@cache
def phrases() -> dict[str, Any]:
    """The file of phrases."""
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text("utf-8"))


@cache
def grammar(speaker: str) -> Grammar:
    """What a speaker can say.

    Example:
        >>> grammar("user").frames["taxi", "request"][0].text
        'What is {slots} of the taxi?'
    """
    table = phrases()
    frames = _user_frames(table["user"]) if speaker == USER else _system_frames(table["system"])
    services = (*DOMAINS, BOOKING)
    own = table["system_clauses"] if speaker == SYSTEM else {}
    clauses = {service: _clauses(table, {**table["clauses"][service], **own.get(service, {})}) for service in services}
    return Grammar(frames, clauses, table["words"])


def _user_frames(table: dict[str, Any]) -> dict[tuple[str, str], tuple[SentenceFrame, ...]]:
    found: dict[tuple[str, str], tuple[SentenceFrame, ...]] = {}
    for domain in DOMAINS:
        found[domain, "inform"] = _frames(domain, "inform", table["search"]["frames"])
        found[domain, "book"] = _frames(domain, "inform", table["book"]["frames"])
        found[domain, "request"] = _frames(domain, "request", table["request"]["frames"])
    return found | {(GENERAL, intent): _frames(GENERAL, intent, texts) for intent, texts in table["general"].items()}


def _system_frames(table: dict[str, Any]) -> dict[tuple[str, str], tuple[SentenceFrame, ...]]:
    found: dict[tuple[str, str], tuple[SentenceFrame, ...]] = {}
    for domain in DOMAINS:
        for intent in ("inform", "recommend", "select", "nooffer", "request"):
            found[domain, intent] = _frames(domain, intent, table[intent]["frames"])
        found[domain, "choice"] = _frames(domain, "inform", table["choice"]["frames"], slot="choice")
    for intent in ("offerbook", "offerbooked"):
        found["train", intent] = _frames("train", intent, table[intent]["frames"])
    found |= {(BOOKING, intent): _frames(BOOKING, intent, texts) for intent, texts in table["booking"].items()}
    return found | {(GENERAL, intent): _frames(GENERAL, intent, texts) for intent, texts in table["general"].items()}


def _frames(service: str, intent: str, texts: list[str], slot: str = "") -> tuple[SentenceFrame, ...]:
    noun, a_noun, nouns = phrases()["nouns"].get(service, ("", "", ""))
    worded = [text.replace("{noun}", noun).replace("{a_noun}", a_noun).replace("{nouns}", nouns) for text in texts]
    return tuple(SentenceFrame(service, intent, _kind(text), text, slot) for text in worded)


def _kind(text: str) -> Kind:
    found = set(_FIELD.findall(text))
    if found == {"word", "v"}:
        return "fact"
    kinds: dict[str, Kind] = {"clauses": "clauses", "slots": "slots", "word": "word", "v": "value"}
    return kinds[found.pop()] if found else "plain"


def _clauses(table: dict[str, Any], texts: Mapping[str, list[str]]) -> tuple[Clause, ...]:
    found = []
    for key, each in texts.items():
        slot, _, value = key.partition("=")
        found += [Clause(slot, text, value) for text in each]
    slots = dict.fromkeys(clause.slot for clause in found)
    found += [
        Clause(slot, text.replace("{word}", table["words"][slot]), DONTCARE)
        for slot in slots
        for text in table["dontcare"]["clauses"]
    ]
    return tuple(found)
