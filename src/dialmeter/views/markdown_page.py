"""The report of a run as one page of Markdown, which is stored in the folder of the run."""

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
    """Return the page of a run.

    Args:
        name: name of the run.
        facts: a sentence with the number of scored units and the rules.
        scores: tables at the top.
        notices: warnings.
        details: tables at the end.
        signature: signature of the scores; empty for none.
        diagnosis: possible problems of the files.
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
