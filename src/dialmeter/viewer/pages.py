"""The pages of one run as texts: overview, list of rows, one row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from ..errors import DialmeterError
from ..views.html_env import environment, page
from ..views.pages.charts import DrawnChart, draw_for_page
from ..views.pages.opened import Opened
from ..views.pages.scores import command, confidence, facts, signature
from ..views.pages.select import IN_FILE, PAGE, RowQuery, Selection, field_options, is_down, list_data, row_data
from .links import Links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .folder import RunEntry

COLUMNS = 6
FLUSH = "<!--flush-->"
SHORT = 160
NOT_A_ROW = (KeyError, TypeError, AttributeError, ValueError, IndexError)
"""What a row from a file raises that is valid JSON but not a row of its kind."""
RUN_COLUMNS = (
    ("name", "run", False),
    ("kind", "kind", False),
    ("value", "headline", True),
    ("size", "rows", True),
    ("date", "finished", False),
    ("input", "input", False),
)


def runs_page(entries: Sequence[RunEntry], folder: str, params: Mapping[str, str], links: Links) -> str:
    """All runs, or those that have a text, in the requested order."""
    q = params.get("q", "").strip()[:200]
    sort = params.get("sort", "name")
    down = params.get("order") == "down"
    keys = {
        "kind": lambda each: (each.kind, each.key),
        "value": lambda each: (each.value, each.key),
        "size": lambda each: (each.size, each.key),
        "date": lambda each: (each.moment, each.key),
    }
    shown = [each for each in entries if all(word in _words(each) for word in q.lower().split())]
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


def _words(entry: RunEntry) -> str:
    return f"{entry.key} {entry.kind} {entry.state} {entry.headline} {entry.date} {entry.inputs}".lower()


def run_page(run: Opened, others: Sequence[str], links: Links) -> Iterator[str]:
    """A run in pieces: scores at once, charts as they are drawn."""
    template = environment().get_template("run.html")
    held: list[str] = []

    def leads(which: Opened, params: Mapping[str, str]) -> str:
        return links.rows(which.key, params)

    for piece in template.generate(
        links=links,
        crumbs=[(run.key, "")],
        run=run,
        facts=facts(run),
        has_rows=len(run) > 0,
        others=[(other, links.compare([run.key, other], {})) for other in others],
        headlines=list(run.kind.headlines(run, leads)),
        signature=signature(run),
        confidence=confidence(run),
        trouble=lambda: _trouble(run),
        charts=_charts(run, links),
        breakdowns=lambda: run.kind.breakdowns(run, leads),
        again=command(run),
        flush=Markup(FLUSH),  # noqa: S704 - a constant
    ):
        if piece == FLUSH:
            yield "".join(held)
            held = []
        else:
            held.append(piece)
    yield "".join(held)


def _trouble(run: Opened) -> str:
    """Why the rows cannot be counted, if so. Half of the page has been sent by then, so that no error page can be sent."""
    try:
        return "" if len(run) == len(run.findings.ids) else "The index does not fit the rows; make the run again."
    except DialmeterError as error:
        return str(error)


def _charts(run: Opened, links: Links) -> Iterator[DrawnChart]:
    """The charts of a run, drawn once for each kind of links."""
    kept = run.drawn.get(links.static)
    if kept is not None:
        yield from kept
        return
    charts = run.kind.charts([run], lambda which, params: links.rows(which.key, params))
    made = []
    for number, chart in enumerate(charts, 1):
        made.append(draw_for_page(chart, number))
        yield made[-1]
    run.drawn[links.static] = made


def rows_page(run: Opened, query: RowQuery, found: Selection, links: Links, *, most: int | None = PAGE) -> str:
    """A page of rows.

    Args:
        run: whose rows.
        query: which rows are requested.
        found: which rows these are.
        links: where pages are.
        most: rows of a page; None for all, which a script then filters.
    """
    size = most or max(1, len(found.positions))
    pages = max(1, -(-len(found.positions) // size))
    at = min(query.page, pages)
    by = query.by or run.ranking
    down = is_down(run, query)
    names = list(run.columns)[:COLUMNS]
    if by in run.columns and by not in names:
        names[-1] = by
    positions = found.positions[(at - 1) * size : at * size].tolist()
    kept = query.params(page=None)
    rows = [_listed(run, position, names, found, links.row(run.key, position, kept)) for position in positions]
    reading = _reading(run)
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
        fields=[] if reading else field_options(run),
        sorts=[*run.columns, IN_FILE],
        by=by,
        down=down,
        reading=reading,
        chips=_chips(run, query, links),
        count=_count(run, found, query, most is None),
        shown={"rows": rows, "one": one, "unit": many, "hits": bool(query.wanted)},
        columns=[{"name": name, "sorted": name == by, "href": links.rows(run.key, sorted_by(name))} for name in names],
        pages=pages,
        before=links.rows(run.key, query.params(page=str(at - 1))) if at > 1 else "",
        after=links.rows(run.key, query.params(page=str(at + 1))) if at < pages else "",
        data=row_data(run, positions, names) if most is None else "",
    )


def _listed(run: Opened, position: int, names: Sequence[str], found: Selection, href: str) -> dict[str, Any]:
    try:
        row = run.row(position)
        facts_text, talk = run.kind.teaser(row)
        name = str(row["id"])
    except (DialmeterError, *NOT_A_ROW) as error:
        name, facts_text, talk = f"row {position}", f"cannot be read: {error}", ""
    return {
        "position": position,
        "id": name,
        "scores": [run.cell(name, position) for name in names],
        "hits": int(found.hits[position]) if found.hits is not None else 0,
        "facts": facts_text,
        "talk": talk if len(talk) <= SHORT else talk[:SHORT] + "…",
        "href": href,
    }


def _reading(run: Opened) -> str:
    """Why there are no filters (yet)."""
    many = run.kind.UNIT[1]
    if run.is_read():
        problem = _trouble(run)
        return f"There are no filters: {problem}" if problem else ""
    why = "" if run.is_indexed else "An earlier version made this run, without an index of findings. "
    return f"{why}Filters come when all {many} are read: {run.read:,} of {len(run):,} so far. Reload to see them."


def _chips(run: Opened, query: RowQuery, links: Links) -> list[tuple[str, str]]:
    found = [(f"{run.kind.label(name)}: {text}", name) for name, text in query.wanted]
    if query.q:
        found.append((f"search: {query.q}", "q"))
    by = query.by or run.ranking
    found += [(f"{by} at least {query.low:g}", "low")] if query.low is not None else []
    found += [(f"{by} below {query.high:g}", "high")] if query.high is not None else []
    return [(words, links.rows(run.key, query.params(page=None, **{name: None}))) for words, name in found]


def _count(run: Opened, found: Selection, query: RowQuery, static: bool) -> str:
    many = run.kind.UNIT[1]
    if static and len(found.positions) < len(run):
        return f"The {len(found.positions):,} worst of {len(run):,} {many}"
    if not (query.wanted or query.q or query.low is not None or query.high is not None):
        return f"{len(run):,} {many}"
    findings = f", {int(found.hits.sum()):,} findings" if found.hits is not None and not query.q else ""
    return f"{len(found.positions):,} of {len(run):,} {many}{findings}"


def row_page(run: Opened, position: int, query: RowQuery, found: Selection, *, links: Links) -> str:
    """One row, with its neighbours in the list that one comes from.

    Raises:
        DialmeterError: no such row.
    """
    if not 0 <= position < len(run):
        raise DialmeterError(f"{run.key} has no {run.kind.UNIT[0]} {position}: there are {len(run):,}, from 0")
    row = run.row(position)
    try:
        name, shown = str(row["id"]), run.kind.page(row, query.filters)
    except NOT_A_ROW as error:
        raise DialmeterError(f"{run.key}, row {position}: cannot be shown: {type(error).__name__}: {error}") from None
    kept = query.params(page=None)
    order = found.positions
    many = run.kind.UNIT[1]
    return page(
        "row.html",
        links=links,
        crumbs=[(run.key, links.run(run.key)), (many, links.rows(run.key, kept)), (name, "")],
        run=run,
        row_id=name,
        back=links.rows(run.key, kept),
        **neighbours(order, position, lambda each: links.row(run.key, each, kept), f"all {many}"),
        scores=[(name, run.cell(name, position)) for name in run.columns],
        shown=shown,
    )


def neighbours(order: NDArray[np.int64], row: int, link: Callable[[int], str], otherwise: str) -> dict[str, str]:
    """The place of a row in a list, and the addresses of the rows before and after it; ``otherwise`` if it is not in the list."""
    places = np.flatnonzero(order == row)
    if not len(places):
        return {"before": "", "after": "", "place": otherwise}
    at = int(places[0])
    return {
        "before": link(int(order[at - 1])) if at else "",
        "after": link(int(order[at + 1])) if at + 1 < len(order) else "",
        "place": f"{at + 1:,} of {len(order):,}",
    }
