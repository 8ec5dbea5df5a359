"""Which values of one slot are taken for which: a matrix of gold against predicted values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from ..tables import Table
from .axes import link, tile
from .canvas import nothing_yet, sheet
from .counts import count_scale
from .palette import INK, PALE
from .scales import colour_bar, shade
from .words import name, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pairs: TypeAlias = Mapping[tuple[str | None, str | None], int]
MAX_VALUES = 15


class _Rest(Enum):
    """All rarer values; not a string, so that no value of a file can be mistaken for it."""

    OTHER = "(other)"


_Key: TypeAlias = str | _Rest | None


def draw(
    pairs: Pairs,
    *,
    slot: str,
    title: str = "Gold and predicted values",
    count_label: str = "number of turns",
    links: Mapping[tuple[str | None, str | None], str] | None = None,
) -> Figure:
    """Draw the 15 most frequent values of both sides, the rest as "(other)"; framed cells are right.

    Args:
        pairs: (gold, predicted) → count; None stands for absent: predicted None is missed, gold None is over.
        slot: The name of the slot.
        title: Stands above, before the name of the slot.
        count_label: What is counted, in words.
        links: Where a click on the cell of (gold, predicted) leads.

    Example:
        >>> figure = draw({("east", "east"): 8, ("east", "west"): 2, ("east", None): 1}, slot="hotel-area")
        >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
        ['east', 'west', '(absent)']
    """
    from matplotlib.cm import ScalarMappable

    counts, keys = _matrix(pairs)
    side = 0.42 * len(keys)
    with sheet(f"{title}: {slot}", width=max(5.0, side + 3.2), height=max(3.2, side + 2.0)) as (figure, axes):
        axes.set_xlabel("predicted value")
        axes.set_ylabel("gold value")
        if not counts:
            nothing_yet(axes)
            return figure
        colours, norm = count_scale(max(counts.values()))
        scale = ScalarMappable(norm, colours)
        for row, gold in enumerate(keys):
            for column, predicted in enumerate(keys):
                count = counts[gold, predicted]
                if not count:
                    continue
                patch = tile(axes, column, row, shade(scale, count), _short(count))
                if row == column and gold is not _Rest.OTHER:
                    patch.set(edgecolor=INK, linewidth=1.8, zorder=2)
                if not isinstance(gold, _Rest) and not isinstance(predicted, _Rest):
                    link(patch, (links or {}).get((gold, predicted)))
        words = [_word(key) for key in keys]
        places = range(len(keys))
        axes.set_xticks(places, words, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(places, words)
        axes.set_xticks([at - 0.5 for at in (*places, len(keys))], minor=True)
        axes.set_yticks([at - 0.5 for at in (*places, len(keys))], minor=True)
        axes.grid(which="minor", color=PALE)
        axes.tick_params(which="both", length=0)
        axes.set_xlim(-0.5, len(keys) - 0.5)
        axes.set_ylim(len(keys) - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.spines[:].set_visible(False)
        colour_bar(figure, axes, scale, wrapped(count_label, 24))
    return figure


def _matrix(pairs: Pairs) -> tuple[Counter[tuple[_Key, _Key]], list[_Key]]:
    """Counts with rare values put together, and the rows and columns: most frequent first, then other, then absent."""
    totals: Counter[str] = Counter()
    for (gold, predicted), count in pairs.items():
        for value in {gold, predicted} - {None}:
            totals[str(value)] += count
    top = sorted((value for value, count in totals.items() if count > 0), key=lambda each: (-totals[each], each))
    kept = set(top[:MAX_VALUES])
    counts: Counter[tuple[_Key, _Key]] = Counter()
    for (gold, predicted), count in pairs.items():
        if count > 0:
            counts[_kept(gold, kept), _kept(predicted, kept)] += count
    seen = {key for pair in counts for key in pair}
    rest: list[_Key] = [key for key in (_Rest.OTHER, None) if key in seen]
    return counts, [*top[:MAX_VALUES], *rest]


def _kept(value: str | None, kept: set[str]) -> _Key:
    return value if value is None or value in kept else _Rest.OTHER


def _word(key: _Key) -> str:
    if key is None:
        return "(absent)"
    return key.value if isinstance(key, _Rest) else name(key, 20) or "(empty)"


def _short(count: int) -> str:
    """A count that fits into a cell."""
    return str(count) if count < 10_000 else f"{count / 1000:.3g}k" if count < 999_500 else f"{count / 1e6:.3g}M"


def table(pairs: Pairs) -> Table:
    """The same data as rows, all values, most frequent first; an absent value is an empty cell.

    Example:
        >>> table({("east", "east"): 8, ("east", None): 1}).rows
        (('east', 'east', '8'), ('east', '', '1'))
    """
    ranked = sorted(pairs.items(), key=lambda item: (-item[1], item[0][0] or "", item[0][1] or ""))
    rows = tuple((gold or "", predicted or "", str(count)) for (gold, predicted), count in ranked)
    return Table("", ("gold", "predicted", "count"), rows, frozenset({2}))
