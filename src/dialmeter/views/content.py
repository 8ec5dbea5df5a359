"""The content of a report, and the report as Markdown or LaTeX: the same content as the HTML page, but without charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..core.account import read_account
from ..model import Notice
from .latex import COLUMN, Paper, breakable, latex_text
from .pages.kinds import RowsLink
from .pages.opened_run import OpenedRun
from .pages.scores import command, confidence, facts, match, scores_by_run, signature
from .pages.select import RowQuery, select
from .tables import Table, markdown_text, render, visible

WORST = 10
_BREAKS = "|+,:/"
"""Characters in signatures and commands after which a line may be broken."""


class Rows(Struct, frozen=True):
    """The worst rows of a run: as a table, and as positions for pages that show whole rows."""

    run: OpenedRun
    positions: tuple[int, ...]
    table: Table


Block: TypeAlias = tuple[str, Any]
"""The kind of a block, and its content:

- ``table``: a Table;
- ``text``: a remark;
- ``code``: a line to copy, such as a signature or a command;
- ``warnings``: warnings about the numbers;
- ``charts``: a text above charts, which is empty or the summary that the terminal printed, and the charts, which are drawn only where
  they can be shown;
- ``rows``: the worst rows of a run, as Rows.
"""


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
    remarks = [f"{kind.VALUES}. For differences and their tests: dialmeter compare."]
    remarks += [
        f"{each.second.key} is not comparable with {runs[0].key}: {each.why_not}." for each in pairs if each.why_not
    ]
    heading = f"{kind.NAME.capitalize()}s side by side"
    return Section(heading, (("table", scores_by_run(runs)), *(("text", each) for each in remarks)), level=3)


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
    about: list[Block] = [("text", f"{run.kind.NAME}: {facts_text}.")]
    if run.summary:
        about.append(("charts", (run.summary, [first] if first else [])))
    yield Section(run.key, tuple(about))
    scores: list[Block] = [("warnings", notices)] if notices else []
    scores += [("table", each) for each in run.kind.headlines(run, link)]
    yield Section(f"{run.key}: scores", (*scores, ("text", f"{run.kind.VALUES}{interval_note}.")), level=3)
    charts = [*filter(None, ladders), *run.kind.charts(run, link)]
    if charts:
        yield Section(f"{run.key}: charts", (("charts", ("", charts)),), level=3)
    if groups := tuple(("table", each) for each in run.kind.breakdowns(run, link)):
        yield Section(f"{run.key}: groups", groups, level=3)
    if len(run):
        yield Section(f"{run.key}: worst {run.kind.UNIT[1]}", (("rows", worst(run)),), level=3)
    inputs = run.manifest.get("inputs") or ()
    codes = [("code", each) for each in (signature(run), command(run)) if each]
    digests = [("text", f"{each.get('name')}: SHA-256 {each['sha256']}") for each in inputs if each.get("sha256")]
    yield Section(f"{run.key}: signature, reproduce", (*codes, *digests), level=3)


def worst(run: OpenedRun) -> Rows:
    """Return the rows of a run, worst first, and a table of the first few.

    Among rows with the same score, those with the most mistakes come first.
    """
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
        blocks = [_block(kind, content, section, style, papers) for kind, content in section.blocks]
        if any(blocks):
            parts += [_heading(section, style), *filter(None, blocks)]
    return "\n\n".join(parts) + "\n"


def _heading(section: Section, style: str) -> str:
    if style == "markdown":
        return f"{'#' * section.level} {markdown_text(visible(section.heading))}"
    command = ("section", "subsection", "subsubsection")[section.level - 1]
    return rf"\{command}{{{latex_text(visible(section.heading))}}}"


def _block(kind: str, content: Any, section: Section, style: str, papers: Iterator[Paper]) -> str:
    """Return a block as text; "" for charts."""
    is_markdown = style == "markdown"
    if kind in ("table", "rows"):
        table: Table = content if kind == "table" else content.table
        return render(replace(table, title="") if table.title == section.heading else table, style, next(papers))
    if kind == "charts":
        lines = [visible(line) for line in content[0].split("\n") if content[0]]
        if is_markdown:
            return "\n".join(f"    {line}" for line in lines)
        return "\\\\\n".join(breakable(line.strip(), COLUMN) for line in lines)
    if kind == "warnings":
        lines = [visible(f"warning: {notice.message}") for notice in content]
        if is_markdown:
            return "\n".join(f"- {markdown_text(line)}" for line in lines)
        items = "\n".join(rf"\item {latex_text(line)}" for line in lines)
        return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
    text = visible(content)
    if kind == "text":
        return markdown_text(text) if is_markdown else breakable(text, COLUMN)
    if is_markdown:
        return f"    {text}"
    # LaTeX does not break a line inside a word, and a signature is one word.
    letters = (latex_text(letter) + (r"\allowbreak " if letter in _BREAKS else "") for letter in text)
    return rf"{{\small\ttfamily\sloppy {''.join(letters)}}}"
