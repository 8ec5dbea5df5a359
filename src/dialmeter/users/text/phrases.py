"""Words of a text, and known phrases in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

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


class Phrases:
    """A set of known phrases, with the length of the longest phrase for each first word.

    Args:
        known: phrases as ``phrase`` returns them.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.known = frozenset(known)
        self.longest: dict[str, int] = {}
        for each in self.known:
            first, *others = each.split(" ")
            self.longest[first] = max(self.longest.get(first, 0), 1 + len(others))


def phrases_in(words: Sequence[str], *lists: Phrases) -> Iterator[tuple[int, int, str]]:
    """Yield the known phrases from left to right, the longest at each position: start, end, and the phrase.

    Example:
        >>> list(phrases_in(["a", "place", "to", "stay"], Phrases({"place", "place to stay"})))
        [(1, 4, 'place to stay')]
    """
    start = 0
    while start < len(words):
        longest = max([each.longest.get(words[start], 0) for each in lists])
        for length in range(min(longest, _MAX_WORDS, len(words) - start), 0, -1):
            form = " ".join(words[start : start + length])
            if any(form in each.known for each in lists):
                yield start, start + length, form
                start += length
                break
        else:
            start += 1


def domain_phrases(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return phrase → domain, in singular and plural, from the words of a profile for its domains."""
    return {phrase(word) + end: domain for domain, listed in words.items() for word in listed for end in ("", "s")}
