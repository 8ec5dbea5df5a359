"""Text as LaTeX source, and how wide it is on paper."""

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

# Of Computer Modern in 9 pt.
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
"""The size of letters in exponents and indices."""
_BOLD = 1.16


class Typeset(NamedTuple):
    """LaTeX source, and its width in points when it is printed in 9 pt."""

    source: str
    width: float


def latex_text(text: str) -> str:
    """Text escaped for LaTeX.

    Example:
        >>> print(latex_text("50 % of a_b, see --gold"))
        50 \\% of a\\_b, see -{}-gold
    """
    return "".join(_ESCAPED.get(letter, letter) for letter in text.replace("--", "\0")).replace("\0", "-{}-")


def width_of(text: str) -> float:
    """The width of plain text in points; where it is not known, an upper limit.

    Example:
        >>> round(width_of("47.62"), 2)
        21.05
    """
    # A letter with an accent is as wide as the letter without it.
    return sum(_WIDTHS.get(letter) or _WIDTHS.get(unicodedata.normalize("NFD", letter)[0], _WIDEST) for letter in text)


def typeset(text: str, *, number: bool = False, mark: str = "", bold: bool = False) -> Typeset:
    """Text of a cell; measures with a lambda are written in the form of formulas.

    Args:
        text: plain text.
        number: a hyphen before a digit is a minus sign.
        mark: a superscript.
        bold: in bold letters.

    Example:
        >>> print(typeset("FGA(lam=0.5)").source, typeset("-0.5", number=True).source, typeset("47.62", mark="*").source)
        FGA$_{\\lambda=0.5}$ $-$0.5 47.62\\textsuperscript{*}
    """
    source, width = "", 0.0
    for part, is_index in _parts(_MINUS.sub("−", text) if number else text):
        source += part if is_index else latex_text(part)
        width += (_RAISED * width_of(_index_letters(part))) if is_index else width_of(part)
    if bold:
        source, width = rf"\textbf{{{source}}}", width * _BOLD
    if mark:
        source, width = rf"{source}\textsuperscript{{{latex_text(mark)}}}", width + _RAISED * width_of(mark)
    return Typeset(source, width)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The text in parts, with true for an index in the form of a formula."""
    end = 0
    for found in _LAMBDA.finditer(text):
        yield text[end : found.start()] + "FGA", False
        value = r"\infty" if found[1] == "inf" else found[1]
        yield rf"$_{{\lambda={value}}}$", True
        yield f" ({found[2]})" if found[2] else "", False
        end = found.end()
    yield text[end:], False


def _index_letters(source: str) -> str:
    """Letters that are about as wide as the index."""
    return source[3:-2].replace(r"\lambda", "n").replace(r"\infty", "m")


def breakable(text: str, room: float) -> str:
    """Text in which words that are wider than the room may be broken, for paragraphs.

    Args:
        text: plain text.
        room: in points.

    Example:
        >>> print(breakable("short runs/som_dst/pred.json", 60))
        short runs/\\allowbreak{}som\\_\\allowbreak{}dst/\\allowbreak{}pred.\\allowbreak{}json
    """
    return " ".join(_broken(word, room) if width_of(word) > room else typeset(word).source for word in text.split(" "))


def _broken(word: str, room: float) -> str:
    """A word that may be broken after signs, and anywhere in parts that are still too wide."""
    parts = (letters for part in _BREAKS.split(word) for letters in (part if width_of(part) > room else [part]))
    return r"\allowbreak{}".join(typeset(part).source for part in parts)
