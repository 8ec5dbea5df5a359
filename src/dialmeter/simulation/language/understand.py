"""Text into acts, by the patterns of the phrases: sentence by sentence, from nothing but the text.

Values are whatever stands where a phrase has room for one, known to the town or not. A sentence in other words is searched
for words that the town knows (see :mod:`.spotting`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ...model import Act
from ..world.value_map import canonical
from .acts import act
from .grammar import Frame, grammar
from .spotting import spotted

_SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_LIST = re.compile(r", | and ")
_ROOM = {"clauses": "(?P<clauses>.+)", "slots": "(?P<slots>.+)", "word": "(?P<word>.+?)", "v": "(?P<v>.+)"}


def understand(text: str, speaker: str) -> tuple[Act, ...]:
    """What a speaker has said, as far as it can be read in the text.

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


def _read(sentence: str, speaker: str) -> list[Act] | None:
    for pattern in _frames(speaker).get(_first_word(sentence), ()):
        match = pattern.regex.fullmatch(sentence)
        if match:
            acts = _acts(pattern.frame, match, speaker)
            if acts is not None:
                return acts
    return None


def _acts(frame: Frame, match: re.Match[str], speaker: str) -> list[Act] | None:
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


def _clauses(frame: Frame, text: str, speaker: str) -> list[Act] | None:
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
    frame: Frame


def _first_word(text: str) -> str:
    return text.partition(" ")[0]


@cache
def _frames(speaker: str) -> Mapping[str, Sequence[_Pattern]]:
    """Patterns of sentences by first word; those with more words of their own come first."""
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
