"""Acts found by rules: values by the map and the goal, numbers and times by their words, requests by slot words in a question.

No act is found that has neither a value nor a slot word, such as that a booking failed.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from ...model import SYSTEM, USER, Act
from ...values.maps import ValueMap
from ..profile import REQUEST, Profile, classifier
from .numbers import forms_of_date, numbers, times
from .phrases import WORD, domain_phrases, phrase, phrases_in, words_of
from .reader import TextSchema, TextTurn

_SENTENCE = re.compile(r"[^.?!]+(?:[.?!](?=\w)[^.?!]*)*[.?!]*")
_WEAK = re.compile(r"\d{1,2}|none|\w{1,3}")
"""Forms that are too short to be a value without a word for their slot."""
_FILLERS = frozenset(["the", "a", "an", "around", "about", "at", "on", "near", "approximately", "roughly"])
_NEGATION = re.compile(r"\b(?:not|no|without|don'?t|doesn'?t)\b")
_CARELESS = re.compile(
    r"\b(?:(?:do not|don'?t|does not|doesn'?t|not) (?:really |particularly )?(?:care|matter|mind|picky|have (?:a|any|an) preference)"
    r"|no (?:particular |specific )?preferences?|any|either|whatever|whichever|flexible|open to)\b"
)
_CARELESS_ANSWER = re.compile(
    _CARELESS.pattern.replace(
        "|any|",
        "|anything|anywhere|anyone|any(?: one)?(?: of (?:them|those))?(?: \\w+){0,2} (?:is|will|would|works|are)|surprise me|",
    )
    + r"|^\W*any(?: \w+)?\W*$"
)
_DECLINES = re.compile(r"\s*(?:no|nope|not really|none|not particularly|nothing)\b")
_PREFERENCE = re.compile(r"\b(?:prefer\w*|particular|in mind|specific|special|any \w+ (?:you|type|kind))\b")
_QUESTION = re.compile(r"\b(?:what|when|how|which|where)\b")
_ABOUT_IT = re.compile(r"\b(?:it|they|that|this|there|the hotel|the guesthouse)\b")
_IS_IT = re.compile(r"\s*(?:and |also,? |ok(?:ay)?,? )?(?:is|are|does|do|will) (?:it|that|this|they|the flight)\b.*\?")
_NEAR = 6


class _Span(NamedTuple):
    """A value in a sentence: its tokens, what kind it is, and how it is written."""

    start: int
    end: int
    kind: Literal["time", "number", "form"]
    value: str


class _Sentence(Struct, eq=False):
    """A sentence while it is read.

    Attributes:
        text: in lower case.
        words: its words.
        domains: the domains that it names, with the places of the words.
        slots: the slots that it names, with the places of the first word and after the last.
    """

    text: str
    words: list[str]
    domains: list[tuple[int, str]]
    slots: list[tuple[int, int, tuple[str, ...]]]

    def before(self, place: int, cues: Iterable[str]) -> bool:
        """Is one of some cues right before a place, fillers aside?"""
        for end in range(place, max(place - 3, 0), -1):
            text = " ".join(self.words[:end])
            if any(text == cue or text.endswith(f" {cue}") for cue in cues):
                return True
            if self.words[end - 1] not in _FILLERS:
                break
        return False


class _Context(Struct, eq=False):
    """What a sentence is read with.

    Attributes:
        schema: what may be spoken of.
        asked: domain and slot that the turn before asks for.
        domain: the one that was spoken of last.
        forms: domain → form → slot → value, for the values of the goal.
        told: domain and slot that have their value already.
    """

    schema: TextSchema
    asked: list[tuple[str, str]]
    domain: str | None
    forms: Mapping[str, Mapping[str, Mapping[str, str]]]
    told: set[tuple[str, str]]


class RuleMaker:
    """Finds acts by rules.

    Args:
        profile: how slots and domains are called, and how acts are named.
        value_map: the forms of values; the values of the goal are looked for in any case.
    """

    name = "rules"

    def __init__(self, profile: Profile, value_map: ValueMap | None) -> None:
        self._given = (profile, value_map)
        self._words = profile.words
        self._parts_of = classifier(profile.acts)
        self._map = value_map
        self._indices: dict[str, dict[str, dict[str, str]]] = {}
        self._slot_words: dict[str, tuple[str, ...]] = {}
        for slot, listed in profile.words.slots.items():
            for word in listed:
                form = phrase(word)
                self._slot_words[form] = (*self._slot_words.get(form, ()), slot)
        self._domain_words = domain_phrases(profile.words.domains)
        self._traits = profile.traits
        self._asks = [re.compile(rf"\b{re.escape(cue)}\b") for cue in profile.words.asks]

    def __reduce__(self) -> tuple[Any, ...]:
        return RuleMaker, self._given

    def acts(self, turn: TextTurn, schema: TextSchema) -> tuple[Act, ...]:
        """Return the acts of a turn."""
        found: dict[Act, None] = {}
        context = _Context(schema, self._asked(turn), turn.domain, self._goal_forms(schema), set())
        slot_words = self._slot_words | _named_slots(schema, self._slot_words)
        for written in _SENTENCE.findall(turn.text):
            words = words_of(written)
            sentence = _Sentence(
                written.lower(),
                words,
                [(start, self._domain_words[form]) for start, _, form in phrases_in(words, self._domain_words)],
                [(start, end, slot_words[form]) for start, end, form in phrases_in(words, slot_words)],
            )
            context.told = set()
            found.update(dict.fromkeys(self._acts_of(turn, sentence, context)))
            named = [domain for _, domain in sentence.domains]
            context.domain = named[-1] if named else next((act.service for act in reversed(found)), context.domain)
        if turn.speaker == USER:
            informed = {(act.service, act.slot) for act in found}
            found.update(dict.fromkeys(self._careless_answer(turn, context.asked, informed)))
        return tuple(found)

    def _acts_of(self, turn: TextTurn, sentence: _Sentence, context: _Context) -> Iterator[Act]:
        """Return the acts of a sentence."""
        words = self._words
        used: set[int] = set()
        # "Is it in the centre?" asks for the area.
        is_told = turn.speaker == SYSTEM or not _IS_IT.match(sentence.text)
        in_goal = {form for each in context.forms.values() for form in each}
        in_map = frozenset().union(*(self._index(domain) for domain in context.schema.slots))
        for span in _spans(sentence, in_goal, in_map) if is_told else ():
            likely, others = self._places(sentence, span.start, context)
            for domain in (*likely, *others):
                choice = self._slot_of(span, domain, sentence, context, domain in likely or not likely)
                if choice:
                    slot, value, named = choice
                    used.update(named)
                    context.told.add((domain, slot))
                    yield Act(words.inform, domain, slot, (value,))
                    break
        asks = "?" in sentence.text or any(cue.search(sentence.text) for cue in self._asks)
        careless = [found.span() for found in _CARELESS.finditer(sentence.text)] if turn.speaker == USER else []
        for place, (start, end, slots) in enumerate(sentence.slots):
            domain, slot = self._slot_at(sentence, start, slots, context)
            if not domain or place in used:
                continue
            if careless and self._is_near(sentence, careless, start, end):
                yield Act(words.inform, domain, slot, ("dontcare",))
            elif slot in words.flags and turn.speaker == USER and not (asks and _ABOUT_IT.search(sentence.text)):
                before = " ".join(sentence.words[max(start - 4, 0) : start])
                yield Act(words.inform, domain, slot, ("no" if _NEGATION.search(before) else "yes",))
            elif asks and self._may_ask(sentence, slot):
                yield Act(words.request, domain, slot, ("?",))
            elif turn.speaker == SYSTEM and not asks:
                yield Act(words.inform, domain, slot)

    def _may_ask(self, sentence: _Sentence, slot: str) -> bool:
        """May a slot word in a question ask for the slot? Words such as "leaving" also say how something is searched for."""
        words = self._words
        searched = slot in words.times or slot in words.numbers or slot in words.before
        return not searched or bool(_QUESTION.search(sentence.text))

    def _slot_at(self, sentence: _Sentence, start: int, slots: Sequence[str], context: _Context) -> tuple[str, str]:
        """Return the domain and the slot that a slot word means; empty if no domain has it."""
        likely, others = self._places(sentence, start, context)
        for domain in likely or others:
            for slot in slots:
                if slot in context.schema.slots.get(domain, ()):
                    return domain, slot
        return "", ""

    def _places(self, sentence: _Sentence, start: int, context: _Context) -> tuple[list[str], list[str]]:
        """Return the domains that a place of a sentence is likely to be about, and all others of the goal."""
        before = [domain for place, domain in sentence.domains if place <= start]
        named = before[-1:] or [domain for _, domain in sentence.domains[:1]]
        asked = [domain for domain, _ in context.asked]
        likely = dict.fromkeys([*named, *asked, *([context.domain] if context.domain else [])])
        schema = context.schema
        return list(likely), [domain for domain in schema.values or schema.slots if domain not in likely]

    def _slot_of(
        self, span: _Span, domain: str, sentence: _Sentence, context: _Context, is_likely: bool
    ) -> tuple[str, str, list[int]] | None:
        """Return the slot and value of a span in a domain, and the slot words that say so; None if several slots are possible."""
        words, asked, schema = self._words, context.asked, context.schema
        slots, wanted = schema.slots.get(domain, frozenset()), schema.values.get(domain, {})
        if span.kind == "form":
            options = {**self._index(domain).get(span.value, {}), **context.forms.get(domain, {}).get(span.value, {})}
            options = {slot: value for slot, value in options.items() if slot in slots and slot not in words.flags}
        else:
            kinds = words.times if span.kind == "time" else words.numbers
            options = {slot: span.value for slot in kinds if slot in slots}
        if not options:
            return None
        # "A hotel" names the domain; it is a kind only where the kind is asked for.
        options = {slot: value for slot, value in options.items() if value != domain or (domain, slot) in asked}
        # A slot that has its value already leaves this one to another.
        options = {slot: value for slot, value in options.items() if (domain, slot) not in context.told} or options
        near = sorted(
            (start - span.end if start >= span.end else span.start - end + 1, place)
            for place, (start, end, named) in enumerate(sentence.slots)
            if any(slot in options for slot in named)
        )
        after = [
            (slot, [place])
            for place, (start, _, named) in enumerate(sentence.slots)
            for slot in named
            if slot in options and 0 <= start - span.end <= (1 if span.kind == "number" else 0)
        ]
        cued: list[tuple[str, list[int]]] = [
            (slot, []) for slot in options if sentence.before(span.start, words.before.get(slot, ()))
        ]
        answered: list[tuple[str, list[int]]] = [(slot, []) for slot in options if (domain, slot) in asked]
        close = [
            (slot, [place])
            for distance, place in near
            for slot in sentence.slots[place][2]
            if slot in options and distance <= (3 if span.kind == "number" else _NEAR)
        ]
        # "Leaving Ely by 10:00" says when to leave.
        verbs = [
            (slot, [place])
            for place, (start, end, named) in reversed(list(enumerate(sentence.slots)))
            for slot in named
            if span.kind == "time" and slot in options and 0 <= span.start - end < _NEAR
        ]
        for found in (after, verbs, cued, answered, close):
            if found:
                slot, used = found[0]
                return slot, options[slot], used
        if not is_likely or span.kind == "number" or _WEAK.fullmatch(span.value):
            return None
        goal = [slot for slot, value in options.items() if value in wanted.get(slot, ())]
        clear = goal if len(goal) == 1 else list(options)
        return (clear[0], options[clear[0]], []) if len(clear) == 1 else None

    def _is_near(self, sentence: _Sentence, careless: Sequence[tuple[int, int]], start: int, end: int) -> bool:
        """Does "any" or "does not matter" qualify a slot word?"""
        for first, last in careless:
            before, inside = len(words_of(sentence.text[:first])), len(words_of(sentence.text[first:last]))
            if sentence.words[before : before + inside] == ["any"]:
                if start == before + 1:
                    return True
            elif -4 <= start - (before + inside) <= 3 or 0 <= before - end <= 3:
                return True
        return False

    def _careless_answer(
        self, turn: TextTurn, asked: Sequence[tuple[str, str]], informed: Container[tuple[str, str]]
    ) -> Iterator[Act]:
        """Return the user has no preference for what the system asks."""
        if not asked or turn.reply_to is None:
            return
        first = " ".join(_SENTENCE.findall(turn.text.lower())[:2])
        declines = _DECLINES.match(first) and _PREFERENCE.search(turn.reply_to.text.lower())
        if not declines and not _CARELESS_ANSWER.search(first):
            return
        for domain, slot in asked:
            if (domain, slot) not in informed:
                yield Act(self._words.inform, domain, slot, ("dontcare",))

    def _asked(self, turn: TextTurn) -> list[tuple[str, str]]:
        """What the turn before asks for."""
        before = turn.reply_to
        if before is None or before.speaker == turn.speaker:
            return []
        acts = [act for act in before.acts or () if act.slot and self._parts_of(act.name) & REQUEST]
        return [(act.service, act.slot.lower()) for act in acts]

    def _index(self, domain: str) -> Mapping[str, Mapping[str, str]]:
        """Form → slot → canonical value."""
        if domain not in self._indices:
            index: dict[str, dict[str, str]] = {}
            for slot in self._map.slots if self._map else ():
                table = self._map.table(domain, slot) if self._map else None
                if slot in self._words.times or slot in self._words.numbers:
                    continue
                for form, canonical in (table.by_form if table else {}).items():
                    if canonical != "dontcare":
                        index.setdefault(phrase(form), {}).setdefault(slot, canonical)
            index.pop("", None)
            self._indices[domain] = index
        return self._indices[domain]

    def _goal_forms(self, schema: TextSchema) -> dict[str, dict[str, dict[str, str]]]:
        """Domain → form → slot → value, for the values of the goal."""
        found: dict[str, dict[str, dict[str, str]]] = {}
        own = {*self._words.flags, *self._words.times, *self._words.numbers}
        for domain, slots in schema.values.items():
            for slot, values in slots.items():
                for value in values if slot not in own else ():
                    for form in (value, *forms_of_date(value), *self._beginnings(domain, slot, value)):
                        key = phrase(form)
                        if key and key != "dontcare":
                            found.setdefault(domain, {}).setdefault(key, {})[slot] = value
        return found

    def _beginnings(self, domain: str, slot: str, value: str) -> Iterator[str]:
        """How a name is said in short: its first words."""
        words = words_of(value)
        if slot in self._traits(domain).entity_slots:
            for length in range(1, len(words)):
                short = " ".join(words[:length])
                if words[length - 1] not in _FILLERS and len(short) > 2 and short not in self._domain_words:
                    yield short


def _named_slots(schema: TextSchema, known: Container[str]) -> dict[str, tuple[str, ...]]:
    """Return a slot is called by its own name, too, such as ``party_size`` "party size"."""
    found: dict[str, tuple[str, ...]] = {}
    for slots in schema.slots.values():
        for slot in sorted(slots):
            form = phrase(slot.replace("_", " "))
            if form and form not in known and slot not in found.get(form, ()):
                found[form] = (*found.get(form, ()), slot)
    return found


def _spans(sentence: _Sentence, *known: Container[str]) -> list[_Span]:
    """Return the values of a sentence: times, numbers, and the longest known forms, which do not overlap."""
    places = [(found.start(), found.end()) for found in WORD.finditer(sentence.text)]

    def tokens(first: int, last: int) -> tuple[int, int]:
        inside = [place for place, (start, end) in enumerate(places) if start < last and end > first]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    found = [_Span(*tokens(first, last), "time", value) for first, last, value in times(sentence.text)]
    taken = {place for span in found for place in range(span.start, span.end)}
    forms = [_Span(start, end, "form", form) for start, end, form in phrases_in(sentence.words, *known)]
    found += [span for span in forms if taken.isdisjoint(range(span.start, span.end))]
    longer = {place for span in forms if span.end - span.start > 1 for place in range(span.start, span.end)}
    for first, last, value in numbers(sentence.text):
        start, end = tokens(first, last)
        if taken.isdisjoint(range(start, end)) and longer.isdisjoint(range(start, end)):
            found.append(_Span(start, end, "number", value))
    return sorted(found)
