"""The commands on finished runs: ``dialmeter report``, ``view`` and ``cite``."""

from __future__ import annotations

import secrets
import socket
import sys
from pathlib import Path
from typing import Any

import click

from ..citations import for_measures
from ..core.open_runs import open_run
from ..core.output import check_target, write_file
from ..errors import DialmeterError, MissingExtra, one_line, writing
from .options import PLAIN, command, force_option, option
from .printer import Block, Output, message_block

_ENDINGS = {"html": ".html", "markdown": ".md", "latex": ".tex"}


@command(last=PLAIN)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option("--out FILE", "Output file; - for standard output (default: report.html, .md or .tex in the first run).")
@option(
    "--as format",
    "Format of the report (default: from the extension of --out, or html).",
    choices=list(_ENDINGS),
    optional=True,
)
@option("--title", "Title of the page.", default="")
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


LOCAL = ("127.0.0.1", "localhost", "::1")
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  the user must request it, and it needs a token


@command(last=[])
@click.argument("folder", metavar="DIR", default="runs")
@option("--port", "Port; 0 for any free port.", type=click.IntRange(0, 65535), default=8765)
@option(
    "--host ADDRESS", "Address to listen on. Other addresses than the local ones need a token.", default="127.0.0.1"
)
@option("--open browse", "Open the page in the browser.")
@option("--bundle OUT", "Write the pages to this folder instead, to open them from disk.")
@force_option
def view(folder: str, *, port: int, host: str, browse: bool, bundle: str | None, force: bool) -> Output:
    """Show all runs in DIR and its subfolders in the browser: lists, charts, filters, every dialogue.

    No data leaves this machine: the server listens on 127.0.0.1, the pages load nothing from elsewhere, and it only reads.
    """
    if bundle is not None:
        from ..viewer.bundle import write_bundle

        written = write_bundle(folder, Path(bundle), force=force)
        hidden = f"; {written.hidden:,} more are not shown" if written.hidden else ""
        page = Path(bundle) / "index.html"
        return Output(parts=[Block(f"{written.runs} runs, {written.rows:,} of their rows{hidden}: {page}")])
    if force:
        raise DialmeterError("--force needs --bundle")
    _serve(folder, port, host, browse)
    return Output()


def _serve(folder: str, port: int, host: str, browse: bool) -> None:
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
@click.argument("names", nargs=-1, metavar="[RUN|MEASURE]...")
@option("--measure M* measures", "Measure to cite; may be repeated.")
def cite(names: tuple[str, ...], measures: tuple[str, ...]) -> Output:
    """Print the BibTeX entries to cite for a RUN (a folder made with --out) or a MEASURE, and the signatures of a run."""
    if not names and not measures:
        raise DialmeterError("give the folder of a run, or a measure")
    measure_names, lines = list(measures), []
    for name in names:
        if not Path(name).exists() and _is_measure(name):
            measure_names.append(name)
            continue
        scores = open_run(name).scores
        measure_names += [score["measure"] for score in scores]
        lines += [f"% {one_line(str(score.get('signature') or 'no signature'), 4000)}" for score in scores]
    return Output(parts=[Block("\n".join([*lines, "\n\n".join(for_measures(measure_names))]))])


def _is_measure(name: str) -> bool:
    try:
        for_measures([name])
    except DialmeterError:
        return False
    return True
