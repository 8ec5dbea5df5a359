"""Text in a chart: never markup, never invisible, never too long."""

from __future__ import annotations

import textwrap
import unicodedata

# Joiners that Persian, Indic scripts and emoji need; the other invisible letters can reorder or hide text.
_HARMLESS = "\u200c\u200d"


def visible(text: str) -> str:
    """Text in which control characters, marks of direction and letters that XML forbids are written out.

    Example:
        >>> visible("a\\tb")
        'a\\\\tb'
        >>> visible("caf\u00e9")
        'café'
    """
    return "".join(letter.encode("unicode_escape").decode("ascii") if _hidden(letter) else letter for letter in text)


def _hidden(letter: str) -> bool:
    category = unicodedata.category(letter)
    return (category[0] == "C" or category in {"Zl", "Zp"}) and letter not in _HARMLESS


def shorten(text: str, limit: int = 28) -> str:
    """Text cut in the middle, because names of systems and slots differ at both ends.

    Example:
        >>> shorten("restaurant-book people", 12)
        'restau…eople'
    """
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


def name(text: str, limit: int = 28) -> str:
    """A name from a file, ready for matplotlib: visible, short, and with no dollar sign that could start a formula.

    Example:
        >>> name("costs $5 or $6")
        'costs \\\\$5 or \\\\$6'
    """
    return _no_formula(shorten(visible(text), limit))


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """A label or title, ready for matplotlib, in lines of at most `width` letters.

    Example:
        >>> wrapped("share of turns exactly right (JGA)", 20)
        'share of turns\\nexactly right (JGA)'
    """
    return _no_formula("\n".join(textwrap.wrap(visible(text), width, max_lines=lines, placeholder=" …")))


def upright(text: str) -> str:
    """A label along the y axis: at most three lines.

    Example:
        >>> upright("number of dialogues")
        'number of dialogues'
    """
    return wrapped(text, 40, lines=3)


def _no_formula(text: str) -> str:
    """After cutting and wrapping, so that no cut falls between a dollar sign and its backslash."""
    return text.replace("$", r"\$")


def more(drawn: int, given: int, what: str) -> str:
    """What to say when not everything fits.

    Example:
        >>> more(12, 5000, "systems"), more(3, 3, "systems")
        ('the first 12 of 5,000 systems', '')
    """
    return f"the first {drawn:,} of {given:,} {what}" if drawn < given else ""
