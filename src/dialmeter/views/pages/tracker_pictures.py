"""The charts of tracker runs, whose bars lead to the dialogues that they count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..chart_files import slug
from ..charts import by_turn, confusion, error_classes, parallel
from ..charts.data import Estimate
from .common_pictures import measures, spread
from .kinds import Picture, RowsLink
from .tracker import MISTAKES, RIGHT_TURN, WRONG_TURN

if TYPE_CHECKING:
    from .opened import Opened

CONFUSED_SLOTS = 2


def pictures(runs: Sequence[Opened], link: RowsLink) -> Iterator[Picture]:
    """Measures and turns of all runs together, then the spread and the mistakes of each."""
    yield measures(runs, link)
    if len(runs) > 1:
        values = {run.key: {score["measure"]: score.get("value") for score in run.scores} for run in runs}
        title = "Do measures agree on the order?"
        yield Picture("parallel", title, lambda: parallel.draw(values, title=title), parallel.table(values))
    yield _by_turn(runs, link)
    for run in runs:
        of = f" of {run.key}" if len(runs) > 1 else ""
        yield spread(run, link, of)
        yield _mistakes(run, link, of)
        yield from _confusions(run, link, of)


def _by_turn(runs: Sequence[Opened], link: RowsLink) -> Picture:
    series: dict[str, dict[int, Estimate]] = {}
    dialogues: dict[int, int] = {}
    for run in runs:
        counts = run.findings.counts("turn", "class")
        turns = sorted({int(turn) for turn, _ in counts})
        right = {turn: counts[str(turn), RIGHT_TURN] for turn in turns}
        all_ = {turn: right[turn] + counts[str(turn), WRONG_TURN] for turn in turns}
        series[run.key] = {turn: Estimate(right[turn] / all_[turn]) for turn in turns if all_[turn]}
        dialogues = dialogues or all_
    title = "Right turns by the number of the turn"
    links = {turn: link(runs[0], {"turn": str(turn)}) for turn in dialogues}
    words = {links[turn]: f"{size:,} dialogues with a turn {turn}" for turn, size in dialogues.items()}
    label = "share of turns exactly right (JGA)"
    return Picture(
        "by-turn",
        title,
        lambda: by_turn.draw(series, dialogues, title=title, y_label=label, links=links),
        by_turn.table(series, dialogues),
        words,
    )


def _mistakes(run: Opened, link: RowsLink, of: str) -> Picture:
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for (slot, kind, age), size in run.findings.counts("slot", "class", "age").items():
        if kind in MISTAKES:
            counts.setdefault(slot, Counter())[kind, age] = size
    links = {
        (slot, kind, age): link(run, {"slot": slot, "class": kind, "age": age})
        for slot, parts in counts.items()
        for kind, age in parts
    }
    words = {
        links[slot, kind, age]: f"{slot}: {kind}, {age.replace('-', ' ')}, {size:,} turns"
        for slot, parts in counts.items()
        for (kind, age), size in parts.items()
    }
    title = f"Mistakes per slot{of}"
    return Picture(
        f"mistakes-{slug(run.key)}",
        title,
        lambda: error_classes.draw(counts, title=title, links=links),
        error_classes.table(counts),
        words,
    )


def _confusions(run: Opened, link: RowsLink, of: str) -> Iterator[Picture]:
    """The slots at which most values were taken for another."""
    wrong = run.findings.counts("slot", where={"class": "wrong"})
    for (slot,) in sorted(wrong, key=lambda key: (-wrong[key], key))[:CONFUSED_SLOTS]:
        yield _confusion(run, link, slot, of)


def _confusion(run: Opened, link: RowsLink, slot: str, of: str) -> Picture:
    counts = run.findings.counts("gold", "pred", where={"slot": slot})
    pairs = {(gold or None, pred or None): size for (gold, pred), size in counts.items()}
    links = {pair: link(run, _filter(slot, pair)) for pair in pairs}
    words = {
        links[gold, pred]: f"{slot}: {gold or 'absent'} predicted as {pred or 'absent'}, {size:,} turns"
        for (gold, pred), size in pairs.items()
    }
    title = f"Gold and predicted values{of}"
    return Picture(
        f"values-{slug(run.key)}-{slug(slot)}",
        f"{title}: {slot}",
        lambda: confusion.draw(pairs, slot=slot, title=title, links=links),
        confusion.table(pairs),
        words,
    )


def _filter(slot: str, pair: tuple[str | None, str | None]) -> Mapping[str, str]:
    gold, pred = pair
    kind = "over" if gold is None else "missed" if pred is None else "correct" if gold == pred else "wrong"
    sides = {name: value for name, value in (("gold", gold), ("pred", pred)) if value is not None}
    return {"slot": slot, "class": kind, **sides}
