"""Text into acts, by the patterns of the phrases: sentence by sentence, from nothing but the text.

Values are whatever a phrase has room for, known to the town or not. A sentence in other words, as people and language models
write them, is searched for words that the town knows: a domain by its words, values by their forms, questions by names of slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from ...model import USER, Act
from ..world.schema import DOMAINS
from ..world.value_map import canonical, canonical_forms
from .grammar import GENERAL, SentenceFrame, act, grammar, phrases

_SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_LIST = re.compile(r", | and ")
_ROOM = {"clauses": "(?P<clauses>.+)", "slots": "(?P<slots>.+)", "word": "(?P<word>.+?)", "v": "(?P<v>.+)"}


def understand(text: str, speaker: str) -> tuple[Act, ...]:
    """The acts of a text, as far as they are recognised.

    Example:
        >>> [(found.name, found.slot, found.values) for found in understand("I need a train to Tolderby, on friday.", "user")]
        [('Train-Inform', 'destination', ('tolderby',)), ('Train-Inform', 'day', ('friday',))]
    """
    found: list[Act] = []
    for sentence in _SENTENCES.split(text.strip()):
        if sentence:
            read = _read(sentence.rstrip(".?! "), speaker)
            found += spotted(sentence, speaker) if read is None else read
    return tuple(dict.fromkeys(found))


class SpokenTurn(Protocol):
    """What is said, and by whom."""

    @property
    def speaker(self) -> str: ...

    @property
    def text(self) -> str: ...


class TownMaker:
    """The town's understanding of text as a maker of acts, for users that are scored from their words.

    Example:
        >>> from dialmeter.model import Move
        >>> [act.name for act in TownMaker().acts(Move("user", "I need a train to Tolderby."), None)]
        ['Train-Inform']
    """

    name = "town"

    def acts(self, turn: SpokenTurn, schema: object) -> tuple[Act, ...]:
        """The acts of a turn; the town has its own schema."""
        return understand(turn.text, turn.speaker)


def _read(sentence: str, speaker: str) -> list[Act] | None:
    for pattern in _frames(speaker).get(_first_word(sentence), ()):
        match = pattern.regex.fullmatch(sentence)
        if match:
            acts = _acts(pattern.frame, match, speaker)
            if acts is not None:
                return acts
    return None


def _acts(frame: SentenceFrame, match: re.Match[str], speaker: str) -> list[Act] | None:
    if frame.kind == "plain":
        return [act(frame.service, frame.intent)]
    if frame.kind == "clauses":
        clauses = match["clauses"]
        return [act(frame.service, frame.intent)] if clauses is None else _clauses(frame, clauses, speaker)
    if frame.kind == "slots":
        slots = [_slots(speaker).get(word.removeprefix("the ")) for word in _LIST.split(match["slots"])]
        return [act(frame.service, frame.intent, slot) for slot in slots if slot] if all(slots) else None
    slot = frame.slot or _slots(speaker).get(match["word"])
    if not slot:
        return None
    value = canonical(frame.service, slot, match["v"]) if frame.kind in ("fact", "value") else ""
    return [act(frame.service, frame.intent, slot, value)]


@cache
def _slots(speaker: str) -> dict[str, str]:
    return {word: slot for slot, word in grammar(speaker).words.items()}


def _clauses(frame: SentenceFrame, text: str, speaker: str) -> list[Act] | None:
    found = []
    for phrase in text.split(", "):
        pair = _pair(phrase, frame.service, speaker)
        if pair is None:
            return None
        found.append(act(frame.service, frame.intent, *pair))
    return found


def _pair(phrase: str, service: str, speaker: str) -> tuple[str, str] | None:
    for regex, slot, value in _phrases(speaker, service).get(_first_word(phrase), ()):
        match = regex.fullmatch(phrase)
        if match:
            return slot, value or canonical(service, slot, match["v"])
    return None


class _Pattern(NamedTuple):
    regex: re.Pattern[str]
    frame: SentenceFrame


def _first_word(text: str) -> str:
    return text.partition(" ")[0]


@cache
def _frames(speaker: str) -> Mapping[str, Sequence[_Pattern]]:
    """Patterns of sentences by first word; those with more fixed words come first."""
    frames = [frame for group in grammar(speaker).frames.values() for frame in group]
    found: dict[str, list[_Pattern]] = {}
    for frame in sorted(frames, key=lambda each: -len(each.text)):
        text = frame.text.rstrip(".?!")
        found.setdefault(_first_word(text), []).append(_Pattern(_compiled(text), frame))
    return found


@cache
def _phrases(speaker: str, service: str) -> Mapping[str, Sequence[tuple[re.Pattern[str], str, str]]]:
    clauses = sorted(grammar(speaker).clauses[service], key=lambda each: -len(each.text.replace("{v}", "")))
    found: dict[str, list[tuple[re.Pattern[str], str, str]]] = {}
    for clause in clauses:
        found.setdefault(_first_word(clause.text), []).append((_compiled(clause.text), clause.slot, clause.value))
    return found


def _compiled(text: str) -> re.Pattern[str]:
    """A pattern for a phrase with room; a sentence may also go without its clauses."""
    return re.compile("".join(_pieces(text)))


def _pieces(text: str) -> Iterator[str]:
    for piece in re.split(r"( ?\{\w+\})", text):
        if piece.endswith("}"):
            room = _ROOM[piece.strip(" {}")]
            blank = " " if piece.startswith(" ") else ""
            yield f"(?:{blank}{room})?" if "clauses" in piece else f"{blank}{room}"
        else:
            yield re.escape(piece)


_DOMAIN_WORDS = {
    domain: re.compile(rf"\b(?:{words})s?\b")
    for domain, words in {
        "hotel": "hotel|guesthouse|guest house|hostel|place to stay|room|lodging|stay",
        "restaurant": "restaurant|food|eat|dinner|lunch|table|dine",
        "attraction": "attraction|museum|park|visit|sights|something to see",
        "train": "train|rail",
        "taxi": "taxi|cab",
    }.items()
}
_FAREWELLS = re.compile(r"\b(goodbye|bye|that is all|that's all)\b", re.IGNORECASE)
_THANKS = re.compile(r"\b(thanks|thank you)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:from|leaving|departing from|starts? in)$", re.IGNORECASE)
_TIME = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_NUMBER = r"(\d|one|two|three|four|five|six|seven|eight)"
_COUNTED = {
    slot: re.compile(rf"\b{_NUMBER} (?:{words})\b")
    for slot, words in {"people": "people|persons?|guests?|tickets?", "stay": "nights?", "stars": "stars?"}.items()
}
_FLAGS = {
    slot: re.compile(rf"(\bno |\bwithout )?(?:\b\w+ )?\b(?:{words})\b")
    for slot, words in {"internet": "wi-?fi|internet", "parking": "parking|car park"}.items()
}
# Short forms occur in too many sentences.
_SHORTEST = 3
_PLACES = ("departure", "destination")


def domain_in(text: str) -> str | None:
    """The domain that a text speaks of: the one whose word comes first.

    Example:
        >>> domain_in("Is there a cheap place to stay?"), domain_in("Thanks!")
        ('hotel', None)
    """
    lower = text.lower()
    found = [(hit.start(), domain) for domain, words in _DOMAIN_WORDS.items() if (hit := words.search(lower))]
    return min(found)[1] if found else None


def values_in(text: str, domain: str) -> dict[str, str]:
    """Slots of a domain whose values occur in a text; of overlapping forms the longest counts.

    Example:
        >>> values_in("Somewhere cheap near the docks, with wifi", "hotel")
        {'pricerange': 'cheap', 'area': 'harbour', 'internet': 'yes'}
        >>> values_in("A table for four people on friday", "restaurant")
        {'day': 'friday', 'people': '4'}
        >>> values_in("From tolderby to saltmere at 9:15", "train")
        {'departure': 'tolderby', 'destination': 'saltmere', 'leaveat': '09:15'}
    """
    lower = text.lower()
    found: dict[str, str] = {}
    for match in _forms(domain).finditer(lower):
        form = match[0]
        slots = [slot for slot in _slots_of(domain)[form] if slot not in found]
        if set(slots) & set(_PLACES):
            slot = "departure" if _AFTER.search(lower[: match.start()].rstrip()) else "destination"
            slots = [slot] if slot in slots else slots
        if slots:
            found[slots[0]] = canonical_forms(domain, slots[0])[form]
    found |= _times(lower, domain)
    known = DOMAINS[domain].informable
    for slot, count in _COUNTED.items():
        if slot in known and (hit := count.search(lower)):
            found[slot] = canonical_forms(domain, slot).get(hit[1], hit[1])
    for slot, flag in _FLAGS.items():
        if slot in known and (hit := flag.search(lower)):
            found[slot] = "no" if hit[1] else "yes"
    return found


def _times(lower: str, domain: str) -> dict[str, str]:
    match = _TIME.search(lower)
    slots = [slot for slot in ("time", "arriveby", "leaveat") if slot in DOMAINS[domain].informable]
    if not match or not slots:
        return {}
    arrives = re.search(r"arriv|get there|by (?:\w+ )?$", lower[: match.start()])
    slot = slots[0] if slots == ["time"] or arrives else slots[-1]
    return {slot: f"{int(match[1]):02}:{match[2]}"}


@cache
def _slots_of(domain: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for slot in DOMAINS[domain].informable:
        if slot in ("leaveat", "arriveby", "time", *_FLAGS, *_COUNTED):
            continue
        for form in canonical_forms(domain, slot):
            # "hotel" is the domain more often than the type.
            if len(form) >= _SHORTEST and form != domain:
                found.setdefault(form, []).append(slot)
    return found


@cache
def _forms(domain: str) -> re.Pattern[str]:
    forms = sorted(_slots_of(domain), key=lambda form: (-len(form), form))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})\b")


def spotted(sentence: str, speaker: str) -> list[Act]:
    """The acts that a sentence seems to hold.

    Example:
        >>> [(each.name, each.slot) for each in spotted("what's the phone number of that hotel?", "user")]
        [('Hotel-Request', 'phone')]
    """
    domain = domain_in(sentence)
    found: list[Act] = []
    if domain is not None:
        asks = sentence.rstrip().endswith("?") and speaker == USER
        lower = sentence.lower()
        requests = [slot for slot in DOMAINS[domain].request if asks and phrases()["words"][slot] in lower]
        found += [act(domain, "request", slot) for slot in requests]
        found += [act(domain, "inform", slot, value) for slot, value in values_in(sentence, domain).items()]
    if not found and _FAREWELLS.search(sentence):
        found.append(act(GENERAL, "bye"))
    elif not found and _THANKS.search(sentence):
        found.append(act(GENERAL, "thank"))
    return found
