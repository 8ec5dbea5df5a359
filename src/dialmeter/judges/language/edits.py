"""Edits of a text by position; everything else is unchanged, including braces and blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable

Edit = tuple[int, int, str]
"""Start, end, and the new text."""

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_AN = re.compile(r"[aeio]|u(?!ni|s[eu]|ti|k)|hour|honest|heir", re.IGNORECASE)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with all edits applied; positions are those of the original text.

    Example:
        >>> edited("a {b} c", [(0, 1, "x"), (6, 7, "y")])
        'x {b} y'
    """
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def exchanged(text: str, edits: Iterable[Edit]) -> str:
    """As :func:`edited`, for words of the same kind: capitals are kept, and ``a`` or ``an`` before them is corrected.

    Example:
        >>> exchanged("A cheap hotel.", [(2, 7, "inexpensive")]), exchanged("Hotels", [(0, 6, "inns")])
        ('An inexpensive hotel.', 'Inns')
    """
    full: list[Edit] = []
    for start, end, new in edits:
        word = like(text[start:end], new)
        article = _ARTICLE.search(text[:start])
        if article:
            right = "an" if _AN.match(word) else "a"
            full.append(
                (
                    article.start(1),
                    article.end(1),
                    like(article[1], right) if len(article[1]) > 1 else article[1] + right[1:],
                )
            )
        full.append((start, end, word))
    return edited(text, full)


def like(old: str, new: str) -> str:
    """A word with the capitals of another.

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
    """True if a sentence begins at this position.

    Example:
        >>> starts_sentence("Yes. I do", 5), starts_sentence("Yes, I do", 5)
        (True, False)
    """
    before = text[:place].rstrip().rstrip("\"'“‘(*-")
    return not before.rstrip() or before.rstrip()[-1:] in ".!?…"


def capitalised(text: str) -> str:
    """A text with a capital first letter."""
    return text[:1].upper() + text[1:]
