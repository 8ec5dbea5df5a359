"""Colours that colour-blind readers can distinguish, and a marker, line style or hatch for each, so that colour is never the only sign.

Every colour in a figure is one of these constants or a step of `ramp`. A page can therefore replace each constant by a colour
of its theme. `INK` is not black, because SVG omits black as the default, and an omitted colour cannot be replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...numeric import np

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap

INK = "#222222"
FAINT = "#767676"
GRID = "#dddddd"
PALE = "#ebebeb"
PAPER = "#ffffff"

# Okabe and Ito (2008), Color Universal Design. INK replaces their black. Yellow, the weakest colour on paper, is last.
BLUE, VERMILION, GREEN, ORANGE = "#0072b2", "#d55e00", "#009e73", "#e69f00"
SKY, PURPLE, YELLOW = "#56b4e9", "#cc79a7", "#f0e442"
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE, INK, YELLOW)

# Text on a step of the ramp. The step has the same colour in every theme, so the text on it must, too.
ON_LIGHT, ON_DARK = "#111111", "#fdfdfd"

MARKERS = ("o", "s", "^", "D", "v", "p", "<", ">", "h", "*", "P", "X")
LINES = ("-", "--", "-.", ":")
# Lines only: dots and rings make an SVG 20 times larger.
HATCHES = ("", "///", "\\\\\\", "xxx", "---", "|||", "+++", "//", "\\\\", "xx", "--", "||")


def colour(index: int) -> str:
    """Return the colour of the system or measure with this index.

    Example:
        >>> colour(0), colour(8) == colour(0)
        ('#0072b2', True)
    """
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """Return the marker of the system or measure with this index; pairs of colour and marker repeat after 24.

    Example:
        >>> marker(0), marker(1), marker(12)
        ('o', 's', 'o')
    """
    return MARKERS[index % len(MARKERS)]


def line(index: int) -> str:
    """Return the line style of the system or measure with this index: solid until colours repeat.

    Example:
        >>> line(0), line(8)
        ('-', '--')
    """
    return LINES[index // len(COLOURS) % len(LINES)]


def hatch(index: int) -> str:
    """Return the hatch of a bar of the system or measure with this index.

    Example:
        >>> hatch(0), hatch(1)
        ('', '///')
    """
    return HATCHES[index % len(HATCHES)]


def ramp(steps: int) -> ListedColormap:
    """Return a perceptually uniform colour scale from light (low) to dark (high).

    Example:
        >>> ramp(3).N
        3
    """
    import matplotlib
    from matplotlib.colors import ListedColormap

    # The darkest tenth is not used, because its steps look the same.
    return ListedColormap(matplotlib.colormaps["cividis"](np.linspace(1.0, 0.1, steps)))


def text_on(shade: tuple[float, float, float, float]) -> str:
    """Return the more readable text colour on a shade.

    Example:
        >>> text_on((1, 1, 0.9, 1)) == ON_LIGHT, text_on((0, 0, 0.2, 1)) == ON_DARK
        (True, True)
    """
    red, green, blue = ((c / 12.92) if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3])
    # Above this luminance, contrast with black is larger than with white.
    return ON_LIGHT if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else ON_DARK
