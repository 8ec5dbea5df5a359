"""Text as LaTeX source, and its printed width."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "…": r"\ldots{}",
    "−": "$-$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "λ": r"$\lambda$",
    "α": r"$\alpha$",
    "√": r"$\surd$",
    "→": r"$\rightarrow$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "±": r"$\pm$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_LAMBDA = re.compile(r"\bFGA\(lam=([\w.]{1,24})(?:, ([^()]{1,80}))?\)")
_MINUS = re.compile(r"(?<![\w.])-(?=[\d.])")
_BREAKS = re.compile(r"(?<=[/|:;,+=_.-])(?=\w)")

# Width in points → letters of Computer Modern at 9 pt.
_BY_WIDTH = {
    2.57: "!',.:;[]`il|",
    2.83: "fj",
    3.08: "- ",
    3.34: "I",
    3.6: "()t_",
    3.65: "rs",
    4.11: "cez",
    4.37: "?",
    4.62: '"$*/0123456789\\^ago{}~–',
    4.75: "J",
    4.88: "kqvxy",
    5.14: "Sbdhnpu",
    5.65: "Z",
    5.78: "L",
    6.04: "F",
    6.29: "EP",
    6.55: "B",
    6.68: "CTw",
    6.81: "R",
    6.94: "AHNUVXY",
    7.07: "D",
    7.19: "&+=@KOQ<>−",
    7.26: "G",
    7.71: "#%m",
    8.48: "M",
    9.51: "W",
}
_WIDTHS = {letter: width for width, letters in _BY_WIDTH.items() for letter in letters}
_WIDEST = 9.51
_RAISED = 0.8
"""Relative size of letters in superscripts and subscripts."""
_BOLD = 1.16
"""Relative width of bold letters."""


class Typeset(NamedTuple):
    """LaTeX source, and its width in points when printed at 9 pt."""

    source: str
    width: float


def latex_text(text: str) -> str:
    """Escape text for LaTeX.

    Example:
        >>> print(latex_text("50 % of a_b, see --gold"))
        50 \\% of a\\_b, see -{}-gold
    """
    return "".join(_ESCAPED.get(letter, letter) for letter in text.replace("--", "\0")).replace("\0", "-{}-")


def width_of(text: str) -> float:
    """Return the width of plain text in points; for unknown letters, an upper limit.

    Example:
        >>> round(width_of("47.62"), 2)
        21.05
    """
    # A letter with an accent is as wide as the letter without it.
    return sum(_WIDTHS.get(letter) or _WIDTHS.get(unicodedata.normalize("NFD", letter)[0], _WIDEST) for letter in text)


def typeset(text: str, *, number: bool = False, mark: str = "", bold: bool = False) -> Typeset:
    """Typeset the text of a cell; measures with a lambda become formulas.

    Args:
        text: plain text.
        number: print a hyphen before a digit as a minus sign.
        mark: a superscript after the text.
        bold: print in bold letters.

    Example:
        >>> print(typeset("FGA(lam=0.5)").source, typeset("-0.5", number=True).source, typeset("47.62", mark="*").source)
        FGA$_{\\lambda=0.5}$ $-$0.5 47.62\\textsuperscript{*}
    """
    source, width = "", 0.0
    for part, is_subscript in _parts(_MINUS.sub("−", text) if number else text):
        source += part if is_subscript else latex_text(part)
        width += (_RAISED * width_of(_subscript_letters(part))) if is_subscript else width_of(part)
    if bold:
        source, width = rf"\textbf{{{source}}}", width * _BOLD
    if mark:
        source, width = rf"{source}\textsuperscript{{{latex_text(mark)}}}", width + _RAISED * width_of(mark)
    return Typeset(source, width)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Split the text into parts; the flag is true for a subscript, which is LaTeX source."""
    end = 0
    for match in _LAMBDA.finditer(text):
        yield text[end : match.start()] + "FGA", False
        value = r"\infty" if match[1] == "inf" else match[1]
        yield rf"$_{{\lambda={value}}}$", True
        yield f" ({match[2]})" if match[2] else "", False
        end = match.end()
    yield text[end:], False


def _subscript_letters(source: str) -> str:
    """Return letters of about the same width as the subscript."""
    return source[3:-2].replace(r"\lambda", "n").replace(r"\infty", "m")


def breakable(text: str, room: float) -> str:
    """Return the source of a paragraph in which words that are too wide may be broken.

    Args:
        text: plain text.
        room: the width of the paragraph, in points.

    Example:
        >>> print(breakable("short runs/som_dst/pred.json", 60))
        short runs/\\allowbreak{}som\\_\\allowbreak{}dst/\\allowbreak{}pred.\\allowbreak{}json
    """
    return " ".join(
        _break_word(word, room) if width_of(word) > room else typeset(word).source for word in text.split(" ")
    )


def _break_word(word: str, room: float) -> str:
    """Allow breaks after punctuation, and between all letters of parts that are still too wide."""
    parts = (letters for part in _BREAKS.split(word) for letters in (part if width_of(part) > room else [part]))
    return r"\allowbreak{}".join(typeset(part).source for part in parts)
