"""The web application: its addresses and pages."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import DialmeterError, one_line
from ..views.html_env import asset, page, warm_up
from ..views.pages.opened_run import OpenedRun
from ..views.pages.scores import match
from ..views.pages.select import parse_query, select
from .comparing import check_runs, compare_field, compare_page, pair_page
from .folder import RunFolder
from .links import SERVER_POLICY, Links
from .pages import row_page, rows_page, run_page, runs_page

COOKIE = "dialmeter"
HEADERS = {
    "Content-Security-Policy": SERVER_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Middleware that checks every request, and sends the same headers with every response.

    Args:
        app: the guarded application.
        hosts: accepted host names, without a port. Other names are refused, because a foreign page may use DNS rebinding.
            None accepts any name, which is only safe with a token.
        token: a secret that must be sent once as ``?token=`` and then as a cookie; empty for none.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] | None, token: str = "") -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if self._hosts is not None and host_name(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("Wrong host name: open the address that dialmeter view printed.", 421)
        if not self._token:
            return None
        params = QueryParams(scope.get("query_string", b""))
        given = params.get("token")
        if given is not None and hmac.compare_digest(given.encode(), self._token.encode()):
            # The redirect removes the token from the address, so that it is not copied or stored in the history.
            redirect = RedirectResponse("/", 303)
            redirect.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            return redirect
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        if hmac.compare_digest(cookie.encode(), self._token.encode()):
            return None
        return PlainTextResponse("A token is needed: open the address that dialmeter view printed.", 403)


def host_name(header: str) -> str:
    """Return the name in a Host header, without the port.

    Example:
        >>> host_name("localhost:8765"), host_name("[::1]:8765"), host_name("127.0.0.1")
        ('localhost', '[::1]', '127.0.0.1')
    """
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()


LINKS = Links()
LOCAL = ("127.0.0.1", "localhost", "[::1]")
_CACHED = 16
_ASSETS = {"viewer.css": "text/css", "viewer.js": "text/javascript"}


def make_app(folder: RunFolder, hosts: Iterable[str] | None = LOCAL, token: str = "") -> Starlette:
    """Create the viewer of a folder of runs.

    Args:
        folder: the runs.
        hosts: accepted host names; None for any.
        token: required with every request, unless empty.
    """
    warm_up()

    # The last few results, so that paging through a list does not sort or compare again. A run that was replaced is another object.
    select_rows = lru_cache(_CACHED)(select)
    compare_mistakes = lru_cache(_CACHED)(compare_field)

    def runs(request: Request) -> Response:
        return HTMLResponse(runs_page(folder.entries(), folder.root.name, request.query_params, LINKS))

    def run(request: Request) -> Response:
        opened = folder.open(request.path_params["run"])
        others = [
            each.key
            for each in folder.entries()
            if each.comparable and each.kind == opened.kind.NAME and each.key != opened.key
        ]
        pieces = run_page(opened, others, LINKS)
        # The first piece is generated here, where an error can still become an error page.
        return StreamingResponse(chain([next(pieces)], pieces), media_type="text/html")

    def rows(request: Request) -> Response:
        opened = folder.open(request.path_params["run"])
        query = parse_query(request.query_params, opened)
        return HTMLResponse(rows_page(opened, query, select_rows(opened, replace(query, page=1)), LINKS))

    def row(request: Request) -> Response:
        opened = folder.open(request.path_params["run"])
        query = parse_query(request.query_params, opened)
        position = request.path_params["position"]
        return HTMLResponse(row_page(opened, position, query, select_rows(opened, replace(query, page=1)), links=LINKS))

    def compare(request: Request) -> Response:
        return HTMLResponse(
            compare_page(_open_runs(folder, request), request.query_params, LINKS, compare=compare_mistakes)
        )

    def pair(request: Request) -> Response:
        first, second = _open_runs(folder, request)[:2]
        position = request.path_params["position"]
        return HTMLResponse(pair_page(match(first, second), position, request.query_params, LINKS))

    def assets(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _ASSETS:
            raise HTTPException(404)
        return Response(asset(name), media_type=_ASSETS[name])

    return Starlette(
        routes=[
            Route("/", _handle_errors(runs)),
            Route("/run/{run:path}", _handle_errors(run)),
            Route("/rows/{run:path}", _handle_errors(rows)),
            Route("/row/{position:int}/{run:path}", _handle_errors(row)),
            Route("/compare", _handle_errors(compare)),
            Route("/pair/{position:int}", _handle_errors(pair)),
            Route("/assets/{name}", assets),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
        exception_handlers={404: _not_found, 500: _internal_error},
    )


def _open_runs(folder: RunFolder, request: Request) -> list[OpenedRun]:
    keys = request.query_params.getlist("run")
    check_runs(keys)
    return [folder.open(key) for key in keys]


def _handle_errors(answer: Callable[[Request], Response]) -> Callable[[Request], Any]:
    """Return a request handler that shows an error page for a broken run."""

    async def respond(request: Request) -> Response:
        try:
            return await run_in_threadpool(answer, request)
        except DialmeterError as error:
            return HTMLResponse(_error_page("Cannot be shown", str(error)), 404)

    return respond


def _error_page(heading: str, message: str) -> str:
    return page("problem.html", links=LINKS, crumbs=[], heading=heading, message=one_line(message, 500))


async def _not_found(request: Request, error: Exception) -> Response:
    return HTMLResponse(_error_page("No such page", "There is no page at this address."), 404)


async def _internal_error(request: Request, error: Exception) -> Response:
    return HTMLResponse(_error_page("Internal error", f"{type(error).__name__}: {error}"), 500)
