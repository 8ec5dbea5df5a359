"""Bar charts: measures by system, mistakes stacked by slot, the distribution of scores, and the words of two replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..tables import Table
from .axes import draw_legend, draw_whiskers, format_ticks, integer_ticks, label_ticks, scale_counts, set_link
from .canvas import WIDTH, draw_no_data, new_figure
from .data import (
    HasInterval,
    bin_edges,
    count_per_bin,
    finite,
    number_cell,
    points_with_interval,
    points_with_value,
    unique_keys,
)
from .fit import design_inches, font_points
from .palette import BLUE, INK, ON_DARK, ON_LIGHT, ORANGE, PAPER, VERMILION, colour, hatch
from .words import display_name, truncation_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .data import Numbers

MAX_SYSTEMS, MAX_MEASURES = 12, 20
_GAP = 0.25


def draw(
    scores: Mapping[str, Mapping[str, HasInterval]],
    *,
    title: str = "Systems under each measure",
    y_label: str = "score",
    as_percent: bool = True,
    links: Mapping[tuple[str, str], str] | None = None,
) -> Figure:
    """Draw one group of bars per measure, one bar per system, with whiskers for intervals.

    Args:
        scores: System → measure → value with interval.
        title: The text above the chart.
        y_label: What the height means, in words.
        as_percent: Whether values are fractions that are shown as percent.
        links: The link of the bar of (system, measure).

    Example:
        >>> from dialmeter.views.charts.data import Estimate
        >>> figure = draw({"SOM-DST": {"JGA": Estimate(0.52, 0.50, 0.54)}}, y_label="share of turns")
        >>> figure.axes[0].get_ylabel()
        'share of turns'
    """
    measures = unique_keys(scores.values())[:MAX_MEASURES]
    systems = list(scores)[:MAX_SYSTEMS]
    bar_count = len(systems) * len(measures)
    width = min(14.0, max(WIDTH, 0.22 * bar_count + 0.4 * len(measures)))
    with new_figure(title, truncation_note(len(systems), len(scores), "systems"), width=width, y_label=y_label) as (
        figure,
        axes,
    ):
        if not any(points_with_value(points) for points in scores.values()):
            draw_no_data(axes)
            return figure
        step = min(0.3, (1 - _GAP) / len(systems))
        room = step * (design_inches(figure.get_figwidth()) - 1) / len(measures) * 72
        styles = [_BarStyle(colour(index), hatch(index)) for index in range(len(systems))]
        for index, system in enumerate(systems):
            values = {
                position: scores[system][each] for position, each in enumerate(measures) if each in scores[system]
            }
            positions = {position: position + (index + 0.5 - len(systems) / 2) * step for position in values}
            heights = {positions[position]: height for position, height in points_with_value(values)}
            urls = [(links or {}).get((system, measures[position])) for position, _ in points_with_value(values)]
            _draw_bars(axes, heights, step * 0.92, styles[index], urls=urls)
            draw_whiskers(
                axes, [(positions[position], low, high) for position, low, high in points_with_interval(values)]
            )
            for position, point in values.items():
                _draw_value(axes, positions[position], point, room=room, as_percent=as_percent)
        axes.margins(y=0.12)
        axes.set_xlim(-0.5, len(measures) - 0.5)
        axes.grid(axis="y")
        format_ticks(axes.yaxis, as_percent)
        if not as_percent:
            scale_counts(axes, [size for points in scores.values() for _, size in points_with_value(points)])
        label_ticks(axes, measures)
        _draw_bar_legend(figure, styles, systems)
    return figure


class _BarStyle(NamedTuple):
    """The fill of bars."""

    colour: str
    hatch: str = ""
    linewidth: float = 0.5


def _draw_bars(
    axes: Axes,
    sizes: Mapping[float, float],
    width: float,
    bar_style: _BarStyle,
    *,
    urls: Sequence[str | None] = (),
    align: Literal["center", "edge"] = "center",
) -> None:
    """Draw vertical bars (x → height), each with its link."""
    drawn = axes.bar(
        list(sizes),
        list(sizes.values()),
        width,
        align=align,
        color=bar_style.colour,
        hatch=bar_style.hatch or None,
        edgecolor=PAPER,
        linewidth=bar_style.linewidth,
    )
    for bar, url in zip(drawn, urls, strict=False):
        set_link(bar, url)


def _draw_bar_legend(figure: Figure, styles: Sequence[_BarStyle], labels: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=bar_style.colour, hatch=bar_style.hatch, edgecolor=PAPER, linewidth=0.5) for bar_style in styles
    ]
    draw_legend(figure, handles, [display_name(label) for label in labels])


def _draw_value(axes: Axes, place: float, point: HasInterval, *, room: float, as_percent: bool) -> None:
    """Draw the value above its whisker: horizontal if it fits, else vertical, else not at all."""
    height = finite(point.value)
    if height is None:
        return
    text = f"{100 * height:.1f}" if as_percent else f"{height:.0f}" if height.is_integer() else f"{height:.3g}"
    is_horizontal = len(text) * 4.6 <= room
    if not is_horizontal and room < 8:
        return
    is_positive = height >= 0
    ends = [end for end in (height, finite(point.low), finite(point.high)) if end is not None]
    axes.annotate(
        text,
        (place, max(ends) if is_positive else min(ends)),
        xytext=(0, 3 if is_positive else -3),
        textcoords="offset points",
        ha="center",
        va="bottom" if is_positive else "top",
        fontsize=font_points(7),
        rotation=0 if is_horizontal else 90,
    )


def table(scores: Mapping[str, Mapping[str, HasInterval]]) -> Table:
    """Return the same data as a table.

    Example:
        >>> from dialmeter.views.charts.data import Estimate
        >>> table({"SOM-DST": {"JGA": Estimate(0.52, 0.50, 0.54)}}).rows
        (('SOM-DST', 'JGA', '0.52', '0.5', '0.54'),)
    """
    rows = tuple(
        (system, measure, *map(number_cell, (point.value, point.low, point.high)))
        for system, points in scores.items()
        for measure, point in points.items()
    )
    return Table("", ("system", "measure", "value", "low", "high"), rows, frozenset({2, 3, 4}))


# Mistakes per slot: one stacked bar per slot.

Counts = Mapping[tuple[str, str], int]
AGES = ("new", "carried-over")
# Class → sign, colour, colour of the sign. The sign is inside the bar, because colour alone is not accessible.
CLASSES = {"missed": ("−", BLUE, ON_DARK), "wrong": ("≠", VERMILION, ON_LIGHT), "over": ("+", ORANGE, ON_LIGHT)}
PARTS = [(kind, age) for kind in CLASSES for age in AGES]
MAX_SLOTS = 40


def draw_mistakes(
    counts: Mapping[str, Counts],
    *,
    title: str = "Mistakes per slot",
    x_label: str = "mistakes, counted over all turns",
    links: Mapping[tuple[str, str, str], str] | None = None,
) -> Figure:
    """Draw one stacked bar per slot, the slot with most mistakes on top; the 41st and later become "others".

    Args:
        counts: Slot → (class, age) → number of mistakes; classes are missed, wrong, over; ages new, carried-over.
        title: The text above the chart.
        x_label: What the length means, in words.
        links: The link of the part (slot, class, age).

    Example:
        >>> figure = draw_mistakes({"hotel-area": {("missed", "new"): 3}, "taxi-leave at": {("wrong", "new"): 5}})
        >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
        ['taxi-leave at', 'hotel-area']
    """
    ranked = _rank_slots(counts)
    totals = [parts.total() for _, parts in ranked]
    longest = max(totals[:MAX_SLOTS], default=0)
    with new_figure(title, height=max(2.4, 1.5 + 0.21 * len(ranked)), x_label=x_label) as (figure, axes):
        if not longest:
            draw_no_data(axes)
            return figure
        # "Others" may be much longer than any slot. It is then drawn shorter, with its parts in proportion.
        units = [1.0 if total <= longest else 0.7 * longest / total for total in totals]
        left = [0.0] * len(ranked)
        handles, labels = [], []
        for kind, age in PARTS:
            sign, shade, on_shade = CLASSES[kind]
            sizes = [size * parts[kind, age] for size, (_, parts) in zip(units, ranked, strict=True)]
            bars = axes.barh(
                range(len(ranked)),
                sizes,
                0.8,
                left=left,
                color=shade,
                hatch="////" if age == "carried-over" else None,
                edgecolor=PAPER,
                linewidth=0.5,
            )
            for row, bar in enumerate(bars):
                set_link(bar, (links or {}).get((ranked[row][0], kind, age)))
                if age == "new" and sizes[row] * (design_inches(figure.get_figwidth()) - 2) / longest > 0.15:
                    middle = left[row] + sizes[row] / 2
                    axes.text(middle, row, sign, ha="center", va="center", fontsize=font_points(8), color=on_shade)
            left = [start + size for start, size in zip(left, sizes, strict=True)]
            handles.append(bars)
            labels.append(f"{sign} {kind}, {age.replace('-', ' ')}")
        for row, (total, unit) in enumerate(zip(totals, units, strict=True)):
            text = f"{total:,}" + ("" if unit == 1 else " (not to scale)")
            axes.annotate(
                text, (unit * total, row), (3, 0), textcoords="offset points", va="center", fontsize=font_points(7)
            )
        axes.set_xlim(0, 1.13 * longest)
        axes.set_yticks(range(len(ranked)), [display_name(slot, 32) for slot, _ in ranked])
        axes.set_ylim(len(ranked) - 0.5, -0.5)
        integer_ticks(axes.xaxis)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        draw_legend(figure, handles, labels, most=3)
    return figure


def _rank_slots(counts: Mapping[str, Counts]) -> list[tuple[str, Counter[tuple[str, str]]]]:
    """Return the slots with mistakes, most mistakes first, ties by name; the rest is summed as "others"."""
    slots = [(slot, Counter({part: parts.get(part, 0) for part in PARTS})) for slot, parts in counts.items()]
    ranked = sorted((each for each in slots if each[1].total()), key=lambda each: (-each[1].total(), each[0]))
    if len(ranked) <= MAX_SLOTS:
        return ranked
    rest: Counter[tuple[str, str]] = Counter()
    for _, parts in ranked[MAX_SLOTS:]:
        rest.update(parts)
    return [*ranked[:MAX_SLOTS], (f"others ({len(ranked) - MAX_SLOTS:,} slots)", rest)]


def mistakes_table(counts: Mapping[str, Counts]) -> Table:
    """Return the same data as a table: one row per slot, all slots, most mistakes first.

    Example:
        >>> mistakes_table({"hotel-area": {("missed", "new"): 3}}).rows
        (('hotel-area', '3', '0', '0', '0', '0', '0', '3'),)
    """
    lines = [(slot, [parts.get(part, 0) for part in PARTS]) for slot, parts in counts.items()]
    lines.sort(key=lambda each: (-sum(each[1]), each[0]))
    rows = tuple((slot, *map(str, sizes), str(sum(sizes))) for slot, sizes in lines)
    headings = ("slot", *(f"{kind}, {age}" for kind, age in PARTS), "all")
    return Table("", headings, rows, frozenset(range(1, len(headings))))


# The distribution of scores: one bar per range.


def draw_spread(
    values: Numbers,
    *,
    title: str,
    x_label: str,
    y_label: str = "number of dialogues",
    as_percent: bool = True,
    links: Mapping[int, str] | None = None,
) -> Figure:
    """Draw the number of dialogues in each of twenty ranges.

    Args:
        values: A score for each dialogue.
        title: The text above the chart.
        x_label: What the score is, in words.
        y_label: What is counted, in words.
        as_percent: Whether values are fractions that are shown as percent.
        links: The link of the bar of a range, by the number of the range.

    Example:
        >>> figure = draw_spread([0.2, 0.9, 1.0], title="JGA", x_label="JGA of a dialogue")
        >>> len(figure.axes[0].patches)
        3
    """
    limits = bin_edges(values)
    sizes = count_per_bin(values, limits)
    with new_figure(title, height=3.2, x_label=x_label, y_label=y_label) as (figure, axes):
        if not sum(sizes):
            draw_no_data(axes)
            return figure
        filled = [at for at, size in enumerate(sizes) if size]
        urls = [(links or {}).get(at) for at in filled]
        heights = {limits[at]: sizes[at] for at in filled}
        _draw_bars(axes, heights, limits[1] - limits[0], _BarStyle(BLUE, linewidth=0.8), urls=urls, align="edge")
        axes.set_xlim(limits[0], limits[-1])
        axes.grid(axis="y")
        format_ticks(axes.xaxis, as_percent)
        integer_ticks(axes.yaxis)
        scale_counts(axes, sizes)
    return figure


def spread_table(values: Numbers) -> Table:
    """Return the same data as a table.

    Example:
        >>> spread_table([0.99, 1.0]).rows[-1]
        ('0.95', '1', '2')
    """
    limits = bin_edges(values)
    rows = tuple(
        (number_cell(limits[at]), number_cell(limits[at + 1]), str(size))
        for at, size in enumerate(count_per_bin(values, limits))
    )
    return Table("", ("from", "to", "dialogues"), rows, frozenset({0, 1, 2}))


# The words of two replies.

MAX_WORDS = 40


class ReplyWords(NamedTuple):
    """The words of a reply, the contribution of each to the score, and whether it is missing in the other reply."""

    words: Sequence[str]
    values: Sequence[float]
    changed: Sequence[bool]


def draw_words(
    human: ReplyWords, adversarial: ReplyWords, *, title: str, y_label: str = "contribution to the score"
) -> Figure:
    """Draw a bar per word: the human reply first, then the adversarial one; words that differ are hatched.

    Example:
        >>> human, adversarial = ReplyWords(["yes"], [0.5], [False]), ReplyWords(["yes", "no"], [0.5, -1.0], [False, True])
        >>> figure = draw_words(human, adversarial, title="d1:2")
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['yes', '', 'yes', 'no']
    """
    sides = [list(zip(*side, strict=True))[:MAX_WORDS] for side in (human, adversarial)]
    word_count = sum(map(len, sides))
    note = truncation_note(word_count, len(human.words) + len(adversarial.words), "words")
    with new_figure(title, note, width=min(14.0, max(WIDTH, 0.3 * word_count + 1.5)), y_label=y_label) as (
        figure,
        axes,
    ):
        if not word_count:
            draw_no_data(axes)
            return figure
        styles = [_BarStyle(colour(0)), _BarStyle(colour(1)), _BarStyle(colour(1), "///")]
        labels: list[str] = []
        for index, side in enumerate(sides):
            labels += [""] * index  # a gap between the two replies
            for word, value, changed in side:
                _draw_bars(axes, {len(labels): value}, 0.8, _BarStyle(colour(index), "///" if changed else ""))
                labels.append(word)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.grid(axis="y")
        label_ticks(axes, labels)
        _draw_bar_legend(figure, styles, ["human reply", "adversarial reply", "differs"])
    return figure


def words_table(human: ReplyWords, adversarial: ReplyWords) -> Table:
    """Return the same data as a table.

    Example:
        >>> words_table(ReplyWords(["yes"], [0.5], [False]), ReplyWords(["no"], [-1.0], [True])).rows
        (('human', '1', 'yes', '0.5', ''), ('adversarial', '1', 'no', '-1', 'yes'))
    """
    rows = tuple(
        (reply, str(number), word, number_cell(value), "yes" if changed else "")
        for reply, side in (("human", human), ("adversarial", adversarial))
        for number, (word, value, changed) in enumerate(zip(*side, strict=True), 1)
    )
    return Table("", ("reply", "place", "word", "value", "differs"), rows, frozenset({1, 3}))
