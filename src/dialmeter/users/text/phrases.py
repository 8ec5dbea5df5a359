"""Words of a text, and known phrases in it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

WORD = re.compile(r"[\w&]+(?:[:'’.][\w&]+)*")
_MAX_WORDS = 8


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case.

    Example:
        >>> words_of("Wi-Fi at St. John's, 17:30")
        ['wi', 'fi', 'at', 'st', "john's", '17:30']
    """
    return WORD.findall(text.lower())


def phrase(text: str) -> str:
    """Return the words of a text in lower case, separated by one blank."""
    return " ".join(words_of(text))


def phrases_in(words: Sequence[str], *known: Container[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the known phrases from left to right, the longest at each position: start, end, and the phrase.

    Example:
        >>> list(phrases_in(["a", "place", "to", "stay"], {"place", "place to stay"}))
        [(1, 4, 'place to stay')]
    """
    start = 0
    while start < len(words):
        for length in range(min(_MAX_WORDS, len(words) - start), 0, -1):
            form = " ".join(words[start : start + length])
            if any(form in phrases for phrases in known):
                yield start, start + length, form
                start += length
                break
        else:
            start += 1


def domain_phrases(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return phrase → domain, in singular and plural, from the words of a profile for its domains."""
    return {phrase(word) + end: domain for domain, listed in words.items() for word in listed for end in ("", "s")}
