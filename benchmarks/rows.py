"""Rows of benchmark results: what was measured, the value, and the target."""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One result: what was measured, the value, the target, and whether the target is met."""

    name: str
    value: float
    target: str
    met: bool


def at_most(name: str, value: float, target: float) -> Row:
    """Return a row whose value should not be above the target."""
    return Row(name, value, f"≤ {target:.4g}", value <= target)


def at_least(name: str, value: float, target: float) -> Row:
    """Return a row whose value should not be below the target."""
    return Row(name, value, f"≥ {target:.4g}", value >= target)


def untargeted(name: str, value: float) -> Row:
    """Return a row without a target."""
    return Row(name, value, "none", True)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as text."""
    width = max(len(row.name) for row in rows)
    lines = [f"{'':{width}}     value  target"]
    for row in rows:
        verdict = "" if row.target == "none" else "met" if row.met else "missed"
        lines.append(f"{row.name:{width}}  {row.value:8.2f}  {row.target:8}  {verdict}".rstrip())
    return "\n".join(lines)


def markdown(rows: Sequence[Row]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| measured | now | target |", "|---|---|---|"]
    for row in rows:
        target = "–" if row.target == "none" else row.target if row.met else f"{row.target} **missed**"
        lines.append(f"| {row.name} | {row.value:,.2f} | {target} |")
    return "\n".join(lines)


def print_ratios(ratios: Callable[[int, int], list[Row]], about: str, dialogues: int, repeats: int) -> None:
    """Parse the command line of a benchmark over generated dialogues, and print its rows."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--dialogues", type=int, default=dialogues)
    parser.add_argument("--repeats", type=int, default=repeats)
    options = parser.parse_args()
    print(table(ratios(options.dialogues, options.repeats)))
