"""What each word of two replies adds to a judge's score, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..tables import Table
from .axes import legend
from .canvas import UPRIGHT, WIDTH, nothing_yet, sheet
from .data import cell
from .palette import INK, PAPER, colour
from .scales import slanted
from .words import more, name, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_WORDS = 40
_CHANGED = "///"


class Words(NamedTuple):
    """The words of a reply, what each adds, and whether the other reply lacks it."""

    words: Sequence[str]
    values: Sequence[float]
    changed: Sequence[bool]


def draw(human: Words, adversarial: Words, *, title: str, y_label: str = "what the word adds to the score") -> Figure:
    """Draw a bar per word: the human reply first, the adversarial one beside it; words that differ are hatched.

    Example:
        >>> figure = draw(Words(["yes"], [0.5], [False]), Words(["yes", "no"], [0.5, -1.0], [False, True]), title="d1:2")
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['yes', '', 'yes', 'no']
    """
    from matplotlib.patches import Patch

    sides = [
        Words(side.words[:MAX_WORDS], side.values[:MAX_WORDS], side.changed[:MAX_WORDS])
        for side in (human, adversarial)
    ]
    shown = sum(len(side.words) for side in sides)
    total = len(human.words) + len(adversarial.words)
    width = min(14.0, max(WIDTH, 0.3 * shown + 1.5))
    with sheet(title, more(shown, total, "words"), width=width) as (figure, axes):
        axes.set_ylabel(wrapped(y_label, UPRIGHT, lines=3))
        if not shown:
            nothing_yet(axes)
            return figure
        labels: list[str] = []
        for index, side in enumerate(sides):
            labels += [""] * index  # a gap between the two replies
            for word, value, changed in zip(side.words, side.values, side.changed, strict=True):
                hatch = _CHANGED if changed else ""
                axes.bar(len(labels), value, 0.8, color=colour(index), hatch=hatch, edgecolor=PAPER, linewidth=0.5)
                labels.append(word)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.grid(axis="y")
        slanted(axes, labels)
        kinds = [("human reply", 0, ""), ("adversarial reply", 1, ""), ("differs", 1, _CHANGED)]
        handles = [
            Patch(facecolor=colour(index), hatch=hatch, edgecolor=PAPER, linewidth=0.5) for _, index, hatch in kinds
        ]
        legend(figure, handles, [name(label) for label, _, _ in kinds])
    return figure


def table(human: Words, adversarial: Words) -> Table:
    """The same data as rows.

    Example:
        >>> table(Words(["yes"], [0.5], [False]), Words(["no"], [-1.0], [True])).rows
        (('human', '1', 'yes', '0.5', ''), ('adversarial', '1', 'no', '-1', 'yes'))
    """
    rows = tuple(
        (reply, str(number), word, cell(value), "yes" if changed else "")
        for reply, side in (("human", human), ("adversarial", adversarial))
        for number, (word, value, changed) in enumerate(zip(side.words, side.values, side.changed, strict=True), 1)
    )
    return Table("", ("reply", "place", "word", "value", "differs"), rows, frozenset({1, 3}))
