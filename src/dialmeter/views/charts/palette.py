"""Colours that colour-blind readers can distinguish, and a second sign for each, so that no meaning depends on colour alone.

Every colour in a figure is one of these constants or a step of `ramp`, so that a page can replace them one by one with
its own theme. `INK` is not black because SVG leaves black out, and what is not written cannot be replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap

INK = "#222222"
FAINT = "#767676"
GRID = "#dddddd"
PALE = "#ebebeb"
PAPER = "#ffffff"

# Okabe and Ito (2008), Color Universal Design, with ink for their black and yellow, the weakest on paper, last.
BLUE, VERMILION, GREEN, ORANGE = "#0072b2", "#d55e00", "#009e73", "#e69f00"
SKY, PURPLE, YELLOW = "#56b4e9", "#cc79a7", "#f0e442"
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE, INK, YELLOW)

# Text on a step of the ramp: the step keeps its colour in every theme, and so must the text on it.
ON_LIGHT, ON_DARK = "#111111", "#fdfdfd"

MARKERS = ("o", "s", "^", "D", "v", "p", "<", ">", "h", "*", "P", "X")
LINES = ("-", "--", "-.", ":")
# Lines only: dots and rings make an SVG twenty times as large.
HATCHES = ("", "///", "\\\\\\", "xxx", "---", "|||", "+++", "//", "\\\\", "xx", "--", "||")


def colour(index: int) -> str:
    """The colour of the system or measure with this number.

    Example:
        >>> colour(0), colour(8) == colour(0)
        ('#0072b2', True)
    """
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """The marker that goes with it; colour and marker together repeat only after 24.

    Example:
        >>> marker(0), marker(1), marker(12)
        ('o', 's', 'o')
    """
    return MARKERS[index % len(MARKERS)]


def line(index: int) -> str:
    """The line style that goes with it: all solid until colours repeat.

    Example:
        >>> line(0), line(8)
        ('-', '--')
    """
    return LINES[index // len(COLOURS) % len(LINES)]


def hatch(index: int) -> str:
    """The filling of a bar that goes with it.

    Example:
        >>> hatch(0), hatch(1)
        ('', '///')
    """
    return HATCHES[index % len(HATCHES)]


def ramp(steps: int) -> ListedColormap:
    """A perceptually uniform scale from light (low) to dark (high) in a few steps.

    Example:
        >>> ramp(3).N
        3
    """
    import matplotlib
    import numpy as np
    from matplotlib.colors import ListedColormap

    # The darkest tenth is not used: its steps look alike.
    return ListedColormap(matplotlib.colormaps["cividis"](np.linspace(1.0, 0.1, steps)))


def text_on(shade: tuple[float, float, float, float]) -> str:
    """The colour of text that is read best on a shade.

    Example:
        >>> text_on((1, 1, 0.9, 1)) == ON_LIGHT, text_on((0, 0, 0.2, 1)) == ON_DARK
        (True, True)
    """
    red, green, blue = ((c / 12.92) if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3])
    # Above this luminance, contrast with black is larger than with white.
    return ON_LIGHT if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else ON_DARK
