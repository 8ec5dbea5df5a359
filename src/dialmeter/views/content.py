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
from .compare import stars
from .latex import COLUMN, Paper, breakable, latex_text
from .pages.kinds import RowsLink
from .pages.opened_run import OpenedRun
from .pages.scores import command, confidence, facts, match, paired_tests, scores_by_run, signature
from .pages.select import RowQuery, select
from .tables import Table, markdown_text, render, visible

WORST = 10
_BREAKS = "|+,:/"
"""Characters in signatures and commands after which a line may be broken."""


class Paragraph(Struct, frozen=True):
    """A paragraph: a remark, or the result in words."""

    text: str
    is_result: bool = False


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


Block: TypeAlias = Paragraph | Code | Warnings | Charts | Rows | Table


class Section(Struct, frozen=True):
    """A heading and the blocks below it."""

    heading: str
    blocks: tuple[Block, ...]
    level: int = 2


def sections(runs: Sequence[OpenedRun], link: RowsLink) -> Iterator[Section]:
    """Yield the sections of a report, by kind and by run."""
    for kind in dict.fromkeys(run.kind.NAME for run in runs):
        of_kind = [run for run in runs if kind == run.kind.NAME]
        is_compared = len(of_kind) > 1 and of_kind[0].kind.COMPARABLE
        if is_compared:
            yield _comparison_section(of_kind, link)
        for run in of_kind:
            yield from _run_sections(run, link, with_charts=not is_compared)


def _comparison_section(runs: Sequence[OpenedRun], link: RowsLink) -> Section:
    """Return the scores side by side, with stars at differences from the first run."""
    table = scores_by_run(runs)
    pairs = [match(runs[0], other) for other in runs[1:]]
    names = [row[0] for row in table.rows]
    tests = paired_tests(pairs, names)
    marks = {(names.index(name), 3 + 2 * at): mark for (at, name), (_, p) in tests.items() if (mark := stars(p, 2))}
    count = sum(p is not None for _, p in tests.values())
    kind, (unit, units) = runs[0].kind, runs[0].kind.UNIT
    stars_note = (
        f" Stars: the mean change per {unit} against {runs[0].key} (paired randomisation over {units}, "
        f"Holm over {count} tests), * below .05, ** below .01."
    )
    return Section(
        f"{kind.NAME.capitalize()}s side by side",
        (
            replace(table, marks=marks),
            Paragraph(f"{kind.VALUES}." + (stars_note if count else "")),
            *(
                Paragraph(f"No stars for {each.second.key}: it is not comparable with {runs[0].key}: {each.why_not}.")
                for each in pairs
                if each.why_not
            ),
            Charts(tuple(kind.charts(runs, link))),
        ),
    )


def _run_sections(run: OpenedRun, link: RowsLink, with_charts: bool) -> Iterator[Section]:
    facts_text = ", ".join(f"{value} {name}" if name != "rules" else f"rules {value}" for name, value in facts(run))
    interval = confidence(run)
    interval_note = (
        f", intervals of {interval} % by resampling {run.kind.RESAMPLED or run.kind.UNIT[1]}" if interval else ""
    )
    notices = tuple(Notice(str(each.get("code")), 1, str(each.get("message"))) for each in run.warnings)
    account = read_account(run.manifest)
    facts_text += f". {account.line}" if account is not None and not account.complete else ""
    head: list[Block] = [Paragraph(f"{run.kind.NAME}: {facts_text}.")]
    head += [Paragraph(line, is_result=True) for line in run.kind.result_lines(run)]
    if ladders := tuple(run.kind.ladders(run)):
        head.append(Charts(ladders))
    head += [
        *([Warnings(notices)] if notices else []),
        *run.kind.headlines(run, link),
        Paragraph(f"{run.kind.VALUES}{interval_note}. Signature:"),
        Code(signature(run)),
    ]
    if with_charts:
        head.append(Charts(tuple(run.kind.charts([run], link))))
    yield Section(run.key, tuple(head))
    if groups := tuple(run.kind.breakdowns(run, link)):
        yield Section(f"{run.key}: groups", groups, level=3)
    if len(run):
        yield Section(f"{run.key}: worst {run.kind.UNIT[1]}", (worst(run),), level=3)
    inputs = run.manifest.get("inputs") or ()
    digests = [f"{each.get('name')}: SHA-256 {each['sha256']}" for each in inputs if each.get("sha256")]
    yield Section(f"{run.key}: reproduce", (Code(command(run)), *map(Paragraph, digests)), level=3)


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
        runs: the runs to report; among several runs of one kind, the first is the baseline.
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
