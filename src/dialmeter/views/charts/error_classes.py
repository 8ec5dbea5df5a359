"""Mistakes per slot by their class: missed, wrong or over, each new or carried over from an earlier turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..tables import Table
from .axes import legend, link
from .canvas import WIDTH, nothing_yet, sheet
from .palette import BLUE, ON_DARK, ON_LIGHT, ORANGE, PAPER, VERMILION
from .scales import whole_numbers
from .words import name, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Counts = Mapping[tuple[str, str], int]
AGES = ("new", "carried-over")
# Class → sign, colour, colour of the sign: colours alone would not be enough, so the sign stands in the bar.
CLASSES = {"missed": ("−", BLUE, ON_DARK), "wrong": ("≠", VERMILION, ON_LIGHT), "over": ("+", ORANGE, ON_LIGHT)}
MAX_SLOTS = 40
_HATCH = "////"


def draw(
    counts: Mapping[str, Counts],
    *,
    title: str = "Mistakes per slot",
    x_label: str = "mistakes, counted over all turns",
    links: Mapping[tuple[str, str, str], str] | None = None,
) -> Figure:
    """Draw one stacked bar per slot, the slot with most mistakes on top; the 41st and later become "others".

    Args:
        counts: Slot → (class, age) → number of mistakes; classes are missed, wrong, over; ages new, carried-over.
        title: Stands above.
        x_label: What the length means, in words.
        links: Where a click on the part (slot, class, age) leads.

    Example:
        >>> figure = draw({"hotel-area": {("missed", "new"): 3}, "taxi-leave at": {("wrong", "new"): 5}})
        >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
        ['taxi-leave at', 'hotel-area']
    """
    ranked = _ranked(counts)
    totals = [parts.total() for _, parts in ranked]
    longest = max(totals[:MAX_SLOTS], default=0)
    with sheet(title, height=max(2.4, 1.5 + 0.21 * len(ranked))) as (figure, axes):
        axes.set_xlabel(wrapped(x_label, 80))
        if not longest:
            nothing_yet(axes)
            return figure
        # "Others" may be far longer than any slot, and is then drawn shorter, its parts in proportion.
        units = [1.0 if total <= longest else 0.7 * longest / total for total in totals]
        left = [0.0] * len(ranked)
        handles, labels = [], []
        for kind, (sign, shade, on_shade) in CLASSES.items():
            for age in AGES:
                sizes = [size * parts[kind, age] for size, (_, parts) in zip(units, ranked, strict=True)]
                bars = axes.barh(
                    range(len(ranked)),
                    sizes,
                    0.8,
                    left=left,
                    color=shade,
                    hatch=_HATCH if age == "carried-over" else None,
                    edgecolor=PAPER,
                    linewidth=0.5,
                )
                for row, bar in enumerate(bars):
                    link(bar, (links or {}).get((ranked[row][0], kind, age)))
                    middle = left[row] + sizes[row] / 2
                    if age == "new" and sizes[row] * (WIDTH - 2) / longest > 0.15:
                        axes.text(middle, row, sign, ha="center", va="center", fontsize=8, color=on_shade)
                left = [start + size for start, size in zip(left, sizes, strict=True)]
                handles.append(bars)
                labels.append(f"{sign} {kind}, {age.replace('-', ' ')}")
        for row, (total, unit) in enumerate(zip(totals, units, strict=True)):
            text = f"{total:,}" + ("" if unit == 1 else " (not to scale)")
            axes.annotate(text, (unit * total, row), (3, 0), textcoords="offset points", va="center", fontsize=7)
        axes.set_xlim(0, 1.13 * longest)
        axes.set_yticks(range(len(ranked)), [name(slot, 32) for slot, _ in ranked])
        axes.set_ylim(len(ranked) - 0.5, -0.5)
        whole_numbers(axes.xaxis)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        legend(figure, handles, labels, most=3)
    return figure


def _ranked(counts: Mapping[str, Counts]) -> list[tuple[str, Counter[tuple[str, str]]]]:
    """Slots with mistakes, the most first; those of equal count by name, so that the order given does not matter."""
    known = {(kind, age) for kind in CLASSES for age in AGES}
    found = [(slot, Counter({key: parts.get(key, 0) for key in sorted(known)})) for slot, parts in counts.items()]
    ranked = sorted((each for each in found if each[1].total()), key=lambda each: (-each[1].total(), each[0]))
    if len(ranked) <= MAX_SLOTS:
        return ranked
    rest: Counter[tuple[str, str]] = Counter()
    for _, parts in ranked[MAX_SLOTS:]:
        rest.update(parts)
    return [*ranked[:MAX_SLOTS], (f"others ({len(ranked) - MAX_SLOTS:,} slots)", rest)]


def table(counts: Mapping[str, Counts]) -> Table:
    """The same data as rows: one per slot, all slots, the most mistakes first.

    Example:
        >>> table({"hotel-area": {("missed", "new"): 3}}).rows
        (('hotel-area', '3', '0', '0', '0', '0', '0', '3'),)
    """
    keys = [(kind, age) for kind in CLASSES for age in AGES]
    lines = [(slot, [parts.get(key, 0) for key in keys]) for slot, parts in counts.items()]
    lines.sort(key=lambda each: (-sum(each[1]), each[0]))
    rows = tuple((slot, *map(str, sizes), str(sum(sizes))) for slot, sizes in lines)
    headings = ("slot", *(f"{kind}, {age}" for kind, age in keys), "all")
    return Table("", headings, rows, frozenset(range(1, len(headings))))
