"""How charts fit a page: width, size of text, resolution, and whether they have a title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ...errors import DialmeterError

FONT_SIZE = 9.0
"""The size of text, in points, for which the charts are designed."""
_NARROWEST, _WIDEST = 1.5, 40.0
_LENGTH = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(in|cm|mm|pt|)", re.ASCII)
_INCHES = {"": 1.0, "in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}


class ChartFit(NamedTuple):
    """The page that charts are for.

    Attributes:
        width: of every chart in inches; None for the width that suits its data.
        font_size: of labels in points; numbers at ticks and in legends are one ninth smaller.
        dpi: pixels per inch of PNG files.
        title: do charts have a title? Notes below it stay.
    """

    width: float | None = None
    font_size: float = FONT_SIZE
    dpi: int = 150
    title: bool = True


AS_DESIGNED = ChartFit()
_FIT: ContextVar[ChartFit] = ContextVar("fit", default=AS_DESIGNED)


def current_fit() -> ChartFit:
    """The page that charts are drawn for now."""
    return _FIT.get()


@contextmanager
def fitted(fit: ChartFit) -> Iterator[None]:
    """Draws charts for a page inside the `with`.

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
    """The size of a text that has ``size`` points in the design."""
    return size * current_fit().font_size / FONT_SIZE


def design_inches(inches: float) -> float:
    """How many inches of the design a length has room for: less where text is larger."""
    return inches * FONT_SIZE / current_fit().font_size


def parse_width(text: str) -> float:
    """A width in inches from a number with a unit.

    Raises:
        DialmeterError: not a length, or not one of a page.

    Example:
        >>> round(parse_width("84mm"), 2), parse_width("3.3"), round(parse_width("240 pt"), 2)
        (3.31, 3.3, 3.32)
        >>> parse_width("wide")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --width wide: a number with in, cm, mm or pt is expected, such as 84mm
    """
    found = _LENGTH.fullmatch(text.strip())
    if not found:
        raise DialmeterError(f"--width {text}: a number with in, cm, mm or pt is expected, such as 84mm")
    inches = float(found[1]) * _INCHES[found[2]]
    if not _NARROWEST <= inches <= _WIDEST:
        raise DialmeterError(f"--width {text}: is {inches:.2f} inches; {_NARROWEST:g} to {_WIDEST:g} are possible")
    return inches
