"""Edit a text by position. Everything else is unchanged, including braces and white space."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
