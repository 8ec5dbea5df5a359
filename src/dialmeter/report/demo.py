"""The demo's table and report: two trackers side by side."""

from __future__ import annotations

from collections.abc import Mapping

from ..tracking.result import TrackerResult
from .tables import Table, percent, render
from .tracker import group_table, shared_signature, worst_table


def comparison_table(results: Mapping[str, TrackerResult]) -> Table:
    """One row per measure, one column per tracker; the better one is marked."""
    columns = [result.scores for result in results.values()]
    rows = []
    for scores in zip(*columns, strict=True):
        values = [score.value for score in scores]
        best = max((value for value in values if value is not None), default=None)
        marked = [percent(value) + (" ◀" if value == best and values.count(best) == 1 else "  ") for value in values]
        rows.append((scores[0].measure, *marked))
    return Table("", ("measure", *results), tuple(rows), frozenset(range(1, len(results) + 1)))


def demo_report(results: Mapping[str, TrackerResult]) -> str:
    """The demo in one page of Markdown."""
    first = next(iter(results.values()))
    parts = [
        "# Two trackers in an invented town",
        f"{first.dialogues} dialogues, {first.turns} turns. Values in percent; ◀ marks the better tracker of each row.",
        render(comparison_table(results), "markdown"),
        f"Signature: `{shared_signature([score for result in results.values() for score in result.scores])}`",
    ]
    for name, result in results.items():
        parts += [
            f"## {name}",
            render(group_table(result.by("domain"), "domain"), "markdown"),
            render(worst_table(result, 5), "markdown"),
        ]
        parts += [f"- warning: {notice.message}" for notice in result.notices]
    return "\n\n".join(parts) + "\n"
