"""The content of a report, and the report as Markdown or LaTeX: the same content as the HTML page, but without charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..core.account import read_account
from ..model import Notice
from .chart_files import Chart
from .latex import COLUMN, Paper, breakable, latex_text
from .pages.kinds import RowsLink
from .pages.opened_run import OpenedRun
from .pages.scores import command, confidence, facts, match, scores_by_run, signature
from .pages.select import RowQuery, select
from .tables import Table, markdown_text, render, visible

WORST = 10
_BREAKS = "|+,:/"
"""Characters in signatures and commands after which a line may be broken."""


class Paragraph(Struct, frozen=True):
    """A remark."""

    text: str


class Verdict(Struct, frozen=True):
    """The summary that the terminal printed, and the forest plot of what the verdict depends on."""

    summary: str
    charts: tuple[Chart, ...]


class Code(Struct, frozen=True):
    """A line to copy: a signature or a command."""

    text: str


class Warnings(Struct, frozen=True):
    """Warnings about the numbers."""

    notices: tuple[Notice, ...]


class Charts(Struct, frozen=True):
    """Charts, drawn only where they can be shown."""

    charts: tuple[Chart, ...]


class Rows(Struct, frozen=True):
    """The worst rows of a run: as a table, and as positions for pages that show whole rows."""

    run: OpenedRun
    positions: tuple[int, ...]
    table: Table


Block: TypeAlias = Paragraph | Verdict | Code | Warnings | Charts | Rows | Table


class Section(Struct, frozen=True):
    """A heading and the blocks below it. On a page, a section of level 3 is folded."""

    heading: str
    blocks: tuple[Block, ...]
    level: int = 2


def sections(runs: Sequence[OpenedRun], link: RowsLink) -> Iterator[Section]:
    """Yield the sections of a report, by kind and by run."""
    for kind in dict.fromkeys(run.kind.NAME for run in runs):
        of_kind = [run for run in runs if kind == run.kind.NAME]
        for run in of_kind:
            yield from _run_sections(run, link)
        if len(of_kind) > 1 and of_kind[0].kind.COMPARABLE:
            yield _comparison_section(of_kind)


def _comparison_section(runs: Sequence[OpenedRun]) -> Section:
    """Return the scores side by side. A difference and its test are those of ``dialmeter compare``."""
    kind = runs[0].kind
    pairs = [match(runs[0], other) for other in runs[1:]]
    return Section(
        f"{kind.NAME.capitalize()}s side by side",
        (
            scores_by_run(runs),
            Paragraph(f"{kind.VALUES}. For differences and their tests: dialmeter compare."),
            *(
                Paragraph(f"{each.second.key} is not comparable with {runs[0].key}: {each.why_not}.")
                for each in pairs
                if each.why_not
            ),
        ),
        level=3,
    )


def _run_sections(run: OpenedRun, link: RowsLink) -> Iterator[Section]:
    facts_text = ", ".join(f"{value} {name}" if name != "rules" else f"rules {value}" for name, value in facts(run))
    interval = confidence(run)
    interval_note = (
        f", intervals of {interval} % by resampling {run.kind.RESAMPLED or run.kind.UNIT[1]}" if interval else ""
    )
    notices = tuple(Notice(str(each.get("code")), 1, str(each.get("message"))) for each in run.warnings)
    account = read_account(run.manifest)
    facts_text += f". {account.line}" if account is not None and not account.complete else ""
    first, *ladders = [*run.kind.ladders(run), None]
    verdict = Verdict(run.summary, (first,) if first else ())
    about: tuple[Block, ...] = (Paragraph(f"{run.kind.NAME}: {facts_text}."),)
    yield Section(run.key, (*about, verdict) if run.summary else about)
    scores: tuple[Block, ...] = (*([Warnings(notices)] if notices else []), *run.kind.headlines(run, link))
    yield Section(f"{run.key}: scores", (*scores, Paragraph(f"{run.kind.VALUES}{interval_note}.")), level=3)
    charts = (*filter(None, ladders), *run.kind.charts(run, link))
    if charts:
        yield Section(f"{run.key}: charts", (Charts(charts),), level=3)
    if groups := tuple(run.kind.breakdowns(run, link)):
        yield Section(f"{run.key}: groups", groups, level=3)
    if len(run):
        yield Section(f"{run.key}: worst {run.kind.UNIT[1]}", (worst(run),), level=3)
    inputs = run.manifest.get("inputs") or ()
    digests = [f"{each.get('name')}: SHA-256 {each['sha256']}" for each in inputs if each.get("sha256")]
    codes = map(Code, filter(None, [signature(run), command(run)]))
    yield Section(f"{run.key}: signature, reproduce", (*codes, *map(Paragraph, digests)), level=3)


def worst(run: OpenedRun) -> Rows:
    """Return the rows of a run, worst first, and a table of the first few.

    Among rows with the same score, those with the most mistakes come first.
    """
    _ = run.findings  # loads the findings, which the order depends on
    order = tuple(select(run, RowQuery()).positions.tolist())
    by = run.ranking
    rows = []
    for position in order[:WORST]:
        row = run.row(position)
        facts_text, _ = run.kind.summary(row)
        rows.append((row.id, run.cell(by, position) if by else "–", facts_text))
    table = Table(
        f"worst {run.kind.UNIT[1]}", (run.kind.UNIT[0], by or "score", "summary"), tuple(rows), frozenset({1})
    )
    return Rows(run, order, table)


def plain_report(runs: Sequence[OpenedRun], style: str, title: str = "", papers: Iterator[Paper] | None = None) -> str:
    """Return the report as text.

    Args:
        runs: the runs to report; several runs of one kind are put side by side.
        style: ``markdown`` or ``latex`` (with booktabs; include it in a document with ``\\input``).
        title: the heading; by default the names of the runs.
        papers: the settings of each table.
    """
    name = title or ", ".join(run.key for run in runs)
    papers = repeat(Paper()) if papers is None else papers
    parts = [_heading(Section(name, (), level=1), style)]
    for section in sections(runs, lambda run, params: ""):
        blocks = [text for block in section.blocks for text in _block(_drop_title(block, section), style, papers)]
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


def _block(block: Block, style: str, papers: Iterator[Paper]) -> Iterator[str]:
    is_markdown = style == "markdown"
    match block:
        case Table():
            yield render(block, style, next(papers))
        case Rows():
            yield render(block.table, style, next(papers))
        case Paragraph():
            yield markdown_text(visible(block.text)) if is_markdown else breakable(visible(block.text), COLUMN)
        case Verdict():
            lines = [visible(line) for line in block.summary.split("\n")]
            if is_markdown:
                yield "\n".join(f"    {line}" for line in lines)
            else:
                yield "\\\\\n".join(breakable(line.strip(), COLUMN) for line in lines)
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
        case Charts():
            return


def _breakable_code(text: str) -> str:
    return "".join(latex_text(letter) + (r"\allowbreak " if letter in _BREAKS else "") for letter in text)
