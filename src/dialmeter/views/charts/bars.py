"""Bar charts: measures by system, mistakes stacked by slot, the distribution of scores, and the words of two replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .axes import draw_legend, draw_whiskers, format_ticks, integer_ticks, label_ticks, scale_counts, set_link
from .canvas import WIDTH, Drawing, Mark
from .data import Estimate, finite, points_with_interval, points_with_value, series, unique_keys
from .fit import design_inches, font_points
from .palette import BLUE, INK, ON_DARK, ON_LIGHT, ORANGE, PAPER, VERMILION, colour, hatch
from .words import display_name, truncation_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..chart_files import Chart

MAX_SYSTEMS, MAX_MEASURES = 12, 20
_GAP = 0.25


def _draw_bars(chart: Chart) -> Drawing:
    """Draw one group of bars per measure, one bar per system, with whiskers for intervals."""
    scores = series(chart)
    links = {(row[0], row[1]): chart.address(at, 2) for at, row in enumerate(chart.rows)}
    measures = unique_keys(scores.values())[:MAX_MEASURES]
    systems = list(scores)[:MAX_SYSTEMS]

    def paint(figure: Figure, axes: Axes) -> None:
        step = min(0.3, (1 - _GAP) / len(systems))
        room = step * (design_inches(figure.get_figwidth()) - 1) / len(measures) * 72
        styles = [_BarStyle(colour(index), hatch(index)) for index in range(len(systems))]
        for index, system in enumerate(systems):
            values = {at: scores[system][each] for at, each in enumerate(measures) if each in scores[system]}
            places = {at: at + (index + 0.5 - len(systems) / 2) * step for at in values}
            heights = {places[at]: height for at, height in points_with_value(values)}
            urls = [links[system, measures[at]] for at, _ in points_with_value(values)]
            _draw_boxes(axes, heights, step * 0.92, styles[index], urls=urls)
            draw_whiskers(axes, [(places[at], low, high) for at, low, high in points_with_interval(values)])
            for at, each in values.items():
                _draw_value(axes, places[at], each, room=room, as_percent=chart.as_percent)
        axes.margins(y=0.12)
        axes.set_xlim(-0.5, len(measures) - 0.5)
        axes.grid(axis="y")
        format_ticks(axes.yaxis, chart.as_percent)
        if not chart.as_percent:
            scale_counts(axes, [size for points in scores.values() for _, size in points_with_value(points)])
        label_ticks(axes, measures)
        _draw_bar_legend(figure, styles, systems)

    return Drawing(
        paint if any(map(points_with_value, scores.values())) else None,
        [truncation_note(len(systems), len(scores), "systems")],
        width=min(14.0, max(WIDTH, 0.22 * len(systems) * len(measures) + 0.4 * len(measures))),
    )


BARS = Mark("bars", _draw_bars, ("system", "measure", "value", "low", "high"), frozenset({0, 1}), y_label="score")


class _BarStyle(NamedTuple):
    """The fill of bars."""

    colour: str
    hatch: str = ""
    linewidth: float = 0.5


def _draw_boxes(
    axes: Axes,
    sizes: Mapping[float, float],
    width: float,
    style: _BarStyle,
    *,
    urls: Iterable[str] = (),
    place: Literal["center", "edge"] = "center",
) -> None:
    """Draw vertical bars (x → height), each with its link."""
    fill: dict[str, Any] = {"color": style.colour, "hatch": style.hatch or None, "linewidth": style.linewidth}
    drawn = axes.bar(list(sizes), list(sizes.values()), width, align=place, edgecolor=PAPER, **fill)
    for bar, url in zip(drawn, urls, strict=False):
        set_link(bar, url)


def _draw_bar_legend(figure: Figure, styles: Sequence[_BarStyle], labels: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=each.colour, hatch=each.hatch, edgecolor=PAPER, linewidth=0.5) for each in styles]
    draw_legend(figure, handles, [display_name(label) for label in labels])


def _draw_value(axes: Axes, place: float, point: Estimate, *, room: float, as_percent: bool) -> None:
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


# Mistakes per slot: one stacked bar per slot.

# Class → sign, colour, colour of the sign. The sign is inside the bar, because colour alone is not accessible.
CLASSES = {"missed": ("−", BLUE, ON_DARK), "wrong": ("≠", VERMILION, ON_LIGHT), "extra": ("+", ORANGE, ON_LIGHT)}
PARTS = [(kind, age) for kind in CLASSES for age in ("new", "carried-over")]
MAX_SLOTS = 40


def mistake_rows(counts: Mapping[str, Mapping[tuple[str, str], int]]) -> list[tuple[str | int, ...]]:
    """Return the rows of a chart of mistakes, most mistakes first: slot, number of each class and age, sum.

    Args:
        counts: Slot → (class, age) → number of mistakes; classes are missed, wrong, extra; ages new, carried-over.

    Example:
        >>> mistake_rows({"hotel-area": {("missed", "new"): 3}})
        [('hotel-area', 3, 0, 0, 0, 0, 0, 3)]
    """
    sizes = [(slot, [parts.get(part, 0) for part in PARTS]) for slot, parts in counts.items()]
    return [(slot, *own, sum(own)) for slot, own in sorted(sizes, key=lambda each: (-sum(each[1]), each[0]))]


def _draw_mistakes(chart: Chart) -> Drawing:
    """Draw one stacked bar per slot, the slot with most mistakes on top; the 41st and later become "others"."""
    ranked = [row for row in chart.rows if row[-1]]
    if len(ranked) > MAX_SLOTS:
        sums = map(sum, zip(*(row[1:] for row in ranked[MAX_SLOTS:]), strict=True))
        ranked = [*ranked[:MAX_SLOTS], (f"others ({len(ranked) - MAX_SLOTS:,} slots)", *sums)]
    totals = [row[-1] for row in ranked]
    longest = max(totals[:MAX_SLOTS], default=0)

    def paint(figure: Figure, axes: Axes) -> None:
        # "Others" may be much longer than any slot. It is then drawn shorter, with its parts in proportion.
        units = [1.0 if total <= longest else 0.7 * longest / total for total in totals]
        left = [0.0] * len(ranked)
        handles, labels = [], []
        for column, (kind, age) in enumerate(PARTS, 1):
            sign, shade, on_shade = CLASSES[kind]
            sizes = [unit * row[column] for unit, row in zip(units, ranked, strict=True)]
            style: dict[str, Any] = {
                "color": shade,
                "hatch": "////" if age == "carried-over" else None,
                "edgecolor": PAPER,
            }
            bars = axes.barh(range(len(ranked)), sizes, 0.8, left=left, linewidth=0.5, **style)
            for row, bar in enumerate(bars):
                set_link(bar, chart.address(row, column) if row < MAX_SLOTS else "")
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
        axes.set_yticks(range(len(ranked)), [display_name(row[0], 32) for row in ranked])
        axes.set_ylim(len(ranked) - 0.5, -0.5)
        integer_ticks(axes.xaxis)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        draw_legend(figure, handles, labels, most=3)

    return Drawing(paint if longest else None, height=max(2.4, 1.5 + 0.21 * len(ranked)))


MISTAKES = Mark(
    "mistakes",
    _draw_mistakes,
    ("slot", *(f"{kind}, {age}" for kind, age in PARTS), "all"),
    frozenset({0}),
    x_label="mistakes, counted over all turns",
)


def _draw_spread(chart: Chart) -> Drawing:
    """Draw the number of dialogues in each range of scores."""
    filled = [(at, row) for at, row in enumerate(chart.rows) if row[2]]

    def paint(figure: Figure, axes: Axes) -> None:
        low, next_low, _ = chart.rows[0]
        heights = {row[0]: row[2] for _, row in filled}
        urls = [chart.address(at, 2) for at, _ in filled]
        _draw_boxes(axes, heights, next_low - low, _BarStyle(BLUE, linewidth=0.8), urls=urls, place="edge")
        axes.set_xlim(low, chart.rows[-1][1])
        axes.grid(axis="y")
        format_ticks(axes.xaxis, chart.as_percent)
        integer_ticks(axes.yaxis)
        scale_counts(axes, [row[2] for row in chart.rows])

    return Drawing(paint if filled else None, height=3.2)


SPREAD = Mark("spread", _draw_spread, ("from", "to", "dialogues"), frozenset(), y_label="number of dialogues")

MAX_WORDS = 40


def _draw_words(chart: Chart) -> Drawing:
    """Draw a bar per word: the human reply first, then the adversarial one; words that differ are hatched."""
    sides = [[row for row in chart.rows if row[0] == side][:MAX_WORDS] for side in ("human", "adversarial")]
    word_count = sum(map(len, sides))

    def paint(figure: Figure, axes: Axes) -> None:
        labels: list[str] = []
        for index, side in enumerate(sides):
            labels += [""] * index  # a gap between the two replies
            for _, _, word, value, changed in side:
                _draw_boxes(axes, {len(labels): value}, 0.8, _BarStyle(colour(index), "///" if changed else ""))
                labels.append(word)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.grid(axis="y")
        label_ticks(axes, labels)
        styles = [_BarStyle(colour(0)), _BarStyle(colour(1)), _BarStyle(colour(1), "///")]
        _draw_bar_legend(figure, styles, ["human reply", "adversarial reply", "differs"])

    note = truncation_note(word_count, len(chart.rows), "words")
    return Drawing(paint if word_count else None, [note], width=min(14.0, max(WIDTH, 0.3 * word_count + 1.5)))


WORDS = Mark(
    "words",
    _draw_words,
    ("reply", "place", "word", "value", "differs"),
    frozenset({0, 2, 4}),
    y_label="contribution to the score",
)
