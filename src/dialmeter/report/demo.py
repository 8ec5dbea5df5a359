"""The demo's report: two trackers side by side, in Markdown."""

from __future__ import annotations

from ..tracking.compare import Compared
from .compare import long_table, rank_table
from .tables import render
from .tracker import group_table, shared_signature, worst_table


def demo_report(compared: Compared) -> str:
    """The demo in one page of Markdown."""
    results = compared.results
    first = next(iter(results.values()))
    parts = [
        "# Two trackers in an invented town",
        f"{first.dialogues} dialogues, {first.turns} turns. Values in percent; stars mark differences (paired test, Holm).",
        render(long_table(compared), "markdown"),
        f"Signature: `{shared_signature([score for result in results.values() for score in result.scores])}`",
        render(rank_table(compared), "markdown"),
    ]
    for name, result in results.items():
        parts += [f"## {name}", render(group_table(result.by("domain"), "domain"), "markdown")]
        parts += [
            render(worst_table(result, 5), "markdown"),
            *(f"- warning: {each.message}" for each in result.notices),
        ]
    return "\n\n".join(parts) + "\n"
