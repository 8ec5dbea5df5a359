"""Acts with the names of MultiWOZ (``Hotel-Inform``, ``general-bye``), and the phrases for them.

Phrases are sentence frames and clauses. They are used for understanding, and for generating text: one sentence for acts
that belong together, in one of several phrasings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from random import Random
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from ..model import SYSTEM, USER, Act
from .world import DOMAINS, DONTCARE, forms, read_data

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
    return msgspec.toml.decode(read_data("phrases.toml"), type=dict[str, Any])


_FRAMES = {"search": ("inform", "inform", ""), "book": ("book", "inform", ""), "choice": ("choice", "inform", "choice")}
"""Sections of the file: the key of their frames, the intent and the slot. Others have their own name as key and intent."""


@cache
def grammar(speaker: str) -> Grammar:
    """Return the phrases of a speaker.

    Example:
        >>> grammar("user").frames["taxi", "request"][0].text
        'What is {slots} of the taxi?'
    """
    table = phrases()
    frames = {
        (service, key): _frames(service, intent, section["frames"], slot)
        for service in DOMAINS
        for name, section in table[speaker].items()
        if "frames" in section
        for key, intent, slot in [_FRAMES.get(name, (name, name, ""))]
    }
    frames |= {
        (service, intent): _frames(service, intent, texts)
        for service in ("train", BOOKING, GENERAL)
        for intent, texts in table[speaker].get(service, {}).items()
    }
    services = (*DOMAINS, BOOKING)
    own = table["system_clauses"] if speaker == SYSTEM else {}
    clauses = {service: _clauses(table, {**table["clauses"][service], **own.get(service, {})}) for service in services}
    return Grammar(frames, clauses, table["words"])


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


PARAPHRASED = 0.4
"""The chance that a user paraphrases a value."""

_NAMES = ("name", "departure", "destination")


def say(acts: Iterable[Act], speaker: str, rng: Random) -> str:
    """Return the text of a move of a user or a system. Adjacent acts of one kind share a sentence.

    Example:
        >>> say([act("taxi", "request", "phone"), act("general", "thank")], "user", Random(1))
        'Could you tell me the phone number of the taxi? Thank you.'
    """
    return " ".join(_sentences(list(acts), speaker, rng))


def _sentences(acts: Sequence[Act], speaker: str, rng: Random) -> Iterator[str]:
    for (service, key), group in groupby(acts, lambda each: (each.service, _key(each, speaker))):
        together = list(group)
        frames = grammar(speaker).frames.get((service, key))
        if frames is None:
            # An external bot may use acts that the grammar does not have; they still need a text.
            pairs = ", ".join(f"{each.slot} {value_of(each)}".strip() for each in together)
            yield f"{key.capitalize()} {pairs}.".strip()
            continue
        frame = rng.choice(frames)
        if frame.kind in ("clauses", "slots"):
            yield _fill_frame(frame, together, speaker, rng)
        else:
            for each in together:
                text = frame.text.replace("{word}", _word(each.slot, speaker))
                yield text.replace("{v}", _capitalise(each.slot, value_of(each)))
                frame = rng.choice(frames)


def _key(act: Act, speaker: str) -> str:
    """Return the key of the frames of an act in the grammar, with the service."""
    intent = intent_of(act.name)
    if intent != "inform":
        return intent
    if speaker == USER:
        return "book" if act.slot in DOMAINS[act.service].book else "inform"
    return "choice" if act.slot == "choice" else "inform"


def _fill_frame(frame: SentenceFrame, acts: Sequence[Act], speaker: str, rng: Random) -> str:
    if frame.kind == "slots":
        words = [f"the {_word(each.slot, speaker)}" for each in acts]
        return frame.text.replace(
            "{slots}", words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
        )
    phrases = [_phrase(each, speaker, rng) for each in acts if each.slot]
    return frame.text.replace("{clauses}", ", ".join(phrases)) if phrases else frame.text.replace(" {clauses}", "")


def _word(slot: str, speaker: str) -> str:
    return grammar(speaker).words.get(slot, slot)


def _phrase(act: Act, speaker: str, rng: Random) -> str:
    value = value_of(act)
    index = _index_clauses(speaker, act.service)
    clauses = index.get((act.slot, value)) or index.get((act.slot, ""), ())
    if not clauses:
        return f"with {_word(act.slot, speaker)} {value}"
    form = value
    if speaker == USER and rng.random() < PARAPHRASED:
        form = rng.choice(forms(act.service, act.slot).get(value, (value,)))
    return rng.choice(clauses).text.replace("{v}", _capitalise(act.slot, form))


@cache
def _index_clauses(speaker: str, service: str) -> dict[tuple[str, str], tuple[Clause, ...]]:
    index: dict[tuple[str, str], list[Clause]] = {}
    for clause in grammar(speaker).clauses.get(service, ()):
        index.setdefault((clause.slot, clause.value), []).append(clause)
    return {key: tuple(clauses) for key, clauses in index.items()}


def _capitalise(slot: str, value: str) -> str:
    """Capitalise the words of names; write train numbers and codes in capitals."""
    if slot in _NAMES:
        return " ".join(
            word if word in ("the", "and", "of") else word[:1].upper() + word[1:] for word in value.split(" ")
        )
    return value.upper() if slot in ("ref", "trainid", "postcode") else value
