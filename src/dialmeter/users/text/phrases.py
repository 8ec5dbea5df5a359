"""Words of a text, and phrases that are known in it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

WORD = re.compile(r"[\w&]+(?:[:'’.][\w&]+)*")
_LONGEST = 8


def words_of(text: str) -> list[str]:
    """Return the words in lower case.

    Example:
        >>> words_of("Wi-Fi at St. John's, 17:30")
        ['wi', 'fi', 'at', 'st', "john's", '17:30']
    """
    return WORD.findall(text.lower())


def phrase(text: str) -> str:
    """Return the words with one blank between them."""
    return " ".join(words_of(text))


def phrases_in(words: Sequence[str], *known: Container[str]) -> Iterator[tuple[int, int, str]]:
    """Known phrases from left to right, the longest at each place: where each begins and ends, and the phrase.

    Example:
        >>> list(phrases_in(["a", "place", "to", "stay"], {"place", "place to stay"}))
        [(1, 4, 'place to stay')]
    """
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            form = " ".join(words[place : place + length])
            if any(form in some for some in known):
                yield place, place + length, form
                place += length
                break
        else:
            place += 1


def domain_phrases(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Phrase → domain, in singular and plural, from the words that a profile has for its domains."""
    return {phrase(word) + end: domain for domain, listed in words.items() for word in listed for end in ("", "s")}
