"""Parts of summaries that all subjects share: the rungs of a ladder, measures side by side, and the number of scored units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.account import Account
from ..core.comparison import PairedDifference, SystemComparison
from ..core.ladder import Ladder
from ..measure import Score
from .tables import Table, interval, p_value, percent

_NAME = 39
"""Maximum number of columns of the name of a rung."""
_SYSTEM = 16
_LISTED = 8
"""Maximum number of systems in a table."""


def shorten(text: str, width: int) -> str:
    """Return a text of at most this width.

    Example:
        >>> shorten("hotel-pricerange", 8), shorten("taxi", 8)
        ('hotel-p…', 'taxi')
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def account_text(account: Account) -> str:
    """Return the number of scored units, such as ``944 of 1000 dialogues; 56 without a prediction (mul0088)``."""
    text = f"{account.scored} of {account.asked} {account.unit}{'' if account.asked == 1 else 's'}"
    return text if account.complete else shorten(f"{text}; {account.why}", 80)


def score_rows(scores: Sequence[Score], unit: str = "") -> Table:
    """Return one row per measure: value, interval, and why there is no value or how many units are unscored."""
    rows = []
    for each in scores:
        note = f"{each.unscored} {unit} unscored" if each.unscored and unit and each.value is not None else ""
        rows.append((each.measure, percent(each.value), interval(each.ci), each.reason if each.value is None else note))
    return Table("", ("", "", "", ""), tuple(rows), frozenset({1, 2}))


def rung_lines(ladder: Ladder) -> list[str]:
    """Return the rungs, aligned; none if there is only the difference as written."""
    if len(ladder.rungs) < 2:
        return []
    cells = [
        (
            shorten(each.name + (f", {each.note}" if each.note else ""), _NAME),
            signed_points(each.difference),
            interval(each.ci),
            each.verdict,
        )
        for each in ladder.rungs
    ]
    name, difference, span = (max(len(row[column]) for row in cells) for column in range(3))
    return [f"{row[0]:<{name}} {row[1]:>{difference}}  {row[2]:>{span}}  {row[3]}" for row in cells]


def signed_points(difference: float | None) -> str:
    """Return a difference in points, with its sign; a dash if there is none."""
    return "–" if difference is None else f"{100 * difference:+.2f}"


def side_by_side(comparison: SystemComparison[Any], scores: Mapping[str, Sequence[Score]]) -> Table:
    """Return the measures of two systems side by side; of more systems, one row per system with its first measure."""
    against = {(each.measure, each.system): each for each in comparison.versus}
    names = list(scores)
    if len(names) == 2:
        base, name = names
        rows = tuple(
            (one.measure, percent(one.value), percent(two.value), *_difference_cells(against.get((one.measure, name))))
            for one, two in zip(scores[base], scores[name], strict=True)
        )
        headings = ("", shorten(base, _SYSTEM), shorten(name, _SYSTEM), "difference", "p (Holm)", "better/same/worse")
        return Table("", headings, rows, frozenset(range(1, 6)))
    first = {name: own[0] for name, own in scores.items()}
    measure = first[names[0]].measure
    rows = tuple(
        (
            shorten(name, _SYSTEM),
            percent(each.value),
            interval(each.ci),
            *_difference_cells(against.get((measure, name))),
        )
        for name, each in list(first.items())[:_LISTED]
    )
    if len(names) > _LISTED:
        rows = (*rows, (f"… {len(names) - _LISTED} more: -v", "", "", "", "", ""))
    headings = ("", shorten(measure, 13), "interval", "difference", "p (Holm)", "better/same/worse")
    return Table("", headings, rows, frozenset(range(1, 6)))


def _difference_cells(each: PairedDifference | None) -> tuple[str, str, str]:
    if each is None:
        return "", "", ""
    return signed_points(each.difference), p_value(each.p_holm), f"{each.wins}/{each.ties}/{each.losses}"


_WORDS = {
    "better": "better than",
    "worse": "worse than",
    "cannot tell": "not told apart from",
    "depends": "better or worse, depending on an assumption, than",
    "not comparable": "not comparable with",
}


def verdict_of(ladders: Sequence[Ladder], base: str) -> str:
    """Return the verdict on two systems, or one sentence about all systems and the first."""
    if len(ladders) == 1:
        return ladders[0].headline
    kinds: dict[str, list[str]] = {}
    for each in ladders:
        kinds.setdefault(each.verdict, []).append(each.system)
    parts = [f"{shorten(', '.join(kinds[kind]), 60)} {_WORDS[kind]} {base}" for kind in _WORDS if kind in kinds]
    return f"{ladders[0].measure}: {'; '.join(parts)}." if parts else "no measure has a value for these systems."
