"""Rules that find acts in text: values of the map and of the goal, numbers and times, and slot words in questions as requests.

Acts with neither a value nor a slot word are not found. An example is that a booking failed.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from ...model import SYSTEM, USER, Act
from ...values.maps import ValueMap
from ..profile import REQUEST, Profile, classifier
from .phrases import WORD, Phrases, domain_phrases, forms_of_date, numbers, phrase, phrases_in, times, words_of
from .reader import TextSchema, TextTurn

_SENTENCE = re.compile(r"[^.?!]+(?:[.?!](?=\w)[^.?!]*)*[.?!]*")
_WEAK = re.compile(r"\d{1,2}|none|\w{1,3}")
"""Forms that are too short to count as a value without a word for their slot."""
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
_MAX_DISTANCE = 6


class _Span(NamedTuple):
    """A value in a sentence: its first token, the token after its last, its kind, and its text."""

    start: int
    end: int
    kind: Literal["time", "number", "form"]
    value: str


class _Sentence(Struct, eq=False):
    """A sentence in lower case, with the domains and slots that it names."""

    text: str
    words: list[str]
    domains: list[tuple[int, str]]
    """Index of a word, and the domain that is named there."""
    slots: list[tuple[int, int, tuple[str, ...]]]
    """Index of the first word, index after the last word, and the slots that are named there."""

    def has_cue_before(self, index: int, cues: Iterable[str]) -> bool:
        """Return True if one of the cues is right before a word. Fillers between them are ignored."""
        for end in range(index, max(index - 3, 0), -1):
            text = " ".join(self.words[:end])
            if any(text == cue or text.endswith(f" {cue}") for cue in cues):
                return True
            if self.words[end - 1] not in _FILLERS:
                break
        return False


class _SchemaWords(Struct, eq=False):
    """The words of a schema, which all turns of a dialogue share."""

    schema: TextSchema
    slots: Mapping[str, tuple[str, ...]]
    """Form → slots."""
    goal: Mapping[str, Mapping[str, Mapping[str, str]]]
    """Domain → form → slot → value, for the values of the goal."""
    slot_forms: Phrases
    goal_forms: Phrases
    map_forms: Phrases


class _Context(Struct, eq=False):
    """The context in which a sentence is read: domains and slots that the last turn asks for, and that have a value."""

    words: _SchemaWords
    asked: list[tuple[str, str]]
    domain: str | None
    filled: set[tuple[str, str]]


class RuleMaker:
    """Finds acts by rules. Words are those of the profile and of the value map; values of the goal are found without a map, too."""

    name = "rules"

    def __init__(self, profile: Profile, value_map: ValueMap | None) -> None:
        self._arguments = (profile, value_map)
        self._words = profile.words
        self._types_of = classifier(profile.acts)
        self._map = value_map
        self._indices: dict[str, dict[str, dict[str, str]]] = {}
        self._map_forms: dict[tuple[str, ...], Phrases] = {}
        self._schema_words: _SchemaWords | None = None
        self._slot_words: dict[str, tuple[str, ...]] = {}
        for slot, listed in profile.words.slots.items():
            for word in listed:
                form = phrase(word)
                self._slot_words[form] = (*self._slot_words.get(form, ()), slot)
        self._domain_words = domain_phrases(profile.words.domains)
        self._domain_forms = Phrases(self._domain_words)
        self._traits = profile.traits
        self._asks = [re.compile(rf"\b{re.escape(cue)}\b") for cue in profile.words.asks]

    def __reduce__(self) -> tuple[Any, ...]:
        return RuleMaker, self._arguments

    def reads_with(self, profile: Profile, value_map: ValueMap | None) -> bool:
        """Return True if the rules read with this profile and this value map."""
        own_profile, own_map = self._arguments
        return own_profile == profile and (own_map and own_map.label) == (value_map and value_map.label)

    def acts(self, turn: TextTurn, schema: TextSchema) -> tuple[Act, ...]:
        """Return the acts of a turn."""
        acts: dict[Act, None] = {}
        schema_words = self._words_of(schema)
        slot_words = schema_words.slots
        context = _Context(schema_words, self._requested_slots(turn), turn.domain, set())
        for sentence_text in _SENTENCE.findall(turn.text):
            words = words_of(sentence_text)
            sentence = _Sentence(
                sentence_text.lower(),
                words,
                [(start, self._domain_words[form]) for start, _, form in phrases_in(words, self._domain_forms)],
                [(start, end, slot_words[form]) for start, end, form in phrases_in(words, schema_words.slot_forms)],
            )
            context.filled = set()
            acts.update(dict.fromkeys(self._acts_of(turn, sentence, context)))
            named = [domain for _, domain in sentence.domains]
            context.domain = named[-1] if named else next((act.service for act in reversed(acts)), context.domain)
        if turn.speaker == USER:
            informed = {(act.service, act.slot) for act in acts}
            acts.update(dict.fromkeys(self._careless_answer(turn, context.asked, informed)))
        return tuple(acts)

    def _acts_of(self, turn: TextTurn, sentence: _Sentence, context: _Context) -> Iterator[Act]:
        """Yield the acts of a sentence."""
        words = self._words
        used: set[int] = set()
        # "Is it in the centre?" is a request for the area, not a statement.
        is_statement = turn.speaker == SYSTEM or not _IS_IT.match(sentence.text)
        for span in _spans(sentence, context.words.goal_forms, context.words.map_forms) if is_statement else ():
            likely, others = self._candidate_domains(sentence, span.start, context)
            for domain in (*likely, *others):
                choice = self._slot_of(span, domain, sentence, context, domain in likely or not likely)
                if choice:
                    slot, value, named = choice
                    used.update(named)
                    context.filled.add((domain, slot))
                    yield Act(words.inform, domain, slot, (value,))
                    break
        asks = "?" in sentence.text or any(cue.search(sentence.text) for cue in self._asks)
        # Words such as "leaving" also introduce search constraints.
        search_words = (*words.times, *words.numbers, *words.before)
        careless = [match.span() for match in _CARELESS.finditer(sentence.text)] if turn.speaker == USER else []
        for index, (start, end, slots) in enumerate(sentence.slots):
            domain, slot = self._slot_at(sentence, start, slots, context)
            if not domain or index in used:
                continue
            if careless and self._is_qualified(sentence, careless, start, end):
                yield Act(words.inform, domain, slot, ("dontcare",))
            elif slot in words.flags and turn.speaker == USER and not (asks and _ABOUT_IT.search(sentence.text)):
                before = " ".join(sentence.words[max(start - 4, 0) : start])
                yield Act(words.inform, domain, slot, ("no" if _NEGATION.search(before) else "yes",))
            elif asks and (slot not in search_words or _QUESTION.search(sentence.text)):
                yield Act(words.request, domain, slot, ("?",))
            elif turn.speaker == SYSTEM and not asks:
                yield Act(words.inform, domain, slot)

    def _slot_at(self, sentence: _Sentence, start: int, slots: Sequence[str], context: _Context) -> tuple[str, str]:
        """Return the domain and the slot of a slot word, or empty strings if no domain has the slot."""
        likely, others = self._candidate_domains(sentence, start, context)
        for domain in likely or others:
            for slot in slots:
                if slot in context.words.schema.slots.get(domain, ()):
                    return domain, slot
        return "", ""

    def _candidate_domains(self, sentence: _Sentence, start: int, context: _Context) -> tuple[list[str], list[str]]:
        """Return the likely domains of a word in a sentence, and all other domains of the goal."""
        before = [domain for index, domain in sentence.domains if index <= start]
        named = before[-1:] or [domain for _, domain in sentence.domains[:1]]
        asked = [domain for domain, _ in context.asked]
        likely = dict.fromkeys([*named, *asked, *([context.domain] if context.domain else [])])
        schema = context.words.schema
        return list(likely), [domain for domain in schema.values or schema.slots if domain not in likely]

    def _slot_of(
        self, span: _Span, domain: str, sentence: _Sentence, context: _Context, is_likely: bool
    ) -> tuple[str, str, list[int]] | None:
        """Return the slot and value of a span in a domain, and the indexes of its slot words.

        Return None if no slot or several slots are possible.
        """
        words, asked, schema = self._words, context.asked, context.words.schema
        slots, wanted = schema.slots.get(domain, frozenset()), schema.values.get(domain, {})
        if span.kind == "form":
            options = {
                **self._index(domain).get(span.value, {}),
                **context.words.goal.get(domain, {}).get(span.value, {}),
            }
            options = {slot: value for slot, value in options.items() if slot in slots and slot not in words.flags}
        else:
            kinds = words.times if span.kind == "time" else words.numbers
            options = {slot: span.value for slot in kinds if slot in slots}
        if not options:
            return None
        # "A hotel" names the domain. It is a type only if the system asks for the type.
        options = {slot: value for slot, value in options.items() if value != domain or (domain, slot) in asked}
        # Prefer slots that have no value yet.
        options = {slot: value for slot, value in options.items() if (domain, slot) not in context.filled} or options
        # The slot words of the sentence: place, slot, first word, and the word after the last.
        named = [
            (place, slot, start, end)
            for place, (start, end, slots) in enumerate(sentence.slots)
            for slot in slots
            if slot in options
        ]
        is_number = span.kind == "number"

        def distance(start: int, end: int) -> int:
            return start - span.end if start >= span.end else span.start - end + 1

        candidates: list[tuple[str, list[int]]] = [
            *((slot, [place]) for place, slot, start, _ in named if 0 <= start - span.end <= is_number),
            # In "leaving Ely by 10:00", the verb decides the slot of the time.
            *(
                (slot, [place])
                for place, slot, _, end in sorted(named, key=lambda each: -each[0])
                if span.kind == "time" and 0 <= span.start - end < _MAX_DISTANCE
            ),
            *((slot, []) for slot in options if sentence.has_cue_before(span.start, words.before.get(slot, ()))),
            *((slot, []) for slot in options if (domain, slot) in asked),
            *(
                (slot, [place])
                for place, slot, start, end in sorted(named, key=lambda each: (distance(*each[2:]), each[0]))
                if distance(start, end) <= (3 if is_number else _MAX_DISTANCE)
            ),
        ]
        if candidates:
            slot, used = candidates[0]
            return slot, options[slot], used
        if not is_likely or is_number or _WEAK.fullmatch(span.value):
            return None
        goal = [slot for slot, value in options.items() if value in wanted.get(slot, ())]
        unique = goal if len(goal) == 1 else list(options)
        return (unique[0], options[unique[0]], []) if len(unique) == 1 else None

    def _is_qualified(self, sentence: _Sentence, careless: Sequence[tuple[int, int]], start: int, end: int) -> bool:
        """Return True if words such as "any" or "does not matter" qualify a slot word."""
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
        """Yield acts for slots that the system asks for, if the user answers that it has no preference."""
        if not asked or turn.reply_to is None:
            return
        first = " ".join(_SENTENCE.findall(turn.text.lower())[:2])
        declines = _DECLINES.match(first) and _PREFERENCE.search(turn.reply_to.text.lower())
        if not declines and not _CARELESS_ANSWER.search(first):
            return
        for domain, slot in asked:
            if (domain, slot) not in informed:
                yield Act(self._words.inform, domain, slot, ("dontcare",))

    def _requested_slots(self, turn: TextTurn) -> list[tuple[str, str]]:
        """Return domain and slot of the requests of the previous turn."""
        previous = turn.reply_to
        if previous is None or previous.speaker == turn.speaker:
            return []
        acts = [act for act in previous.acts or () if act.slot and self._types_of(act.name) & REQUEST]
        return [(act.service, act.slot.lower()) for act in acts]

    def _index(self, domain: str) -> Mapping[str, Mapping[str, str]]:
        """Return form → slot → canonical value, for a domain."""
        if domain not in self._indices:
            index: dict[str, dict[str, str]] = {}
            for slot in sorted(self._map.slots) if self._map else ():
                table = self._map.table(domain, slot) if self._map else None
                if slot in self._words.times or slot in self._words.numbers:
                    continue
                for form, canonical in sorted(table.by_form.items() if table else ()):
                    if canonical != "dontcare":
                        index.setdefault(phrase(form), {}).setdefault(slot, canonical)
            index.pop("", None)
            self._indices[domain] = index
        return self._indices[domain]

    def _words_of(self, schema: TextSchema) -> _SchemaWords:
        """Return the words of a schema. They are computed once per dialogue, because its turns have the same schema."""
        if self._schema_words is None or self._schema_words.schema is not schema:
            domains = tuple(schema.slots)
            if domains not in self._map_forms:
                self._map_forms[domains] = Phrases(frozenset().union(*map(self._index, domains)))
            slots = self._slot_words | _named_slots(schema, self._slot_words)
            goal = self._goal_forms(schema)
            goal_forms = Phrases(form for each in goal.values() for form in each)
            self._schema_words = _SchemaWords(schema, slots, goal, Phrases(slots), goal_forms, self._map_forms[domains])
        return self._schema_words

    def _goal_forms(self, schema: TextSchema) -> dict[str, dict[str, dict[str, str]]]:
        """Return domain → form → slot → value, for the values of the goal."""
        forms: dict[str, dict[str, dict[str, str]]] = {}
        excluded = {*self._words.flags, *self._words.times, *self._words.numbers}
        for domain, slots in schema.values.items():
            for slot, values in slots.items():
                for value in values if slot not in excluded else ():
                    for form in (value, *forms_of_date(value), *self._short_forms(domain, slot, value)):
                        key = phrase(form)
                        if key and key != "dontcare":
                            forms.setdefault(domain, {}).setdefault(key, {})[slot] = value
        return forms

    def _short_forms(self, domain: str, slot: str, value: str) -> Iterator[str]:
        """Yield short forms of a name: its first words."""
        words = words_of(value)
        if slot in self._traits(domain).entity_slots:
            for length in range(1, len(words)):
                short = " ".join(words[:length])
                if words[length - 1] not in _FILLERS and len(short) > 2 and short not in self._domain_words:
                    yield short


def _named_slots(schema: TextSchema, known: Container[str]) -> dict[str, tuple[str, ...]]:
    """Return form → slots for slots that are called by their own name, such as "party size" for ``party_size``."""
    slots_of: dict[str, tuple[str, ...]] = {}
    for slots in schema.slots.values():
        for slot in sorted(slots):
            form = phrase(slot.replace("_", " "))
            if form and form not in known and slot not in slots_of.get(form, ()):
                slots_of[form] = (*slots_of.get(form, ()), slot)
    return slots_of


def _spans(sentence: _Sentence, *known: Phrases) -> list[_Span]:
    """Return the values of a sentence: times, numbers, and the longest known forms. Known forms do not overlap."""
    offsets = [(match.start(), match.end()) for match in WORD.finditer(sentence.text)]

    def tokens(first: int, last: int) -> tuple[int, int]:
        inside = [index for index, (start, end) in enumerate(offsets) if start < last and end > first]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    spans = [_Span(*tokens(first, last), "time", value) for first, last, value in times(sentence.text)]
    taken = {index for span in spans for index in range(span.start, span.end)}
    forms = [_Span(start, end, "form", form) for start, end, form in phrases_in(sentence.words, *known)]
    spans += [span for span in forms if taken.isdisjoint(range(span.start, span.end))]
    longer = {index for span in forms if span.end - span.start > 1 for index in range(span.start, span.end)}
    for first, last, value in numbers(sentence.text):
        start, end = tokens(first, last)
        if taken.isdisjoint(range(start, end)) and longer.isdisjoint(range(start, end)):
            spans.append(_Span(start, end, "number", value))
    return sorted(spans)
