"""HTML pages: the list of runs, and the overview, the list of rows and single rows of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ..errors import DialmeterError
from ..numeric import NDArray, np
from ..views.html_env import environment, page
from ..views.pages.charts import DrawnChart, draw_for_page
from ..views.pages.opened_run import OpenedRun
from ..views.pages.scores import command, confidence, facts, signature
from ..views.pages.select import IN_FILE, PAGE, RowQuery, Selection, field_options, is_down, list_data, row_data
from .links import Links

if TYPE_CHECKING:
    from .folder import RunEntry

COLUMNS = 6
FLUSH = "<!--flush-->"
SHORT = 160
RUN_COLUMNS = (
    ("name", "run", False),
    ("kind", "kind", False),
    ("value", "headline", True),
    ("size", "rows", True),
    ("date", "finished", False),
    ("input", "input", False),
)


def runs_page(entries: Sequence[RunEntry], folder: str, params: Mapping[str, str], links: Links) -> str:
    """Return the page of all runs, or of the runs that match a search, in the requested order."""
    q = params.get("q", "").strip()[:200]
    sort = params.get("sort", "name")
    down = params.get("order") == "down"
    keys = {
        "kind": lambda each: (each.kind, each.key),
        "value": lambda each: (each.value, each.key),
        "size": lambda each: (each.size, each.key),
        "date": lambda each: (each.moment, each.key),
    }
    shown = [each for each in entries if all(word in _search_text(each) for word in q.lower().split())]
    shown.sort(key=keys.get(sort, lambda each: each.key), reverse=down)
    kinds = [each.kind for each in entries if each.comparable]
    return page(
        "runs.html",
        links=links,
        crumbs=[],
        shown=shown,
        total=len(entries),
        folder=folder,
        q=q,
        sort=sort,
        down=down,
        columns=RUN_COLUMNS,
        comparable=any(kinds.count(kind) > 1 for kind in kinds),
        data=list_data([], [], by="", rows=[(at, [], [], 0) for at in range(len(shown))], unit="runs")
        if links.static
        else "",
    )


def _search_text(entry: RunEntry) -> str:
    return f"{entry.key} {entry.kind} {entry.state} {entry.headline} {entry.date} {entry.inputs}".lower()


def run_page(run: OpenedRun, others: Sequence[str], links: Links) -> Iterator[str]:
    """Yield the page of a run in pieces: scores at once, charts as they are drawn."""
    template = environment().get_template("run.html")
    buffer: list[str] = []

    def link(which: OpenedRun, params: Mapping[str, str]) -> str:
        return links.rows(which.key, params)

    for piece in template.generate(
        links=links,
        crumbs=[(run.key, "")],
        run=run,
        facts=facts(run),
        has_rows=len(run) > 0,
        others=[(other, links.compare([run.key, other], {})) for other in others],
        headlines=list(run.kind.headlines(run, link)),
        signature=signature(run),
        confidence=confidence(run),
        trouble=lambda: run.problem,
        ladder=[draw_for_page(chart, "ladder") for chart in run.kind.ladders(run)[:1]],
        charts=_drawn_charts(run, links),
        breakdowns=lambda: run.kind.breakdowns(run, link),
        command=command(run),
        flush=Markup(FLUSH),  # noqa: S704 - a constant
    ):
        if piece == FLUSH:
            yield "".join(buffer)
            buffer = []
        else:
            buffer.append(piece)
    yield "".join(buffer)


def _drawn_charts(run: OpenedRun, links: Links) -> Iterator[DrawnChart]:
    """Yield the charts of a run; they are drawn once for static pages and once for the server."""
    cached = run.drawn.get(links.static)
    if cached is not None:
        yield from cached
        return
    charts = [*run.kind.ladders(run)[1:], *run.kind.charts(run, lambda which, params: links.rows(which.key, params))]
    drawn = []
    for number, chart in enumerate(charts, 1):
        drawn.append(draw_for_page(chart, number))
        yield drawn[-1]
    run.drawn[links.static] = drawn


def rows_page(run: OpenedRun, query: RowQuery, selection: Selection, links: Links, *, most: int | None = PAGE) -> str:
    """Return a page of the list of rows.

    Args:
        run: the run.
        query: the query.
        selection: the rows that match the query.
        links: addresses of pages.
        most: number of rows per page; None for all rows, which a script then filters.
    """
    size = most or max(1, len(selection.positions))
    pages = max(1, -(-len(selection.positions) // size))
    at = min(query.page, pages)
    by = query.by or run.ranking
    down = is_down(run, query)
    names = list(run.columns)[:COLUMNS]
    if by in run.columns and by not in names:
        names[-1] = by
    positions = selection.positions[(at - 1) * size : at * size].tolist()
    params = query.params(page=None)
    rows = [_row_line(run, position, names, selection, links.row(run.key, position, params)) for position in positions]
    one, many = run.kind.UNIT

    def sorted_by(name: str) -> dict[str, str]:
        order = ("up" if down else "down") if name == by else None
        return query.params(by=name, order=order, page=None, low=None, high=None)

    return page(
        "rows.html",
        links=links,
        crumbs=[(run.key, links.run(run.key)), (many, "")],
        run=run,
        query=query,
        fields=[] if run.problem else field_options(run),
        sorts=[*run.columns, IN_FILE],
        by=by,
        down=down,
        reading=f"There are no filters: {run.problem}" if run.problem else "",
        chips=_filter_chips(run, query, links),
        count=_count_text(run, selection, query, most is None),
        shown={"rows": rows, "one": one, "unit": many, "hits": bool(query.conditions)},
        columns=[{"name": name, "sorted": name == by, "href": links.rows(run.key, sorted_by(name))} for name in names],
        page=at,
        pages=pages,
        before=links.rows(run.key, query.params(page=str(at - 1))) if at > 1 else "",
        after=links.rows(run.key, query.params(page=str(at + 1))) if at < pages else "",
        data=row_data(run, positions, names) if most is None else "",
    )


def _row_line(run: OpenedRun, position: int, names: Sequence[str], selection: Selection, href: str) -> dict[str, Any]:
    try:
        row = run.row(position)
        facts_text, talk = run.kind.summary(row)
        name = row.id
    except DialmeterError as error:
        name, facts_text, talk = f"row {position}", f"cannot be read: {error}", ""
    return {
        "position": position,
        "id": name,
        "scores": [run.cell(name, position) for name in names],
        "hits": int(selection.hits[position]) if selection.hits is not None else 0,
        "facts": facts_text,
        "talk": talk if len(talk) <= SHORT else talk[:SHORT] + "…",
        "href": href,
    }


def _filter_chips(run: OpenedRun, query: RowQuery, links: Links) -> list[tuple[str, str]]:
    chips = [(f"{run.kind.label(name)}: {text}", name) for name, text in query.conditions]
    if query.q:
        chips.append((f"search: {query.q}", "q"))
    by = query.by or run.ranking
    chips += [(f"{by} at least {query.low:g}", "low")] if query.low is not None else []
    chips += [(f"{by} below {query.high:g}", "high")] if query.high is not None else []
    return [(text, links.rows(run.key, query.params(page=None, **{name: None}))) for text, name in chips]


def _count_text(run: OpenedRun, selection: Selection, query: RowQuery, static: bool) -> str:
    units = run.kind.UNIT[1]
    if static and len(selection.positions) < len(run):
        return f"The {len(selection.positions):,} worst of {len(run):,} {units}"
    if not (query.conditions or query.q or query.low is not None or query.high is not None):
        return f"{len(run):,} {units}"
    findings = f", {int(selection.hits.sum()):,} findings" if selection.hits is not None and not query.q else ""
    return f"{len(selection.positions):,} of {len(run):,} {units}{findings}"


def row_page(run: OpenedRun, position: int, query: RowQuery, selection: Selection, *, links: Links) -> str:
    """Return the page of one row, with links to its neighbours in the list that matches the query.

    Raises:
        DialmeterError: there is no such row.
    """
    if not 0 <= position < len(run):
        raise DialmeterError(f"{run.key} has no {run.kind.UNIT[0]} {position}: it has {len(run):,}, numbered from 0")
    row = run.row(position)
    params = query.params(page=None)
    order = selection.positions
    units = run.kind.UNIT[1]
    return page(
        "row.html",
        links=links,
        crumbs=[(run.key, links.run(run.key)), (units, links.rows(run.key, params)), (row.id, "")],
        run=run,
        row_id=row.id,
        back=links.rows(run.key, params),
        **neighbours(order, position, lambda each: links.row(run.key, each, params), f"all {units}"),
        scores=[(name, run.cell(name, position)) for name in run.columns],
        shown=run.kind.page(row, query.filters),
    )


def neighbours(order: NDArray[np.int64], row: int, link: Callable[[int], str], otherwise: str) -> dict[str, str]:
    """Return the place of a row in a list, and the addresses of its neighbours; the place is ``otherwise`` if it is not in the list."""
    indices = np.flatnonzero(order == row)
    if not len(indices):
        return {"before": "", "after": "", "place": otherwise}
    at = int(indices[0])
    return {
        "before": link(int(order[at - 1])) if at else "",
        "after": link(int(order[at + 1])) if at + 1 < len(order) else "",
        "place": f"{at + 1:,} of {len(order):,}",
    }
