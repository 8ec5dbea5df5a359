"""A run in one page of Markdown, which is kept in the folder of the run."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Notice
from ..tracking.diagnosis.suspicions import Finding
from .tables import Table, markdown_code, markdown_text, render


def markdown_page(
    name: str,
    facts: str,
    scores: Iterable[Table],
    notices: Iterable[Notice],
    details: Iterable[Table],
    *,
    signature: str = "",
    diagnosis: Iterable[Finding] = (),
) -> str:
    """The page of a run.

    Args:
        name: what was scored.
        facts: a sentence on how much was scored, and with which rules.
        scores: the tables that come first.
        notices: warnings.
        details: the tables that come last.
        signature: of the scores; empty for none.
        diagnosis: what may be wrong with the files.
    """
    parts = [
        f"# {_one_line(name)}",
        _one_line(facts),
        *(render(table, "markdown") for table in scores),
        *([f"Signature: {markdown_code(signature)}"] if signature else []),
        *(f"- warning: {_one_line(notice.message)}" for notice in notices),
        *(f"- diagnosis: {_one_line(finding.message)}" for finding in diagnosis),
        *(render(table, "markdown") for table in details),
    ]
    return "\n\n".join(parts) + "\n"


def _one_line(text: str) -> str:
    return markdown_text(text.replace("\n", " "))
