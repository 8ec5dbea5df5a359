"""Reports as one self-contained HTML file of at most 2 MB that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from .content import Rows, Section, sections
from .html_env import asset, environment, page
from .pages.charts import DrawnChart, draw_for_page
from .pages.opened_run import OpenedRun
from .pages.select import field_options, row_data

LARGEST = 2_000_000
MOST_ROWS = 200
_FOR_CHARTS = 1_000_000
_POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)


def html_report(runs: Sequence[OpenedRun], title: str = "") -> str:
    """Return the report of runs of any kinds as one page.

    Args:
        runs: the runs to report; several runs of one kind are put side by side.
        title: the heading; by default the names of the runs.
    """
    numbers = {run.key: number for number, run in enumerate(runs, 1)}

    def link(run: OpenedRun, params: Mapping[str, str]) -> str:
        return f"#rows-{numbers[run.key]}&{urlencode(params)}"

    drawn = _draw_charts(sections(runs, link))
    most = MOST_ROWS // len(runs)
    while True:
        shown = [
            {
                **section,
                "blocks": [
                    (kind, _rows(block, numbers[block.run.key], most) if kind == "rows" else block)
                    for kind, block in section["blocks"]
                ],
            }
            for section in drawn
        ]
        report = _page(title or ", ".join(run.key for run in runs), shown)
        if len(report.encode()) <= LARGEST or not most:
            return report
        # The dialogues are long: try fewer rows.
        most = most * 4 // 5


def _draw_charts(parts: Iterable[Section]) -> list[dict[str, Any]]:
    """Return the sections for the template, with charts until the space for charts is used up."""
    room, number = _FOR_CHARTS, 0
    shown = []
    for section in parts:
        blocks: list[tuple[str, Any]] = []
        for kind, content in section.blocks:
            if kind != "charts":
                blocks.append((kind, content))
                continue
            drawn: list[DrawnChart] = []
            summary, charts = content
            for chart in charts:
                number += 1
                if room > 0:
                    drawn.append(draw_for_page(chart, number))
                    room -= len(drawn[-1].svg)
            blocks.append((kind, {"summary": summary, "charts": drawn, "hidden": len(charts) - len(drawn)}))
        shown.append({"heading": section.heading, "level": section.level, "blocks": blocks})
    return shown


def _page(title: str, content: Sequence[Mapping[str, Any]]) -> str:
    from markupsafe import Markup

    script = asset("viewer.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return page(
        "report.html",
        policy=_POLICY.format(digest=digest),
        title=title,
        sections=content,
        # Both are part of dialmeter and contain no text from input files.
        style=Markup(asset("viewer.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
    )


def _rows(block: Rows, number: int, most: int) -> dict[str, Any]:
    """Return the rows of a run that fit in the report; they are collapsed by default."""
    run = block.run
    by = run.ranking
    template = environment().get_template(f"kinds/{run.kind.NAME}.html")
    positions = block.positions[:most]
    rows = []
    for position in positions:
        row = run.row(position)
        rows.append(
            {
                "position": position,
                "anchor": f"row-{number}-{position}",
                "id": row.id,
                "value": run.cell(by, position) if by else "",
                "facts": run.kind.summary(row)[0],
                "body": template.module.brief(run.kind.page(row, {})),  # type: ignore[attr-defined]
            }
        )
    data = row_data(run, positions, [by] if by else [])
    return {"name": f"rows-{number}", "run": run, "by": by, "rows": rows, "data": data, "fields": field_options(run)}
