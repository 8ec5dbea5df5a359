"""``dialmeter report``"""

from __future__ import annotations

from pathlib import Path

import click

from ..core.output import check_target, write_file
from ..errors import writing
from .options import PLAIN, command, force_option
from .printer import Output, message_block

_ENDINGS = {"html": ".html", "markdown": ".md", "latex": ".tex"}


@command(last=PLAIN)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out",
    metavar="FILE",
    help="Output file; - for standard output (default: report.html, .md or .tex in the first run).",
)
@click.option(
    "--as",
    "format",
    type=click.Choice(list(_ENDINGS)),
    help="Format of the report (default: from the extension of --out, or html).",
)
@click.option("--title", default="", help="Title of the page.")
@force_option
def report(
    runs: tuple[str, ...], *, out: str | None, format: str | None, title: str, force: bool, quiet: bool
) -> Output:
    """Write a report about RUNs (folders made with --out): scores, charts, groups, the worst dialogues.

    The HTML file has no external parts and has at most 2 MB. If there are several runs of one kind, the first is the baseline.
    """
    style = format or next((name for name, ending in _ENDINGS.items() if out and out.endswith(ending)), "html")
    target = Path(out) if out else Path(runs[0]) / f"report{_ENDINGS[style]}"
    # A report in the folder of its run may be replaced. A file that the user named needs --force.
    may_replace = force or not out
    if out != "-" and target.parent.is_dir():
        check_target(target, force=may_replace)
    text = _render_report(runs, style, title)
    if out == "-":
        return Output(parts=[message_block(text.removesuffix("\n"))])
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    write_file(target, text, force=may_replace)
    return Output(parts=[] if quiet else [message_block(f"report: {target}")])


def _render_report(runs: tuple[str, ...], style: str, title: str) -> str:
    from ..views.content import plain_report
    from ..views.html import html_report
    from ..views.pages.opened_run import OpenedRun, unique_names

    opened = [OpenedRun(Path(run), name) for run, name in zip(runs, unique_names(runs), strict=True)]
    return html_report(opened, title) if style == "html" else plain_report(opened, style, title)
