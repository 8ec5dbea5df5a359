"""Text in a chart: never markup, never invisible, never too long."""

from __future__ import annotations

import re
import textwrap
import unicodedata

_LETTERS = {"lam": "λ", "alpha": "α"}
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MEASURE = re.compile(r"\b([A-Z][A-Za-z-]*)\((lam|alpha|k)=(\d+(?:\.\d+)?|inf)\)", re.ASCII)

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
        >>> name("FGA(lam=0.5)")
        'FGA(λ=0.5)'
    """
    return _no_formula(shorten(mathematical(visible(text)), limit))


def mathematical(text: str) -> str:
    """Text in which names of measures are written as in a paper. They stay letters, so that they can be searched and read aloud.

    Example:
        >>> mathematical("FGA(lam=inf), GCA(alpha=0.5) and Pass(k=3)")
        'FGA(λ=∞), GCA(α=0.5) and Pass³'
    """
    return _MEASURE.sub(_mathematical, text)


def _mathematical(found: re.Match[str]) -> str:
    measure, letter, number = found.groups()
    if letter == "k":
        return measure + number.translate(_POWERS)
    return f"{measure}({_LETTERS[letter]}={number.replace('inf', '∞')})"


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """A label or title, ready for matplotlib, in lines of at most `width` letters.

    Example:
        >>> wrapped("share of turns exactly right (JGA)", 20)
        'share of turns\\nexactly right (JGA)'
    """
    return _no_formula("\n".join(textwrap.wrap(mathematical(visible(text)), width, max_lines=lines, placeholder=" …")))


def upright(text: str, width: int = 40) -> str:
    """A label along the y axis: at most three lines.

    Example:
        >>> upright("number of dialogues")
        'number of dialogues'
    """
    return wrapped(text, width, lines=3)


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
