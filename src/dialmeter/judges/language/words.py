"""Split texts into tokens and sentences by rule, and a list of greetings. No resource is needed."""

from __future__ import annotations

import re
from functools import lru_cache

from ...english import STOP_WORDS

TOKEN = re.compile(
    r"\d+(?:[.:,]\d+)*|\w+?(?=n['’]t\b)|n['’]t\b|['’](?:s|m|re|ve|ll|d)\b|\w+(?:-\w+)*|[^\w\s]", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<![.!?…])([.!?…]+)[\"'”’)]*(?=\s|$)")
_NOT_BLANK = re.compile(r"\S")

GREETINGS = frozenset("thank thanks bye goodbye welcome hello hi hey cheers great ok okay sure yes no".split())  # noqa: SIM905


def tokens(text: str) -> list[tuple[int, str]]:
    """The tokens of a text with their positions. As in spaCy pipelines, ``don't`` and ``it,`` are two tokens each.

    Example:
        >>> [token for _, token in tokens("I don't like it, do you?")]
        ['I', 'do', "n't", 'like', 'it', ',', 'do', 'you', '?']
    """
    return [(match.start(), match[0]) for match in TOKEN.finditer(text)]


def word_list(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation.

    Example:
        >>> word_list("It's 5:30, OK?")
        ['it', 's', '5:30', 'ok']
    """
    return list(_lower_words(text))


@lru_cache(maxsize=1 << 16)
def _lower_words(text: str) -> tuple[str, ...]:
    # Attacks ask for the words of the same few texts again and again.
    return tuple(token.lower().strip("'’") for _, token in tokens(text) if any(map(str.isalnum, token)))


def content_words(text: str) -> list[str]:
    """The words of a text without stop words and single letters.

    Example:
        >>> content_words("I would like a cheap hotel, please.")
        ['cheap', 'hotel']
    """
    return [word for word in word_list(text) if word not in STOP_WORDS and len(word) > 1]


def sentences(text: str) -> list[tuple[int, int]]:
    """The start and the end of each sentence.

    Example:
        >>> [ "Yes. It is! Why?"[start:end] for start, end in sentences("Yes. It is! Why?")]
        ['Yes.', 'It is!', 'Why?']
    """
    text = text.rstrip()
    spans = []
    first = _NOT_BLANK.search(text)
    for end in _SENTENCE_END.finditer(text):
        if first and (end.start() > first.start() or len(end[1]) > 1):  # A single punctuation mark is not a sentence.
            spans.append((first.start(), end.end()))
            first = _NOT_BLANK.search(text, end.end())
    return [*spans, (first.start(), len(text))] if first else spans


def same_but_for_case(one: str, other: str) -> bool:
    """True if two texts differ only in case and white space.

    Example:
        >>> same_but_for_case("Yes,  it is.", "yes, it is ."), same_but_for_case("yes", "yes!")
        (True, False)
    """
    return "".join(one.split()).casefold() == "".join(other.split()).casefold()


def is_question(text: str) -> bool:
    """True if a text has a question mark, as in the paper.

    Example:
        >>> is_question("Which day? I am free."), is_question("Monday.")
        (True, False)
    """
    return "?" in text or "？" in text or "؟" in text
