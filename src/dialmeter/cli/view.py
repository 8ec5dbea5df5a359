"""``dialmeter view``"""

from __future__ import annotations

import secrets
import socket
import sys
from pathlib import Path
from typing import Any

import click

from ..errors import DialmeterError, MissingExtra
from .options import command, force_option, max_bytes_option
from .printer import Block, Output

LOCAL = ("127.0.0.1", "localhost", "::1")
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  the user must request it, and it needs a token


@command(last=[max_bytes_option])
@click.argument("folder", metavar="DIR", default="runs")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0 for any free port."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on. Other addresses than the local ones need a token.",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in the browser.")
@click.option("--bundle", metavar="OUT", help="Write the pages to this folder instead, to open them from disk.")
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
