"""Acts with the names of MultiWOZ (``Hotel-Inform``, ``general-bye``), and the phrases for them.

Phrases are sentence frames and clauses. They are used for generation and for understanding.
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
from ..world.database import DOMAINS, DONTCARE

BOOKING = "booking"
GENERAL = "general"
ASKED = "?"
"""The value of a request."""

# The spelling of MultiWOZ; other intents are only capitalised.
_INTENTS = {
    "nooffer": "NoOffer",
    "nobook": "NoBook",
    "offerbook": "OfferBook",
    "offerbooked": "OfferBooked",
}


def act(service: str, intent: str, slot: str = "", value: str = "") -> Act:
    """Create an act from service and intent.

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
    """Return the intent from the name of an act, in lower case.

    Example:
        >>> intent_of("Booking-NoBook"), intent_of("general-bye")
        ('nobook', 'bye')
    """
    return name.rpartition("-")[2].lower()


def value_of(act: Act) -> str:
    """Return the value of an act; empty if it has none."""
    return act.values[0] if act.values else ""


Kind: TypeAlias = Literal["clauses", "slots", "word", "fact", "value", "plain"]
"""The placeholders of a frame: clauses, requested slots, one slot, one slot with its value, a value, or none."""

_FIELD = re.compile(r"\{(clauses|slots|word|v)\}")


class SentenceFrame(Struct, frozen=True):
    """A sentence with placeholders, for one intent of one service; ``slot`` is set if the frame is for one slot only."""

    service: str
    intent: str
    kind: Kind
    text: str
    slot: str = ""


class Clause(Struct, frozen=True):
    """A phrase for a slot, with a placeholder for any value, or for one value only."""

    slot: str
    text: str
    value: str = ""


class Grammar(Struct, frozen=True):
    """The phrases of one speaker.

    Attributes:
        frames: service and intent of an act → sentences; booking sentences of a user have the intent ``book``.
        clauses: service → phrases.
        words: slot → its name in sentences.
    """

    frames: Mapping[tuple[str, str], tuple[SentenceFrame, ...]]
    clauses: Mapping[str, tuple[Clause, ...]]
    words: Mapping[str, str]


@cache
def phrases() -> dict[str, Any]:
    """Load the file of phrases."""
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text("utf-8"))


@cache
def grammar(speaker: str) -> Grammar:
    """Return the phrases of a speaker.

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
    frames: dict[tuple[str, str], tuple[SentenceFrame, ...]] = {}
    for domain in DOMAINS:
        frames[domain, "inform"] = _frames(domain, "inform", table["search"]["frames"])
        frames[domain, "book"] = _frames(domain, "inform", table["book"]["frames"])
        frames[domain, "request"] = _frames(domain, "request", table["request"]["frames"])
    return frames | {(GENERAL, intent): _frames(GENERAL, intent, texts) for intent, texts in table["general"].items()}


def _system_frames(table: dict[str, Any]) -> dict[tuple[str, str], tuple[SentenceFrame, ...]]:
    frames: dict[tuple[str, str], tuple[SentenceFrame, ...]] = {}
    for domain in DOMAINS:
        for intent in ("inform", "recommend", "select", "nooffer", "request"):
            frames[domain, intent] = _frames(domain, intent, table[intent]["frames"])
        frames[domain, "choice"] = _frames(domain, "inform", table["choice"]["frames"], slot="choice")
    for intent in ("offerbook", "offerbooked"):
        frames["train", intent] = _frames("train", intent, table[intent]["frames"])
    frames |= {(BOOKING, intent): _frames(BOOKING, intent, texts) for intent, texts in table["booking"].items()}
    return frames | {(GENERAL, intent): _frames(GENERAL, intent, texts) for intent, texts in table["general"].items()}


def _frames(service: str, intent: str, texts: list[str], slot: str = "") -> tuple[SentenceFrame, ...]:
    noun, a_noun, nouns = phrases()["nouns"].get(service, ("", "", ""))
    worded = [text.replace("{noun}", noun).replace("{a_noun}", a_noun).replace("{nouns}", nouns) for text in texts]
    return tuple(SentenceFrame(service, intent, _kind(text), text, slot) for text in worded)


def _kind(text: str) -> Kind:
    fields = set(_FIELD.findall(text))
    if fields == {"word", "v"}:
        return "fact"
    kinds: dict[str, Kind] = {"clauses": "clauses", "slots": "slots", "word": "word", "v": "value"}
    return kinds[fields.pop()] if fields else "plain"


def _clauses(table: dict[str, Any], texts: Mapping[str, list[str]]) -> tuple[Clause, ...]:
    clauses = []
    for key, each in texts.items():
        slot, _, value = key.partition("=")
        clauses += [Clause(slot, text, value) for text in each]
    slots = dict.fromkeys(clause.slot for clause in clauses)
    clauses += [
        Clause(slot, text.replace("{word}", table["words"][slot]), DONTCARE)
        for slot in slots
        for text in table["dontcare"]["clauses"]
    ]
    return tuple(clauses)
