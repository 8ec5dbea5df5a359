"""The report as Markdown or LaTeX, with the same content as the HTML page, but without charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from .content import Block, Charts, Code, Images, Paragraph, Rows, Section, Warnings, sections
from .latex import COLUMN, breakable, latex_text
from .pages.opened_run import OpenedRun
from .tables import Table, markdown_text, render, visible

_BREAKS = "|+,:/"
"""Characters in signatures and commands after which a line may be broken."""


def plain_report(runs: Sequence[OpenedRun], style: str, title: str = "") -> str:
    """Return the report as text.

    Args:
        runs: the runs to report; among several runs of one kind, the first is the baseline.
        style: ``markdown`` or ``latex`` (with booktabs; include it in a document with ``\\input``).
        title: the heading; by default the names of the runs.
    """
    name = title or ", ".join(run.key for run in runs)
    return plain_sections(name, sections(runs, lambda run, params: ""), style)


def plain_sections(title: str, content: Iterable[Section], style: str) -> str:
    """Return sections as text; ``style`` is ``markdown`` or ``latex``."""
    parts = [_heading(Section(title, (), level=1), style)]
    for section in content:
        blocks = [text for block in section.blocks for text in _block(_drop_title(block, section), style)]
        if blocks:
            parts += [_heading(section, style), *blocks]
    return "\n\n".join(parts) + "\n"


def _drop_title(block: Block, section: Section) -> Block:
    """Return the block, without its title if the title equals the heading of the section."""
    return replace(block, title="") if isinstance(block, Table) and block.title == section.heading else block


def _heading(section: Section, style: str) -> str:
    if style == "markdown":
        return f"{'#' * section.level} {markdown_text(visible(section.heading))}"
    command = ("section", "subsection", "subsubsection")[section.level - 1]
    return rf"\{command}{{{latex_text(visible(section.heading))}}}"


def _block(block: Block, style: str) -> Iterator[str]:
    is_markdown = style == "markdown"
    match block:
        case Table():
            yield render(block, style)
        case Rows():
            yield render(block.table, style)
        case Paragraph():
            yield markdown_text(visible(block.text)) if is_markdown else breakable(visible(block.text), COLUMN)
        case Code():
            text = visible(block.text)
            # LaTeX does not break a line inside a word, and a signature is one word.
            yield (f"    {text}" if is_markdown else rf"{{\small\ttfamily\sloppy {_breakable_code(text)}}}")
        case Warnings():
            lines = [f"warning: {notice.message}" for notice in block.notices]
            if is_markdown:
                yield "\n".join(f"- {markdown_text(visible(line))}" for line in lines)
            else:
                items = "\n".join(rf"\item {latex_text(visible(line))}" for line in lines)
                yield f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
        case Charts() | Images():
            return


def _breakable_code(text: str) -> str:
    return "".join(latex_text(letter) + (r"\allowbreak " if letter in _BREAKS else "") for letter in text)
