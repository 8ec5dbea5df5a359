"""The report as Markdown or LaTeX, from the same content as the page: with tables ready to paste and without charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from .content import Block, Charts, Code, Images, Paragraph, Rows, Section, Warnings, sections
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
    return plain_sections(name, sections(runs, lambda run, params: ""), style)


def plain_sections(title: str, found: Iterable[Section], style: str) -> str:
    """Sections as text; ``style`` is ``markdown`` or ``latex``."""
    parts = [_heading(Section(title, (), level=1), style)]
    for section in found:
        blocks = [text for block in section.blocks for text in _block(_untitled(block, section), style)]
        if blocks:
            parts += [_heading(section, style), *blocks]
    return "\n\n".join(parts) + "\n"


def _untitled(block: Block, section: Section) -> Block:
    """The block, without a title that is the heading of its section."""
    return replace(block, title="") if isinstance(block, Table) and block.title == section.heading else block


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
            # LaTeX does not break a line inside a word, and a signature is one word.
            yield (f"    {text}" if markdown else rf"{{\small\ttfamily\sloppy {_breakable_code(text)}}}")
        case Warnings():
            lines = [f"warning: {notice.message}" for notice in block.notices]
            if markdown:
                yield "\n".join(f"- {markdown_text(visible(line))}" for line in lines)
            else:
                items = "\n".join(rf"\item {latex_text(visible(line))}" for line in lines)
                yield f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
        case Charts() | Images():
            return


def _breakable_code(text: str) -> str:
    return "".join(latex_text(letter) + (r"\allowbreak " if letter in _BREAKS else "") for letter in text)
