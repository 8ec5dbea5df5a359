"""A tracker's scores as tables and as a short Markdown report."""

from __future__ import annotations

from collections.abc import Sequence

from ..measure import Score
from ..tracking.result import TrackerResult
from .tables import Table, percent, render


def score_table(scores: Sequence[Score]) -> Table:
    """Measure, value, number of units, and what of the signature is the measure's own."""
    shared = shared_fields([score.signature for score in scores])
    rows = tuple(
        (
            score.measure,
            percent(score.value),
            interval(score.ci),
            str(score.n),
            str(score.unscored or ""),
            _own(score, shared),
        )
        for score in scores
    )
    return Table("", ("measure", "value", "interval", "n", "left out", "note"), rows, frozenset({1, 2, 3, 4}))


def interval(limits: tuple[float, float] | None) -> str:
    """An interval in percent.

    Example:
        >>> interval((0.5, 0.61239)), interval(None)
        ('50.00 to 61.24', '')
    """
    return "" if limits is None else f"{100 * limits[0]:.2f} to {100 * limits[1]:.2f}"


def _own(score: Score, shared: Sequence[str]) -> str:
    parts = [part for part in score.signature.split("|")[1:] if part not in shared]
    return "; ".join([*parts, *([f"no value: {score.reason}"] if score.reason else [])])


def shared_fields(signatures: Sequence[str]) -> list[str]:
    """The fields that all signatures have in common, the measure aside."""
    first, *rest = [signature.split("|")[1:] for signature in signatures]
    return [part for part in first if all(part in other for other in rest)]


def shared_signature(scores: Sequence[Score]) -> str:
    """One line for all scores of a table; what is a measure's own stands in its row."""
    return "|".join(["…", *shared_fields([score.signature for score in scores])])


def group_table(scores: Sequence[Score], group: str) -> Table:
    """One row per group, one column per measure; n is what the first measure counts."""
    measures = list(dict.fromkeys(score.measure for score in scores))
    cells = {(score.group[group], score.measure): score for score in scores}
    names = list(dict.fromkeys(score.group[group] for score in scores))
    rows = tuple(
        (
            str(name),
            str(cells[name, measures[0]].n),
            *(percent(cells[name, measure].value) for measure in measures),
        )
        for name in names
    )
    return Table(f"by {group}", (group, "n", *measures), rows, frozenset(range(1, len(measures) + 2)))


def worst_table(result: TrackerResult, n: int) -> Table:
    """The worst dialogues; kinds of mistakes only where the file has values."""
    changes = ("missed", "wrong", "over") if result.values_known else ()
    rows = tuple(
        (
            each.dialogue,
            percent(each.value),
            f"{each.wrong_turns} of {each.turns}",
            *(str(getattr(each, name)) for name in changes),
        )
        for each in result.worst(n)
    )
    headings = ("dialogue", result.ranked_by, "wrong turns", *changes)
    return Table("the worst dialogues", headings, rows, frozenset(range(1, len(headings))))


def markdown_report(name: str, result: TrackerResult) -> str:
    """A run in one page of Markdown."""
    counts = result.counts
    parts = [
        f"# {_plain(name)}",
        f"{counts['dialogues']} dialogues, {counts['turns']} turns, rules {_plain(result.rules.name)}.",
        render(score_table(result.scores), "markdown"),
        f"Signature: `{shared_signature(result.scores).replace('`', '')}`",
        *(f"- warning: {_plain(notice.message)}" for notice in result.notices),
        render(worst_table(result, 10), "markdown"),
    ]
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    return "".join("\\" + letter if letter in "\\`*_<>[]#|" else letter for letter in text.replace("\n", " "))
