"""The report as Markdown or LaTeX, from the same content as the page: with tables ready to paste and without charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .content import Block, Charts, Code, Paragraph, Pictures, Rows, Section, Warnings, sections
from .latex.paper_table import COLUMN
from .latex.typeset import breakable, latex_text
from .pages.opened import Opened
from .tables import Table, markdown_text, render, visible

_BREAKS = "|+,:/"
"""Signs of signatures and commands after which a line may be broken."""


def plain_report(runs: Sequence[Opened], style: str, title: str = "") -> str:
    """The report as text.

    Args:
        runs: what to report; of several runs of one kind, the first is the baseline.
        style: ``markdown`` or ``latex`` (booktabs; to be put into a document with ``\\input``).
        title: the heading; by default the names of the runs.
    """
    name = title or ", ".join(run.key for run in runs)
    parts = [_heading(Section(name, (), level=1), style)]
    for section in sections(runs, lambda run, params: ""):
        blocks = [text for block in section.blocks for text in _block(block, style)]
        if blocks:
            parts += [_heading(section, style), *blocks]
    return "\n\n".join(parts) + "\n"


def _heading(section: Section, style: str) -> str:
    if style == "markdown":
        return f"{'#' * section.level} {markdown_text(visible(section.heading))}"
    command = ("section", "subsection", "subsubsection")[section.level - 1]
    return rf"\{command}{{{latex_text(visible(section.heading))}}}"


def _block(block: Block, style: str) -> Iterator[str]:
    markdown = style == "markdown"
    match block:
        case Table():
            yield render(block, style)
        case Rows():
            yield render(block.table, style)
        case Paragraph():
            yield markdown_text(visible(block.text)) if markdown else breakable(visible(block.text), COLUMN)
        case Code():
            text = visible(block.text)
            # LaTeX breaks no line inside a word, and a signature is one.
            yield (f"    {text}" if markdown else rf"{{\small\ttfamily\sloppy {_breakable_code(text)}}}")
        case Warnings():
            lines = [f"warning: {notice.message}" for notice in block.notices]
            if markdown:
                yield "\n".join(f"- {markdown_text(visible(line))}" for line in lines)
            else:
                items = "\n".join(rf"\item {latex_text(visible(line))}" for line in lines)
                yield f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
        case Charts() | Pictures():
            return


def _breakable_code(text: str) -> str:
    return "".join(latex_text(letter) + (r"\allowbreak " if letter in _BREAKS else "") for letter in text)
