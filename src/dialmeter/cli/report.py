"""``dialmeter report``"""

from __future__ import annotations

from pathlib import Path

import click

from ..core.output import check_target, write_file
from ..errors import writing
from .options import command, force_option, max_bytes_option
from .printer import Output, message_block

_ENDINGS = {"html": ".html", "markdown": ".md", "latex": ".tex"}


@command(last=[max_bytes_option])
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out", metavar="FILE", help="The file; report.html (.md, .tex) in the first run if not given; - prints."
)
@click.option(
    "--as",
    "format",
    type=click.Choice(list(_ENDINGS)),
    help="How to write; by the ending of --out, else html.",
)
@click.option("--title", default="", help="The heading of the page.")
@force_option("a file that is there")
@click.option("--quiet", "-q", is_flag=True, help="Do not say where the report is.")
def report(
    runs: tuple[str, ...], *, out: str | None, format: str | None, title: str, force: bool, quiet: bool
) -> Output:
    """Write one page about RUNs (folders made with --out): scores, charts, groups, the worst dialogues.

    The HTML file needs nothing else and holds at most 2 MB. Of several runs of one kind, the first is the baseline.
    """
    chosen = format or next((name for name, ending in _ENDINGS.items() if out and out.endswith(ending)), "html")
    target = Path(out) if out else Path(runs[0]) / f"report{_ENDINGS[chosen]}"
    # A report in its run's folder is ours to renew; a file that somebody named is not.
    replaces = force or not out
    if out != "-" and target.parent.is_dir():
        check_target(target, force=replaces)
    text = _written(runs, chosen, title)
    if out == "-":
        return Output(parts=[message_block(text.removesuffix("\n"))])
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    write_file(target, text, force=replaces)
    return Output(parts=[] if quiet else [message_block(f"report: {target}")])


def _written(runs: tuple[str, ...], style: str, title: str) -> str:
    from ..views.html import html_report
    from ..views.pages.opened import Opened, named_apart
    from ..views.plain_report import plain_report

    opened = [Opened(Path(run), name) for run, name in zip(runs, named_apart(runs), strict=True)]
    return html_report(opened, title) if style == "html" else plain_report(opened, style, title)
