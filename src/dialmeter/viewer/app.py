"""The web application: addresses and their pages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from threading import Lock
from typing import Any, Generic, TypeVar

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from ..errors import DialmeterError, one_line
from ..views.html_env import asset, page, warm_up
from ..views.pages.groups import GroupComparison, compare_groups
from ..views.pages.kinds import Grouping
from ..views.pages.opened import Opened
from ..views.pages.scores import match
from ..views.pages.select import RowQuery, Selection, parse_query, select
from .comparing import check_runs, compare_page, pair_page
from .folder import RunFolder
from .guard import Guard
from .links import Links
from .pages import row_page, rows_page, run_page, runs_page

LINKS = Links()
LOCAL = ("127.0.0.1", "localhost", "[::1]")
_ASSETS = {"viewer.css": "text/css", "viewer.js": "text/javascript"}
_PATIENCE, _MANY = 1.0, 5000
"""Seconds to wait for all rows to be read before a list is shown without its filters, unless there are many rows."""


def make_app(folder: RunFolder, hosts: Iterable[str] | None = LOCAL, token: str = "") -> Starlette:
    """The viewer over a folder of runs.

    Args:
        folder: the runs.
        hosts: host names that it answers to; None for any.
        token: needed with every request, unless empty.
    """
    chosen, compared = _Recent[Selection](), _Recent[GroupComparison]()
    warm_up()

    def select_rows(run: Opened, query: RowQuery) -> Selection:
        # The order of rows with the same score is another one when all rows have been read.
        key = (run.key, run.run.digest, run.is_read(), replace(query, page=1))
        return chosen.get(key, lambda: select(run, query))

    def compare_mistakes(runs: Sequence[Opened], grouping: Grouping, comparable: Sequence[bool]) -> GroupComparison:
        key = (grouping.field, *((run.key, run.run.digest) for run in runs))
        return compared.get(key, lambda: compare_groups(runs, grouping, comparable))

    def runs(request: Request) -> Response:
        return HTMLResponse(runs_page(folder.entries(), folder.root.name, request.query_params, LINKS))

    def run(request: Request) -> Response:
        found = folder.open(request.path_params["run"])
        others = [
            each.key
            for each in folder.entries()
            if each.comparable and each.kind == found.kind.NAME and each.key != found.key
        ]
        pieces = run_page(found, others, LINKS)
        # The first piece is made here, where an error still becomes an error page.
        return StreamingResponse(chain([next(pieces)], pieces), media_type="text/html")

    def rows(request: Request) -> Response:
        found = folder.open(request.path_params["run"])
        if found.is_indexed or len(found) < _MANY:
            found.start_reading()
            found.is_read(_PATIENCE)
        query = parse_query(request.query_params, found)
        answer = HTMLResponse(rows_page(found, query, select_rows(found, query), LINKS))
        # Only now, because the thread that reads many rows would slow down the first page.
        found.start_reading()
        return answer

    def row(request: Request) -> Response:
        found = folder.open(request.path_params["run"])
        query = parse_query(request.query_params, found)
        place = request.path_params["position"]
        return HTMLResponse(row_page(found, place, query, select_rows(found, query), links=LINKS))

    def compare(request: Request) -> Response:
        opened = _runs(folder, request)
        return HTMLResponse(compare_page(opened, request.query_params, LINKS, compare=compare_mistakes))

    def pair(request: Request) -> Response:
        first, second = _runs(folder, request)[:2]
        place = request.path_params["position"]
        return HTMLResponse(pair_page(match(first, second), place, request.query_params, LINKS))

    def assets(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _ASSETS:
            raise HTTPException(404)
        return Response(asset(name), media_type=_ASSETS[name])

    return Starlette(
        routes=[
            Route("/", _guarded(runs)),
            Route("/run/{run:path}", _guarded(run)),
            Route("/rows/{run:path}", _guarded(rows)),
            Route("/row/{position:int}/{run:path}", _guarded(row)),
            Route("/compare", _guarded(compare)),
            Route("/pair/{position:int}", _guarded(pair)),
            Route("/assets/{name}", assets),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
        exception_handlers={404: _not_found, 500: _internal},
    )


Found = TypeVar("Found")


class _Recent(Generic[Found]):
    """The last few results, so that paging and stepping through a list do not sort or compare again.

    A key names a run by its name and the digest of its manifest: the object may be closed, and another one take its place.
    """

    def __init__(self, most: int = 16) -> None:
        self._kept: dict[Hashable, Found] = {}
        self._lock = Lock()
        self._most = most

    def get(self, key: Hashable, make: Callable[[], Found]) -> Found:
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            found = make()
            with self._lock:
                while len(self._kept) >= self._most:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = found
        return found


def _runs(folder: RunFolder, request: Request) -> list[Opened]:
    keys = request.query_params.getlist("run")
    check_runs(keys)
    found = [folder.open(key) for key in keys]
    for run in found:
        run.start_reading()
    return found


def _guarded(answer: Callable[[Request], Response]) -> Callable[[Request], Any]:
    """A broken run gives a page that says so, and nothing else fails."""

    async def respond(request: Request) -> Response:
        try:
            return await run_in_threadpool(answer, request)
        except DialmeterError as error:
            return HTMLResponse(_problem("This cannot be shown", str(error)), 404)

    return respond


def _problem(heading: str, message: str) -> str:
    return page("problem.html", links=LINKS, crumbs=[], heading=heading, message=one_line(message, 500))


async def _not_found(request: Request, error: Exception) -> Response:
    return HTMLResponse(_problem("No such page", "Nothing is at this address."), 404)


async def _internal(request: Request, error: Exception) -> Response:
    return HTMLResponse(_problem("Something went wrong", f"{type(error).__name__}: {error}"), 500)
