"""Conditions of items: only if asked, only if the first choice fails, must not be said. They are read from the instruction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

Condition: TypeAlias = Literal["", "asked", "fallback", "secret"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
"""Always; only if the agent asks; only if the first choice fails; must not be said."""

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
"""A name before these only says which one is meant."""
_CLAUSE = re.compile(r"[.,;:!?()]|\b(?:but|because|and|if|unless|until)\b")
_BEFORE = 5
"""A pronoun in brackets stands for something among so many words before them."""


def condition_of(form: re.Pattern[str], instruction: str) -> Condition:
    """Under which condition the user may say a value; of several mentions the freest one counts.

    Args:
        form: finds the value in a text in lower case.
        instruction: of the user.

    Example:
        >>> condition_of(re.compile("economy"), "If business is full, you take economy.")
        'fallback'
        >>> condition_of(re.compile("charlotte"), "Change it to your home in Charlotte (you do not want to mention it).")
        'secret'
    """
    found: set[Condition] = set()
    secret = set(secret_spans(instruction.lower()))
    start = 0
    for sentence in _sentences(instruction.lower()):
        for hit in form.finditer(sentence):
            place = start + hit.start()
            kept = any(begin <= place < end for begin, end in secret)
            if kept and not _HOLDER.match(sentence, hit.end()):
                found.add("secret")
            elif _ASKED.search(sentence):
                found.add("asked")
            else:
                found.add("fallback" if _FALLBACK.search(sentence) else "")
        start += len(sentence)
    return next((each for each in CONDITIONS if each in found), "")


def _sentences(text: str) -> Iterator[str]:
    """Return the sentences of a text, which together are the text."""
    start = 0
    for gap in SENTENCE.finditer(text):
        yield text[start : gap.end()]
        start = gap.end()
    yield text[start:]


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return the parts of an instruction in lower case that the user must not say.

    Example:
        >>> text = "you live in oslo (do not reveal it). do not mention the price, please."
        >>> [text[begin:end].strip() for begin, end in secret_spans(text)]
        ['you live in oslo', 'the price']
    """
    spans = []
    for hit in _SECRET.finditer(text):
        bracket = text.rfind("(", 0, hit.start())
        inside = text[bracket + 1 : hit.start()] if bracket >= 0 else ")"
        if _PRONOUN.match(text, hit.end()) or inside.startswith("which"):
            if ")" in inside or len(inside.split()) > _BEFORE:
                # It stands for what the sentence, or the text in brackets, has said before.
                begin, end = hit.start() if ")" in inside else bracket + 1, hit.start()
            else:
                begin = end = bracket
            if begin == end:
                words = list(re.finditer(r"\S+", text[:end]))[-_BEFORE:]
                begin = words[0].start() if words else end
            stop = max((cut.end() for cut in SENTENCE.finditer(text, 0, end) if cut.end() < end), default=0)
            spans.append((max(begin, stop), end))
        else:
            cut = _CLAUSE.search(text, hit.end())
            spans.append((hit.end(), cut.start() if cut else len(text)))
    return spans
