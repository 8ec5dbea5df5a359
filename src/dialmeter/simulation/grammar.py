"""Acts with the names of MultiWOZ (``Hotel-Inform``, ``general-bye``), and the phrases for them.

Phrases are sentence frames and clauses. They are used for understanding, and for generating text: one sentence for acts
that belong together, in one of several phrasings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from ..model import SYSTEM, USER, Act
from .world import DONTCARE, World, remembered

BOOKING = "booking"
GENERAL = "general"
ASKED = "?"
"""The value of a request."""

_INTENTS = {"nooffer": "NoOffer", "nobook": "NoBook", "offerbook": "OfferBook", "offerbooked": "OfferBooked"}
"""The spelling of MultiWOZ; other intents are only capitalised."""


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
    return (
        f"general-{intent}"
        if service == GENERAL
        else f"{service.capitalize()}-{_INTENTS.get(intent, intent.capitalize())}"
    )


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


def informed(acts: Iterable[Act], world: World) -> Iterator[tuple[str, str, str]]:
    """Yield the domain, the slot and the value of each act with which a user gives a value."""
    for each in acts:
        if intent_of(each.name) == "inform" and each.values and each.service in world.domains:
            yield each.service, each.slot, each.values[0]


def requested(acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
    """Return the requested slots of each service.

    Example:
        >>> requested([act("hotel", "request", "phone"), act("hotel", "request", "area"), act("taxi", "inform", "time", "9:15")])
        {'hotel': ('phone', 'area')}
    """
    slots: dict[str, dict[str, None]] = {}
    for each in acts:
        if intent_of(each.name) == "request" and each.slot:
            slots.setdefault(each.service, {})[each.slot] = None
    return {service: tuple(own) for service, own in slots.items()}


class Phrase(Struct, frozen=True):
    """A sentence for an intent of a service, or a clause of a sentence for a slot; with placeholders.

    Attributes:
        slot: the slot, if the phrase is for one slot only.
        value: the value, if the clause is for one value only.
    """

    service: str
    intent: str
    text: str
    slot: str = ""
    value: str = ""


class Grammar(Struct, frozen=True):
    """The phrases of one speaker.

    Attributes:
        frames: service and intent of an act → sentences; booking sentences of a user have the intent ``book``.
        clauses: service → phrases.
        words: slot → its name in sentences.
    """

    frames: Mapping[tuple[str, str], tuple[Phrase, ...]]
    clauses: Mapping[str, tuple[Phrase, ...]]
    words: Mapping[str, str]


@cache
def phrases() -> dict[str, Any]:
    """Load the file of phrases."""
    return msgspec.toml.decode(
        Path(__file__).with_name("data").joinpath("phrases.toml").read_bytes(), type=dict[str, Any]
    )


_FRAMES = {"search": ("inform", "inform", ""), "book": ("book", "inform", ""), "choice": ("choice", "inform", "choice")}
"""Sections of the file: the key of their frames, the intent and the slot. Others have their own name as key and intent."""


@remembered
def grammar(world: World, speaker: str) -> Grammar:
    """Return the phrases of a speaker. Slots and domains without own phrases have plain ones.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> grammar(town(), "user").frames["taxi", "request"][0].text
        'What is {slots} of the taxi?'
    """
    table = phrases()
    frames = {
        (service, key): _frames(service, intent, section["frames"], slot)
        for service in world.domains
        for name, section in table[speaker].items()
        if "frames" in section
        for key, intent, slot in [_FRAMES.get(name, (name, name, ""))]
    }
    frames |= {
        (service, intent): _frames(service, intent, [text.replace("{place}", world.place) for text in texts])
        for service, section in [
            *((name, "journey") for name, domain in world.domains.items() if domain.has_times),
            (BOOKING, BOOKING),
            (GENERAL, GENERAL),
        ]
        for intent, texts in table[speaker].get(section, {}).items()
    }
    own = table["system_clauses"] if speaker == SYSTEM else {}
    clauses = {}
    for service in (*world.domains, BOOKING):
        texts = {**table["clauses"].get(service, {}), **own.get(service, {})}
        informable = world.domains[service].informable if service in world.domains else ()
        plain = {slot: table["plain"]["clauses"] for slot in informable if slot not in texts}
        clauses[service] = tuple(_clauses(service, {**texts, **plain}))
    return Grammar(frames, clauses, table["words"])


def _frames(service: str, intent: str, texts: list[str], slot: str = "") -> tuple[Phrase, ...]:
    noun, a_noun, nouns = phrases()["nouns"].get(service, (service, f"a {service}", f"{service}s"))
    worded = [text.replace("{noun}", noun).replace("{a_noun}", a_noun).replace("{nouns}", nouns) for text in texts]
    return tuple(Phrase(service, intent, text, slot) for text in worded)


def _clauses(service: str, texts: Mapping[str, list[str]]) -> Iterator[Phrase]:
    """Yield the clauses of a service, and for each slot those that say that any value is fine."""
    slots: dict[str, None] = {}
    for key, each in texts.items():
        slot, _, value = key.partition("=")
        slots[slot] = None
        word = phrases()["words"].get(slot, slot)
        yield from (Phrase(service, "", text.replace("{word}", word), slot, value) for text in each)
    for slot in slots:
        for text in phrases()["dontcare"]["clauses"]:
            yield Phrase(service, "", text.replace("{word}", phrases()["words"].get(slot, slot)), slot, DONTCARE)


PARAPHRASED = 0.4
"""The chance that a user paraphrases a value."""

_NAMES = ("name", "departure", "destination")


def say(acts: Iterable[Act], speaker: str, rng: Random, world: World) -> str:
    """Return the text of a move of a user or a system. Adjacent acts of one kind share a sentence.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> say([act("taxi", "request", "phone"), act("general", "thank")], "user", Random(1), town())
        'Could you tell me the phone number of the taxi? Thank you.'
    """
    return " ".join(_sentences(list(acts), speaker, rng, world))


def _sentences(acts: Sequence[Act], speaker: str, rng: Random, world: World) -> Iterator[str]:
    for (service, key), group in groupby(acts, lambda each: (each.service, _key(each, speaker, world))):
        together = list(group)
        frames = grammar(world, speaker).frames.get((service, key))
        if frames is None:
            # An external bot may use acts that the grammar does not have; they still need a text.
            pairs = ", ".join(f"{each.slot} {value_of(each)}".strip() for each in together)
            yield f"{key.capitalize()} {pairs}.".strip()
            continue
        frame = rng.choice(frames)
        if "{clauses}" in frame.text or "{slots}" in frame.text:
            yield _fill_frame(frame, together, speaker, rng, world)
            continue
        for each in together:
            text = frame.text.replace("{word}", _word(each.slot))
            yield text.replace("{v}", _capitalise(each.slot, value_of(each)))
            frame = rng.choice(frames)


def _key(act: Act, speaker: str, world: World) -> str:
    """Return the key of the frames of an act in the grammar, with the service."""
    intent = intent_of(act.name)
    if intent != "inform":
        return intent
    if speaker == USER:
        return "book" if act.slot in world.domains[act.service].book else "inform"
    return "choice" if act.slot == "choice" else "inform"


def _fill_frame(frame: Phrase, acts: Sequence[Act], speaker: str, rng: Random, world: World) -> str:
    if "{slots}" in frame.text:
        *most, last = (f"the {_word(each.slot)}" for each in acts)
        return frame.text.replace("{slots}", f"{', '.join(most)} and {last}" if most else last)
    clauses = ", ".join(_clause(each, speaker, rng, world) for each in acts if each.slot)
    return frame.text.replace("{clauses}", clauses) if clauses else frame.text.replace(" {clauses}", "")


def _word(slot: str) -> str:
    word: str = phrases()["words"].get(slot, slot)
    return word


def _clause(act: Act, speaker: str, rng: Random, world: World) -> str:
    form = value_of(act)
    own = [each for each in grammar(world, speaker).clauses.get(act.service, ()) if each.slot == act.slot]
    clauses = [each for each in own if each.value == form] or [each for each in own if not each.value]
    if not clauses:
        return f"with {_word(act.slot)} {form}"
    if speaker == USER and rng.random() < PARAPHRASED:
        form = rng.choice(world.forms(act.service, act.slot).get(form, (form,)))
    return rng.choice(clauses).text.replace("{v}", _capitalise(act.slot, form))


def _capitalise(slot: str, value: str) -> str:
    """Capitalise the words of names; write train numbers and codes in capitals."""
    if slot in _NAMES:
        return " ".join(
            word if word in ("the", "and", "of") else word[:1].upper() + word[1:] for word in value.split(" ")
        )
    return value.upper() if slot in ("ref", "trainid", "postcode") else value
