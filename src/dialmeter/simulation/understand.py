"""Parse text into acts with the patterns of the phrases, sentence by sentence. Only the text is used.

A placeholder of a phrase matches any value, also one that the town does not have. A sentence that matches no phrase, for example
of a person or a language model, is searched for known words: words of domains, forms of values, and names of slots in questions.

A noisy channel makes mistakes: some of the understood acts get another slot, another value or another intent, or are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from ..model import USER, Act
from .grammar import ASKED, BOOKING, GENERAL, Phrase, act, grammar, intent_of, phrases, value_of
from .world import ENDS, TIMES, World, remembered, town

_SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_LIST = re.compile(r", | and ")
_PLACEHOLDERS = {"clauses": "(?P<clauses>.+)", "slots": "(?P<slots>.+)", "word": "(?P<word>.+?)", "v": "(?P<v>.+)"}


def understand(text: str, speaker: str, world: World) -> tuple[Act, ...]:
    """Return the recognised acts of a text.

    Example:
        >>> [(each.name, each.slot, each.values) for each in understand("I need a train to Tolderby, on friday.", "user", town())]
        [('Train-Inform', 'destination', ('tolderby',)), ('Train-Inform', 'day', ('friday',))]
    """
    acts: list[Act] = []
    for sentence in _SENTENCES.split(text.strip()):
        if sentence:
            parsed = _parse_sentence(sentence.rstrip(".?! "), speaker, world)
            acts += spot_acts(sentence, speaker, world) if parsed is None else parsed
    return tuple(dict.fromkeys(acts))


class TownMaker:
    """A maker of acts that uses the town's understanding of text, for users that are scored from their texts.

    Example:
        >>> from dialmeter.model import Move
        >>> [act.name for act in TownMaker().acts(Move("user", "I need a train to Tolderby."), None)]
        ['Train-Inform']
    """

    name = "town"

    def acts(self, turn: Any, schema: object) -> tuple[Act, ...]:
        """Return the acts of a turn. The schema is ignored, because the town has its own."""
        return understand(turn.text, turn.speaker, town())


def _parse_sentence(sentence: str, speaker: str, world: World) -> list[Act] | None:
    for frame, match in _matches(sentence, speaker, world):
        pairs = _pairs(frame, match, speaker, world)
        if None not in pairs:
            return [act(frame.service, frame.intent, *pair) for pair in pairs if pair]
    return None


def _pairs(frame: Phrase, match: re.Match[str], speaker: str, world: World) -> list[tuple[str, str] | None]:
    """Return the slots and values of a sentence, with None for an unknown part."""
    parts, slot_of = match.groupdict(), _slots_by_word(world)
    if parts.get("clauses"):
        return [_parse_clause(text, frame.service, speaker, world) for text in parts["clauses"].split(", ")]
    if "slots" in parts:
        slots = [slot_of.get(word.removeprefix("the ")) for word in _LIST.split(parts["slots"])]
        return [(slot, "") if slot else None for slot in slots]
    if parts.keys() <= {"clauses"}:
        return [("", "")]
    slot = frame.slot or slot_of.get(parts["word"])
    return [(slot, world.canonical(frame.service, slot, parts["v"]) if "v" in parts else "") if slot else None]


@remembered
def _slots_by_word(world: World) -> dict[str, str]:
    slots = (slot for domain in world.domains.values() for slot in (*domain.informable, *domain.request, domain.entity))
    return {slot: slot for slot in slots} | {word: slot for slot, word in phrases()["words"].items()}


def _parse_clause(text: str, service: str, speaker: str, world: World) -> tuple[str, str] | None:
    matches = _matches(text, speaker, world, service)
    return next(
        ((each.slot, each.value or world.canonical(service, each.slot, match["v"])) for each, match in matches), None
    )


def _matches(text: str, speaker: str, world: World, service: str = "") -> Iterator[tuple[Phrase, re.Match[str]]]:
    """Yield the sentences that match a text; with a service, its clauses."""
    for regex, phrase in _patterns(world, speaker, service).get(text.partition(" ")[0], ()):
        if match := regex.fullmatch(text):
            yield phrase, match


@remembered
def _patterns(world: World, speaker: str, service: str) -> Mapping[str, Sequence[tuple[re.Pattern[str], Phrase]]]:
    """Return the patterns of sentences, or of the clauses of a service, by first word; longer ones come first."""
    frames = [frame for group in grammar(world, speaker).frames.values() for frame in group]
    patterns: dict[str, list[tuple[re.Pattern[str], Phrase]]] = {}
    for phrase in sorted(
        grammar(world, speaker).clauses[service] if service else frames,
        key=lambda each: -len(each.text.replace("{v}", "") if service else each.text),
    ):
        text = phrase.text.rstrip(".?!")
        patterns.setdefault(text.partition(" ")[0], []).append((_compile(text), phrase))
    return patterns


def _compile(text: str) -> re.Pattern[str]:
    """Compile the pattern of a phrase with placeholders; the clauses of a sentence are optional."""
    pattern = ""
    for piece in re.split(r"( ?\{\w+\})", text):
        if piece.endswith("}"):
            group = " " * piece.startswith(" ") + _PLACEHOLDERS[piece.strip(" {}")]
            pattern += f"(?:{group})?" if "clauses" in piece else group
        else:
            pattern += re.escape(piece)
    return re.compile(pattern)


_DOMAIN_WORDS = {
    "hotel": "hotel|guesthouse|guest house|hostel|place to stay|room|lodging|stay",
    "restaurant": "restaurant|food|eat|dinner|lunch|table|dine",
    "attraction": "attraction|museum|park|visit|sights|something to see",
    "train": "train|rail",
    "taxi": "taxi|cab",
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
# Shorter forms occur by chance in too many sentences.
_SHORTEST = 3


def domain_in(text: str, world: World) -> str | None:
    """Return the domain whose word comes first in a text.

    Example:
        >>> domain_in("Is there a cheap place to stay?", town()), domain_in("Thanks!", town())
        ('hotel', None)
    """
    lower = text.lower()
    hits = [(hit.start(), domain) for domain, words in _domain_words(world).items() if (hit := words.search(lower))]
    return min(hits)[1] if hits else None


@remembered
def _domain_words(world: World) -> dict[str, re.Pattern[str]]:
    words = {domain: _DOMAIN_WORDS.get(domain, re.escape(domain)) for domain in world.domains}
    return {domain: re.compile(rf"\b(?:{each})s?\b") for domain, each in words.items()}


def values_in(text: str, domain: str, world: World) -> dict[str, str]:
    """Return the slots of a domain whose values occur in a text; of overlapping forms, the longest counts.

    Example:
        >>> values_in("Somewhere cheap near the docks, with wifi", "hotel", town())
        {'pricerange': 'cheap', 'area': 'harbour', 'internet': 'yes'}
        >>> values_in("A table for four people on friday", "restaurant", town())
        {'day': 'friday', 'people': '4'}
        >>> values_in("From tolderby to saltmere at 9:15", "train", town())
        {'departure': 'tolderby', 'destination': 'saltmere', 'leaveat': '09:15'}
    """
    lower = text.lower()
    values: dict[str, str] = {}
    for match in _forms(world, domain).finditer(lower):
        form = match[0]
        slots = [slot for slot in _slots_by_form(world, domain)[form] if slot not in values]
        if set(slots) & set(ENDS):
            slot = "departure" if _AFTER.search(lower[: match.start()].rstrip()) else "destination"
            slots = [slot] if slot in slots else slots
        if slots:
            values[slots[0]] = world.canonical_forms(domain, slots[0])[form]
    values |= _times(lower, world.domains[domain].informable)
    informable = world.domains[domain].informable
    for slot, count in _COUNTED.items():
        if slot in informable and (hit := count.search(lower)):
            values[slot] = world.canonical_forms(domain, slot).get(hit[1], hit[1])
    for slot, flag in _FLAGS.items():
        if slot in informable and (hit := flag.search(lower)):
            values[slot] = "no" if hit[1] else "yes"
    return values


def _times(lower: str, informable: Sequence[str]) -> dict[str, str]:
    match = _TIME.search(lower)
    slots = [slot for slot in ("time", "arriveby", "leaveat") if slot in informable]
    if not match or not slots:
        return {}
    arrives = re.search(r"arriv|get there|by (?:\w+ )?$", lower[: match.start()])
    slot = slots[0] if slots == ["time"] or arrives else slots[-1]
    return {slot: f"{int(match[1]):02}:{match[2]}"}


@remembered
def _slots_by_form(world: World, domain: str) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    for slot in world.domains[domain].informable:
        if slot in (*TIMES, "time", *_FLAGS, *_COUNTED):
            continue
        for form in world.canonical_forms(domain, slot):
            # The word "hotel" means the domain more often than the type.
            if len(form) >= _SHORTEST and form != domain:
                slots.setdefault(form, []).append(slot)
    return slots


@remembered
def _forms(world: World, domain: str) -> re.Pattern[str]:
    forms = sorted(_slots_by_form(world, domain), key=lambda form: (-len(form), form))
    # A domain without known values matches nothing.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, forms)) or '(?!)'})\b")


def spot_acts(sentence: str, speaker: str, world: World) -> list[Act]:
    """Return the acts that the known words of a sentence suggest.

    Example:
        >>> [(each.name, each.slot) for each in spot_acts("what's the phone number of that hotel?", "user", town())]
        [('Hotel-Request', 'phone')]
    """
    domain = domain_in(sentence, world)
    acts: list[Act] = []
    if domain is not None:
        is_question = sentence.rstrip().endswith("?") and speaker == USER
        lower = sentence.lower()
        requests = [
            slot
            for slot in world.domains[domain].request
            if is_question and phrases()["words"].get(slot, slot) in lower
        ]
        acts += [act(domain, "request", slot) for slot in requests]
        acts += [act(domain, "inform", slot, value) for slot, value in values_in(sentence, domain, world).items()]
    if not acts and _FAREWELLS.search(sentence):
        acts.append(act(GENERAL, "bye"))
    elif not acts and _THANKS.search(sentence):
        acts.append(act(GENERAL, "thank"))
    return acts


# Intents that can be confused, and with which intent; acts with any other intent are lost instead.
_CONFUSED_WITH = {"inform": "request", "request": "inform", "recommend": "inform", "nooffer": "inform"}


def noisy(acts: Iterable[Act], rate: float, rng: Random, world: World) -> tuple[Act, ...]:
    """Return the acts with random mistakes. The rate is the share of wrong acts, from 0 to 1.

    Example:
        >>> said = [act("hotel", "inform", "area", "east"), act("hotel", "inform", "stars", "4")]
        >>> noisy(said, 0.0, Random(1), town()) == tuple(said)
        True
        >>> [(each.slot, each.values) for each in noisy(said, 1.0, Random(3), town())]
        [('stars', ('1',))]
    """
    result: list[Act] = []
    for each in acts:
        understood = each if rng.random() >= rate else _distort(each, rng, world)
        result += [understood] if understood is not None else []
    return tuple(result)


def _distort(original: Act, rng: Random, world: World) -> Act | None:
    kind = rng.choice(("slot", "value", "act"))
    if original.service == GENERAL or not original.slot or kind == "act":
        return _other_intent(original, rng)
    return _other_slot(original, rng, world) if kind == "slot" else _other_value(original, rng, world)


def _other_intent(original: Act, rng: Random) -> Act | None:
    intent = _CONFUSED_WITH.get(intent_of(original.name))
    if intent is None or not original.slot or original.service == BOOKING or rng.random() < 0.5:
        return None
    if intent == "request":
        return act(original.service, intent, original.slot)
    value = value_of(original)
    return None if value == ASKED else act(original.service, intent, original.slot, value)


def _other_slot(original: Act, rng: Random, world: World) -> Act | None:
    """Return an act with the same intent, another slot of the domain, and a value that this slot can have."""
    value, intent = value_of(original), intent_of(original.name)
    slots = [slot for slot in _noise_slots(world, original.service, value == ASKED) if slot != original.slot]
    if not slots:
        return None
    slot = rng.choice(slots)
    if value == ASKED:
        return act(original.service, intent, slot)
    values = _noise_values(world, original.service, slot)
    return act(original.service, intent, slot, value if value in values else rng.choice(values)) if values else None


def _other_value(original: Act, rng: Random, world: World) -> Act | None:
    values = [value for value in _noise_values(world, original.service, original.slot) if value != value_of(original)]
    if value_of(original) == ASKED or not values:
        return _other_slot(original, rng, world)
    return act(original.service, intent_of(original.name), original.slot, rng.choice(values))


@remembered
def _noise_slots(world: World, service: str, is_request: bool) -> tuple[str, ...]:
    if service == BOOKING:
        return tuple(dict.fromkeys(slot for domain in _booked(world) for slot in world.domains[domain].book))
    domain = world.domains[service]
    return tuple(dict.fromkeys((*domain.informable, *(domain.request if is_request else ()))))


@remembered
def _noise_values(world: World, service: str, slot: str) -> tuple[str, ...]:
    """Return the values that a slot can have."""
    if service == BOOKING:
        booked = (domain for domain in _booked(world) if slot in world.domains[domain].book)
        return next((_noise_values(world, domain, slot) for domain in booked), ())
    is_informable = slot in world.domains[service].informable
    return world.goal_values(service, slot) if is_informable else world.values(service, slot)


def _booked(world: World) -> list[str]:
    """Return the domains whose bookings are acts of the service ``booking``."""
    return [name for name, domain in world.domains.items() if domain.book and not domain.has_times]
