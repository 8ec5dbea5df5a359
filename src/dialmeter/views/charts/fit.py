"""Settings that fit charts to a page: width, font size, resolution, and whether they have a title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ...errors import DialmeterError

FONT_SIZE = 9.0
"""Font size of the design, in points."""
_NARROWEST, _WIDEST = 1.5, 40.0
_LENGTH = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(in|cm|mm|pt|)", re.ASCII)
_INCHES = {"": 1.0, "in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}


class ChartFit(NamedTuple):
    """The page that charts are drawn for.

    Attributes:
        width: width of every chart in inches; None for a width that depends on the data.
        font_size: size of labels in points; ticks and legends are one ninth smaller.
        dpi: pixels per inch of PNG files.
        title: whether charts have a title; the notes below it are always shown.
    """

    width: float | None = None
    font_size: float = FONT_SIZE
    dpi: int = 150
    title: bool = True


AS_DESIGNED = ChartFit()
_FIT: ContextVar[ChartFit] = ContextVar("fit", default=AS_DESIGNED)


def current_fit() -> ChartFit:
    """Return the page that charts are currently drawn for."""
    return _FIT.get()


@contextmanager
def fitted(fit: ChartFit) -> Iterator[None]:
    """Draw charts for a page inside the `with`.

    Example:
        >>> with fitted(ChartFit(font_size=18)):
        ...     font_points(7), design_inches(7.0)
        (14.0, 3.5)
    """
    before = _FIT.set(fit)
    try:
        yield
    finally:
        _FIT.reset(before)


def font_points(size: float) -> float:
    """Return the current size of a text that has ``size`` points in the design."""
    return size * current_fit().font_size / FONT_SIZE


def design_inches(inches: float) -> float:
    """Convert a length to inches of the design; it is shorter if the text is larger."""
    return inches * FONT_SIZE / current_fit().font_size


def parse_width(text: str) -> float:
    """Parse a number with a unit and return the width in inches.

    Raises:
        DialmeterError: the text is not a length, or the length is too small or too large.

    Example:
        >>> round(parse_width("84mm"), 2), parse_width("3.3"), round(parse_width("240 pt"), 2)
        (3.31, 3.3, 3.32)
        >>> parse_width("wide")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --chart width=wide: not a length; give a number with in, cm, mm or pt, such as 84mm
    """
    match = _LENGTH.fullmatch(text.strip())
    if not match:
        raise DialmeterError(f"--chart width={text}: not a length; give a number with in, cm, mm or pt, such as 84mm")
    inches = float(match[1]) * _INCHES[match[2]]
    if not _NARROWEST <= inches <= _WIDEST:
        raise DialmeterError(
            f"--chart width={text}: {inches:.2f} inches; the width must be {_NARROWEST:g} to {_WIDEST:g} inches"
        )
    return inches
