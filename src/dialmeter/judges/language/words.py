"""Split a text into tokens and sentences by rule, edit it by position, and compare it with another text. No resource is needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
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


Edit = tuple[int, int, str]
"""Start, end, and the new text."""

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_AN = re.compile(r"[aeio]|u(?!ni|s[eu]|ti|k)|hour|honest|heir", re.IGNORECASE)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply all edits to a text. Positions refer to the original text.

    Example:
        >>> edited("a {b} c", [(0, 1, "x"), (6, 7, "y")])
        'x {b} y'
    """
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def exchanged(text: str, edits: Iterable[Edit]) -> str:
    """Replace words like :func:`edited`. Keep their capitals, and correct ``a`` or ``an`` before them.

    Example:
        >>> exchanged("A cheap hotel.", [(2, 7, "inexpensive")]), exchanged("Hotels", [(0, 6, "inns")])
        ('An inexpensive hotel.', 'Inns')
    """
    all_edits: list[Edit] = []
    for start, end, new in edits:
        word = like(text[start:end], new)
        article = _ARTICLE.search(text[:start])
        if article:
            correct = "an" if _AN.match(word) else "a"
            new_article = like(article[1], correct) if len(article[1]) > 1 else article[1] + correct[1:]
            all_edits.append((article.start(1), article.end(1), new_article))
        all_edits.append((start, end, word))
    return edited(text, all_edits)


def like(old: str, new: str) -> str:
    """A word with the capitals of another word.

    Example:
        >>> like("Hotel", "inn"), like("WIFI", "internet"), like("hotel", "inn"), like("I", "you")
        ('Inn', 'INTERNET', 'inn', 'you')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    if old[:1].isupper() and old != "I":
        return capitalised(new)
    return new


def starts_sentence(text: str, place: int) -> bool:
    """True if a sentence starts at this position.

    Example:
        >>> starts_sentence("Yes. I do", 5), starts_sentence("Yes, I do", 5)
        (True, False)
    """
    before = text[:place].rstrip().rstrip("\"'“‘(*-")
    return not before.rstrip() or before.rstrip()[-1:] in ".!?…"


def capitalised(text: str) -> str:
    """A text with a capital first letter."""
    return text[:1].upper() + text[1:]


_MOST_PAIRS = 250_000
"""The largest number of token pairs to compare. In longer texts, everything from the first to the last change is one span."""


def changed_spans(old: str, new: str) -> tuple[tuple[int, int], ...]:
    """The parts of the new text that are not in the old, as (start, end); an empty span for a deletion.

    Example:
        >>> changed_spans("it is good.", "it is not good.")
        ((6, 9),)
        >>> changed_spans("Yes, it is.", "Yes, it is")
        ((10, 10),)
        >>> changed_spans("same", "same")
        ()
    """
    before, after = tokens(old), tokens(new)
    spans = []
    for first, last in _changes([token for _, token in before], [token for _, token in after]):
        if first == last:
            place = after[first - 1][0] + len(after[first - 1][1]) if first else 0
            spans.append((place, place))
        else:
            spans.append((after[first][0], after[last - 1][0] + len(after[last - 1][1])))
    return tuple(spans)


def _changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The ranges of new tokens in the second text, as (first, last)."""
    if len(before) * len(after) <= _MOST_PAIRS:
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        return [(first, last) for operation, _, _, first, last in matcher.get_opcodes() if operation != "equal"]
    if before == after:
        return []
    start = _common_prefix(before, after)
    end = _common_prefix(before[start:][::-1], after[start:][::-1])
    return [(start, len(after) - end)]


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """Number of tokens in the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))
