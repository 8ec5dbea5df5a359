"""Text in charts: escaped, visible, and short enough."""

from __future__ import annotations

import re
import textwrap
import unicodedata

_LETTERS = {"lam": "λ", "alpha": "α"}
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MEASURE = re.compile(r"\b([A-Z][A-Za-z-]*)\((lam|alpha|k)=(\d+(?:\.\d+)?|inf)\)", re.ASCII)

# Joiners that Persian, Indic scripts and emoji need. Other invisible letters can reorder or hide text.
_JOINERS = "\u200c\u200d"


def escape_invisible(text: str) -> str:
    """Replace control characters, direction marks and letters that XML forbids by escape sequences.

    Example:
        >>> escape_invisible("a\\tb")
        'a\\\\tb'
        >>> escape_invisible("caf\u00e9")
        'café'
    """
    return "".join(
        letter.encode("unicode_escape").decode("ascii") if _is_invisible(letter) else letter for letter in text
    )


def _is_invisible(letter: str) -> bool:
    category = unicodedata.category(letter)
    return (category[0] == "C" or category in {"Zl", "Zp"}) and letter not in _JOINERS


def shorten(text: str, limit: int = 28) -> str:
    """Shorten a text in the middle, because names of systems and slots differ at both ends.

    Example:
        >>> shorten("restaurant-book people", 12)
        'restau…eople'
    """
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


def display_name(text: str, limit: int = 28) -> str:
    """Return a name from a file for matplotlib: visible, short, and without dollar signs that could start a formula.

    Example:
        >>> display_name("costs $5 or $6")
        'costs \\\\$5 or \\\\$6'
        >>> display_name("FGA(lam=0.5)")
        'FGA(λ=0.5)'
    """
    return _escape_dollars(shorten(math_notation(escape_invisible(text)), limit))


def math_notation(text: str) -> str:
    """Write names of measures as in a paper. They stay plain text, which can be searched and read aloud.

    Example:
        >>> math_notation("FGA(lam=inf), GCA(alpha=0.5) and Pass(k=3)")
        'FGA(λ=∞), GCA(α=0.5) and Pass³'
    """
    return _MEASURE.sub(_replace_measure, text)


def _replace_measure(match: re.Match[str]) -> str:
    measure, letter, number = match.groups()
    if letter == "k":
        return measure + number.translate(_POWERS)
    return f"{measure}({_LETTERS[letter]}={number.replace('inf', '∞')})"


def wrap_label(text: str, width: int, lines: int = 2) -> str:
    """Wrap a label or title for matplotlib into lines of at most `width` letters.

    Example:
        >>> wrap_label("share of turns exactly right (JGA)", 20)
        'share of turns\\nexactly right (JGA)'
    """
    return _escape_dollars(
        "\n".join(textwrap.wrap(math_notation(escape_invisible(text)), width, max_lines=lines, placeholder=" …"))
    )


def _escape_dollars(text: str) -> str:
    """Escape dollar signs. Call this after shortening and wrapping, which could split a dollar sign from its backslash."""
    return text.replace("$", r"\$")


def truncation_note(drawn: int, given: int, what: str) -> str:
    """Return a note that not everything is shown; empty if everything is.

    Example:
        >>> truncation_note(12, 5000, "systems"), truncation_note(3, 3, "systems")
        ('the first 12 of 5,000 systems', '')
    """
    return f"the first {drawn:,} of {given:,} {what}" if drawn < given else ""
