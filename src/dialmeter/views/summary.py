"""The summary of a result: the verdict first, then what it depends on, the measures, the number of units, the signature, and the next command.

It has at most 24 lines of 80 columns. The terminal prints it, and it is the text of a result in Python.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from msgspec import Struct

from .tables import Table, render, visible

WIDTH = 80
"""Maximum number of columns of a line."""
LINES = 24
"""Maximum number of lines of a summary."""


class Summary(Struct, frozen=True, kw_only=True):
    """What a person needs to know about a result.

    Attributes:
        verdict: a sentence.
        rungs: lines of the ladder, already aligned; empty without a ladder.
        findings: what the verdict depends on: a label of one or two words, such as ``spelling``, and the text with its number.
        table: the measures.
        account: the number of scored units, such as ``1000 of 1000 dialogues``.
        signature: the short signature.
        next: the command that answers the next question.
    """

    verdict: str
    rungs: Sequence[str] = ()
    findings: Sequence[tuple[str, str]] = ()
    table: Table | None = None
    account: str = ""
    signature: str = ""
    next: str = ""

    def lines(self) -> list[str]:
        """Return the lines of the terminal."""
        lines = textwrap.wrap(visible(self.verdict), WIDTH)
        lines += [f"  {visible(rung)}" for rung in self.rungs]
        lines += self._finding_lines()
        if self.table is not None and self.table.rows:
            lines += render(self.table, "text").split("\n")
        lines += [visible(self.account)] if self.account else []
        for label, text in (("signature", self.signature), ("next", self.next)):
            lines += [f"{label}  {visible(text)}"] if text else []
        return lines

    def _finding_lines(self) -> Iterator[str]:
        width = max((len(label) for label, _ in self.findings), default=0)
        for label, text in self.findings:
            first = f"  {label:<{width}}  "
            yield from textwrap.wrap(
                visible(text), WIDTH, initial_indent=first, subsequent_indent=" " * len(first), max_lines=3
            )

    def __str__(self) -> str:
        return "\n".join(self.lines())
