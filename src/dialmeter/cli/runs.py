"""The commands on finished runs: ``dialmeter report``, ``view`` and ``cite``."""

from __future__ import annotations

import secrets
import shlex
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ..citations import for_measures
from ..core.document import Document
from ..core.open_runs import open_run
from ..core.output import check_target, write_file
from ..errors import DialmeterError, MissingExtra, one_line, writing
from .config import config_of_command
from .frame import document_output
from .hints import RAW
from .main import cli
from .options import PLAIN, command, force_option, latex_option, option, quiet_option
from .printer import Block, Output, message_block, papers

if TYPE_CHECKING:
    from ..views.pages.opened_run import OpenedRun

_STYLES = {".html": "html", ".md": "markdown", ".tex": "latex"}


@command(last=PLAIN)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@option(
    "--out -o FILE|DIR/",
    "The report: .html, .md, .tex, - for standard output, or a folder (DIR/) with a page for every dialogue "
    "(default: report.html in the first run).",
)
@option(
    "--format -f style",
    "Format of the report (default: from the ending).",
    choices=list(_STYLES.values()),
    optional=True,
)
@option("--title", "Title of the page.", default="")
@latex_option
@option("--charts DIR", "Draw the charts of the runs into this folder, each with its data (CSV).")
@option("--chart KEY=VALUE*", "Charts: chart-format=pdf, width=84mm, dpi=300, font-size=8, no-title.")
@force_option
def report(runs: tuple[str, ...], **options: Any) -> Output:
    """Write a report about RUNs (folders made with -o): scores, charts, groups, the worst dialogues.

    The HTML file has no external parts and has at most 2 MB. Several runs of one kind are put side by side.
    """
    if options["chart"] and not options["charts"]:
        raise DialmeterError("--chart needs --charts DIR")
    if files := [run for run in runs if Path(run).is_file()]:
        line = shlex.join(["dialmeter", "compare" if len(files) > 1 else "score", *files, "-o", "RUN"])
        options_given = [each for each in click.get_current_context().meta[RAW] if each not in runs]
        again = shlex.join(["dialmeter", "report", "RUN", *options_given])
        raise DialmeterError(f"{one_line(files[0])}: a file, not a run; type: {line} && {again}")
    lines = [_draw_charts(runs, options["charts"], options["chart"])] if options["charts"] else []
    if options["out"] is not None or not options["charts"]:
        lines.append(_write_report(runs, options["out"], options))
    if options["out"] == "-":
        return Output(parts=[message_block(line) for line in lines])
    return Output(parts=[] if options["quiet"] else [message_block("\n".join(lines))])


def _write_report(runs: tuple[str, ...], out: str | None, options: dict[str, Any]) -> str:
    """Write the report, and return a line that says where it is, or the report itself for ``-``."""
    if out is not None and (out.endswith("/") or Path(out).is_dir()):
        from ..viewer.bundle import write_bundle

        written = write_bundle(runs, Path(out), force=options["force"])
        hidden = f"; {written.hidden:,} more are not shown" if written.hidden else ""
        return f"{written.runs} runs, {written.rows:,} of their rows{hidden}: {Path(out) / 'index.html'}"
    style = options["style"] or _STYLES.get(Path(out or "").suffix) or "html"
    default = Path(runs[0]) / f"report{next(ending for ending, each in _STYLES.items() if each == style)}"
    target = Path(out) if out else default
    # A report in the folder of its run may be replaced. A file that the user named needs --force.
    may_replace = options["force"] or not out
    if out != "-" and target.parent.is_dir():
        check_target(target, force=may_replace)
    text = _render_report(_opened(runs), style, options["title"], options["latex"])
    if out == "-":
        return text.removesuffix("\n")
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    write_file(target, text, force=may_replace)
    return f"report: {target}"


def _render_report(opened: list[OpenedRun], style: str, title: str, latex: dict[str, str]) -> str:
    if style == "html":
        from ..views.html import html_report

        return html_report(opened, title)
    from ..views.content import plain_report

    return plain_report(opened, style, title, papers(latex, "report"))


def _opened(runs: tuple[str, ...]) -> list[OpenedRun]:
    from ..views.pages.opened_run import OpenedRun, unique_names

    return [OpenedRun(Path(run), name) for run, name in zip(runs, unique_names(runs), strict=True)]


