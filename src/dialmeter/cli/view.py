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
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - what a user may ask for by name, and then needs a token for


@command(last=[max_bytes_option])
@click.argument("folder", metavar="DIR", default="runs")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 for any that is free.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Another address, guarded by a token."
)
@click.option("--open", "browse", is_flag=True, help="Open it in the browser.")
@click.option("--bundle", metavar="OUT", help="Write the pages into this folder instead, to be opened from disk.")
@force_option("a bundle that is there")
def view(folder: str, *, port: int, host: str, browse: bool, bundle: str | None, force: bool) -> Output:
    """Look at all runs below DIR in the browser: lists, charts, filters, every dialogue.

    Nothing leaves this machine: the page listens on 127.0.0.1, loads nothing from elsewhere, and only reads.
    """
    if bundle is not None:
        from ..viewer.bundle import write_bundle

        found = write_bundle(folder, Path(bundle), force=force)
        left = f"; {found.hidden:,} more are not shown" if found.hidden else ""
        page = Path(bundle) / "index.html"
        return Output(parts=[Block(f"{found.runs} runs, {found.rows:,} of their rows{left}: {page}")])
    if force:
        raise DialmeterError("--force goes with --bundle")
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
    listener = _listener(host, port)
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


def _listener(host: str, port: int) -> socket.socket:
    """A bound socket, so that the address is known before anything is served."""
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
