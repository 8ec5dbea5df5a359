"""Reports and boards as one self-contained HTML file that needs no network. A report has at most 2 MB."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from .content import Charts, Rows, Section, sections
from .html_env import asset, environment, page
from .pages.charts import DrawnChart, draw_for_page
from .pages.kinds import Field
from .pages.opened_run import OpenedRun
from .pages.select import field_options, row_data

if TYPE_CHECKING:
    from markupsafe import Markup

LARGEST = 2_000_000
MOST_ROWS = 200
_FOR_CHARTS = 1_000_000
_REPORT_POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
_BOARD_POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)


class ShownRow(NamedTuple):
    """A row of the report, collapsed by default."""

    position: int
    anchor: str
    id: str
    value: str
    facts: str
    body: Markup


class ShownRows(NamedTuple):
    """The rows of a run that fit in the report."""

    name: str
    run: OpenedRun
    by: str
    rows: list[ShownRow]
    data: Markup
    fields: list[tuple[Field, list[str]]]


class ShownCharts(NamedTuple):
    """The charts that fit in the report, and the number of charts that do not."""

    charts: list[DrawnChart]
    hidden: int


class ShownSection(NamedTuple):
    """A section with drawn charts; its rows are selected later, when their number is known."""

    heading: str
    level: int
    blocks: Sequence[object]


def html_report(runs: Sequence[OpenedRun], title: str = "") -> str:
    """Return the report of runs of any kinds as one page.

    Args:
        runs: the runs to report; among several runs of one kind, the first is the baseline.
        title: the heading; by default the names of the runs.
    """
    numbers = {run.key: number for number, run in enumerate(runs, 1)}

    def link(run: OpenedRun, params: Mapping[str, str]) -> str:
        return f"#rows-{numbers[run.key]}&{urlencode(params)}"

    drawn = _draw_charts(sections(runs, link))
    most = MOST_ROWS // len(runs)
    while True:
        shown = [
            section._replace(
                blocks=[
                    _rows(block, numbers[block.run.key], most) if isinstance(block, Rows) else block
                    for block in section.blocks
                ]
            )
            for section in drawn
        ]
        report = _page(title or ", ".join(run.key for run in runs), shown, _REPORT_POLICY)
        if len(report.encode()) <= LARGEST or not most:
            return report
        # The dialogues are long: try fewer rows.
        most = most * 4 // 5


def _draw_charts(content: Iterable[Section]) -> list[ShownSection]:
    """Return the sections with drawn charts, until the space for charts is used up."""
    room, number = _FOR_CHARTS, 0
    shown = []
    for section in content:
        blocks: list[object] = []
        for block in section.blocks:
            if not isinstance(block, Charts):
                blocks.append(block)
                continue
            drawn: list[DrawnChart] = []
            for chart in block.charts:
                number += 1
                if room > 0:
                    drawn.append(draw_for_page(chart, number))
                    room -= len(drawn[-1].svg)
            blocks.append(ShownCharts(drawn, len(block.charts) - len(drawn)))
        shown.append(ShownSection(section.heading, section.level, blocks))
    return shown


def board_page(title: str, content: Iterable[Section]) -> str:
    """Return sections of paragraphs, code, warnings and tables as one page.

    Args:
        title: the heading.
        content: the sections in order.
    """
    return _page(title, content, _BOARD_POLICY)


def _page(title: str, content: Iterable[Section | ShownSection], policy: str) -> str:
    from markupsafe import Markup

    script = asset("viewer.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shown = [
        {
            "heading": section.heading,
            "level": section.level,
            "blocks": [(type(block).__name__, block) for block in section.blocks],
        }
        for section in content
    ]
    return page(
        "report.html",
        policy=policy.format(digest=digest),
        title=title,
        sections=shown,
        # Both are part of dialmeter and contain no text from input files.
        style=Markup(asset("viewer.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
    )


def _rows(block: Rows, number: int, most: int) -> ShownRows:
    run = block.run
    name = f"rows-{number}"
    by = run.ranking
    template = environment().get_template(f"{run.kind.NAME}/brief.html")
    positions = block.positions[:most]
    rows = []
    for position in positions:
        row = run.row(position)
        body = template.module.body(run.kind.page(row, {}))  # type: ignore[attr-defined]
        value = run.cell(by, position) if by else ""
        facts, _ = run.kind.summary(row)
        rows.append(ShownRow(position, f"row-{number}-{position}", row.id, value, facts, body))
    data = row_data(run, positions, [by] if by else [])
    return ShownRows(name, run, by, rows, data, field_options(run))