def _draw_charts(runs: tuple[str, ...], folder: str, chart: tuple[str, ...]) -> str:
    """Draw the charts of the runs, and return a line about them."""
    from ..views.chart_files import parse_chart_settings, slug, write_charts

    given = {key: value for key, _, value in (word.partition("=") for word in chart)}
    kind, fit = parse_chart_settings({**config_of_command().chart, **given})
    opened = _opened(runs)
    prefixes = [f"{slug(run.key)}-" if len(opened) > 1 else "" for run in opened]
    charts = [
        replace(each, name=prefix + each.name)
        for prefix, run in zip(prefixes, opened, strict=True)
        for each in run.saved_charts
    ]
    if not charts:
        raise DialmeterError(f"{runs[0]}: this run has no charts")
    return f"{len(write_charts(folder, charts, kind, fit))} charts: {folder}"


LOCAL = ("127.0.0.1", "localhost", "::1")
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  the user must request it, and it needs a token


@command(last=(quiet_option,))
@click.argument("source", metavar="[DIR|RUN|FILE]", default="runs")
@option("--port", "Port; 0 for any free port.", type=click.IntRange(0, 65535), default=8765)
@option(
    "--host ADDRESS", "Address to listen on. Other addresses than the local ones need a token.", default="127.0.0.1"
)
@option("--open browse", "Open the page in the browser.")
def view(source: str, *, port: int, host: str, browse: bool, quiet: bool) -> Output:
    """Show all runs in DIR and its subfolders in the browser: lists, charts, filters, every dialogue.

    A FILE is scored first. No data leaves this machine: the server listens on 127.0.0.1, the pages load nothing from elsewhere,
    and it only reads.
    """
    with tempfile.TemporaryDirectory(prefix="dialmeter-") as folder:
        if Path(source).is_file():
            run = Path(folder, Path(source).name)
            cli.main(["score", source, "--out", str(run), "--quiet"], prog_name="dialmeter", standalone_mode=False)
            click.echo(f"scored to {run}, which is removed at the end; keep it with: dialmeter score {source} -o RUN")
            _serve(folder, port, host, browse, quiet)
        elif not Path(source).is_dir():
            raise DialmeterError(f"{source}: no such folder; save a run first: dialmeter score FILE -o {source}/NAME")
        else:
            _serve(source, port, host, browse, quiet)
    return Output()


def _serve(folder: str, port: int, host: str, browse: bool, quiet: bool) -> None:
    try:
        import uvicorn

        from ..viewer.app import LOCAL as LOCAL_NAMES
        from ..viewer.app import make_app
    except ImportError:
        raise MissingExtra("dialmeter view", "viewer") from None
    from ..viewer.folder import RunFolder

    runs = RunFolder(folder)
    local = host in LOCAL
    token = "" if local else secrets.token_urlsafe(24)
    hosts: Any = LOCAL_NAMES if local else None if host in _ANYWHERE else (host.lower(), f"[{host.lower()}]")
    listener = _open_socket(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listener.getsockname()[1]}/" + (f"?token={token}" if token else "")
    click.echo(f"{len(runs.entries())} runs in {folder}: {address}")
    if not quiet:
        click.echo("Stop with Ctrl+C.", err=True)
    if browse:
        click.launch(address)
    # A page waits for this interval many times while another thread reads the rows of a run.
    sys.setswitchinterval(0.0005)
    with listener:
        config = uvicorn.Config(make_app(runs, hosts, token), log_level="warning", server_header=False, ws="none")
        uvicorn.Server(config).run(sockets=[listener])


def _open_socket(host: str, port: int) -> socket.socket:
    """Return a bound socket. The address is then known before the server starts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise DialmeterError(f"cannot listen on {host}:{port}: {error.strerror or error}; try --port 0") from None
    return listener


@command(last=[])
@click.argument("names", nargs=-1, required=True, metavar="RUN|MEASURE…")
@option("--format -f style", "Output format.", choices=["text", "json"])
def cite(names: tuple[str, ...], style: str) -> Output:
    """Print the BibTeX entries to cite for a RUN (a folder made with -o) or a MEASURE, and the signatures of a run."""
    measures: list[str] = []
    signatures = []
    for name in names:
        try:
            if not Path(name).exists():
                for_measures([name])
                measures.append(name)
                continue
        except DialmeterError:
            pass  # the message about a run that does not exist says more
        scores = open_run(name).scores
        measures += [score["measure"] for score in scores]
        signatures += [one_line(str(score.get("signature") or "no signature"), 4000) for score in scores]
    entries = for_measures(measures)
    text = "\n".join([*(f"% {each}" for each in signatures), "\n\n".join(entries)])
    return document_output(CiteDocument, parts=[Block(text)], command="cite", signatures=signatures, entries=entries)


class CiteDocument(Document, kw_only=True):
    """The BibTeX entries to cite, and the signatures of the runs."""

    signatures: list[str]
    entries: list[str]
