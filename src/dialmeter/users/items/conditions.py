"""Conditions of items, from the instruction: say only if asked, say only if the first choice fails, or do not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

Condition: TypeAlias = Literal["", "asked", "fallback", "secret"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
"""Always, only if the agent asks, only if the first choice fails, must not be said. The first is the least strict."""

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ASKED = re.compile(
    r"\b(?:(?:if|when|unless|until)\s+(?:\w+\s+){0,3}?(?:asks?|asked)\b)(?!\s+(?:\w+\s+){0,4}(?:confirm|pay))"
)
_FALLBACK = re.compile(r"\bif\b|\bunless\b|\botherwise\b|\bonly when\b")
_SECRET = re.compile(
    r"(?<!agent )\b(?:do not|don't|does not|doesn't|never|must not|should not|prefer not to|without|not want to)\s+(?:\w+\s+){0,3}?"
    r"(?:mention|mentioning|reveal|revealing|say|saying|tell|telling|name|naming|disclose|disclosing|give away)\b"
)
_PRONOUN = re.compile(r"\s+(?:it|this|that|them)\b")
_HOLDER = re.compile(r"\s+(?:\w+\s+)?(?:address|home|house|place|order|account)\b")
"""A name before these words only identifies the thing, so the name is not secret."""
_CLAUSE = re.compile(r"[.,;:!?()]|\b(?:but|because|and|if|unless|until)\b")
_PRONOUN_RANGE = 5
"""A pronoun in brackets refers to something within this number of words before the brackets."""


def condition_of(form: re.Pattern[str], instruction: str) -> Condition:
    """Return the condition under which the user may say a value. Of several mentions, the least strict one counts.

    Args:
        form: finds the value in a lower-case text.
        instruction: the instruction of the user.

    Example:
        >>> condition_of(re.compile("economy"), "If business is full, you take economy.")
        'fallback'
        >>> condition_of(re.compile("charlotte"), "Change it to your home in Charlotte (you do not want to mention it).")
        'secret'
    """
    conditions: set[Condition] = set()
    secret = set(secret_spans(instruction.lower()))
    start = 0
    for sentence in _sentences(instruction.lower()):
        for match in form.finditer(sentence):
            position = start + match.start()
            is_secret = any(begin <= position < end for begin, end in secret)
            if is_secret and not _HOLDER.match(sentence, match.end()):
                conditions.add("secret")
            elif _ASKED.search(sentence):
                conditions.add("asked")
            else:
                conditions.add("fallback" if _FALLBACK.search(sentence) else "")
        start += len(sentence)
    return next((each for each in CONDITIONS if each in conditions), "")


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, with their trailing whitespace."""
    start = 0
    for gap in SENTENCE.finditer(text):
        yield text[start : gap.end()]
        start = gap.end()
    yield text[start:]


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of a lower-case instruction that the user must not say.

    Example:
        >>> text = "you live in oslo (do not reveal it). do not mention the price, please."
        >>> [text[begin:end].strip() for begin, end in secret_spans(text)]
        ['you live in oslo', 'the price']
    """
    spans = []
    for match in _SECRET.finditer(text):
        bracket = text.rfind("(", 0, match.start())
        inside = text[bracket + 1 : match.start()] if bracket >= 0 else ")"
        if _PRONOUN.match(text, match.end()) or inside.startswith("which"):
            if ")" in inside or len(inside.split()) > _PRONOUN_RANGE:
                # The pronoun refers to something earlier in the sentence or in the brackets.
                begin, end = match.start() if ")" in inside else bracket + 1, match.start()
            else:
                begin = end = bracket
            if begin == end:
                words = list(re.finditer(r"\S+", text[:end]))[-_PRONOUN_RANGE:]
                begin = words[0].start() if words else end
            stop = max((cut.end() for cut in SENTENCE.finditer(text, 0, end) if cut.end() < end), default=0)
            spans.append((max(begin, stop), end))
        else:
            cut = _CLAUSE.search(text, match.end())
            spans.append((match.end(), cut.start() if cut else len(text)))
    return spans
