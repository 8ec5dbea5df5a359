"""Two runs of one kind: their scores, and the rows that one does better or worse."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DialmeterError
from ..views.html_env import page, score
from ..views.pages.opened import Opened
from ..views.pages.scores import Matched, change, label, test, ways, with_means
from ..views.pages.select import PAGE
from .links import Links

if TYPE_CHECKING:
    from numpy.typing import NDArray

WAYS = {"better": "▲", "worse": "▼", "same": "="}


def listed(matched: Matched, by: str, show: str) -> NDArray[np.int64]:
    """Which pairs to list, those with the largest change first."""
    found = change(matched, by)
    keep = np.flatnonzero(_ways(matched, found)[show] if show else np.isfinite(found))
    return keep[np.lexsort((keep, -np.abs(found[keep])))]


def _ways(matched: Matched, changes: NDArray[np.float64]) -> dict[str, NDArray[np.bool_]]:
    return ways(changes, matched.first.kind.HIGHER_IS_BETTER)


def chosen_measure(matched: Matched, asked: str) -> str:
    """The measure of the list: the requested one, if both runs have it.

    Raises:
        DialmeterError: the runs have no score per row in common.
    """
    shared = [name for name in matched.first.columns if name in matched.second.columns]
    if not shared:
        raise DialmeterError("the two runs have no score per row in common")
    return asked if asked in shared else matched.first.ranking if matched.first.ranking in shared else shared[0]


def _shown(matched: Matched, by: str, params: Mapping[str, str]) -> str:
    """Which direction of change the list shows; all of them where rows may not be compared."""
    show = params.get("show", "")
    return show if show in WAYS and matched.comparable(by) else ""


def compare_page(
    matched: Matched, params: Mapping[str, str], links: Links, *, most: int = PAGE, swap: bool = True
) -> str:
    """Both runs' scores side by side, and the rows that changed."""
    first, second = matched.first, matched.second
    by = chosen_measure(matched, params.get("by", ""))
    show = _shown(matched, by, params)
    order = listed(matched, by, show)
    pages = max(1, -(-len(order) // most))
    number = params.get("page", "1")
    at = min(max(1, int(number) if number.isascii() and number.isdigit() and len(number) < 8 else 1), pages)
    kept = {"by": by, **({"show": show} if show else {})}
    one, many = first.kind.UNIT

    def here(**more: str) -> str:
        return links.compare(first.key, second.key, {**kept, **more})

    return page(
        "compare.html",
        links=links,
        crumbs=[(first.key, links.run(first.key)), (f"compared with {second.key}", "")],
        first=first,
        second=second,
        one=one,
        unit=many,
        matched=len(matched.here),
        alone=len(first) + len(second) - 2 * len(matched.here),
        swapped=links.compare(second.key, first.key, {}) if swap else "",
        not_comparable=matched.why_not,
        scores=_scores(matched, links),
        by=by,
        show=show,
        everything=links.compare(first.key, second.key, {"by": by}) if not links.static else "",
        pairs=[_listed(matched, by, int(each), links, kept) for each in order[(at - 1) * most : at * most]],
        page=at,
        pages=1 if links.static else pages,
        before=here(page=str(at - 1)) if at > 1 else "",
        after=here(page=str(at + 1)) if at < pages else "",
    )


def _scores(matched: Matched, links: Links) -> list[dict[str, Any]]:
    first, second = matched.first, matched.second
    ours, theirs = _values(first, matched.here), _values(second, matched.there)
    found = []
    for name in dict.fromkeys([*ours, *theirs]):
        one, two = ours.get(name), theirs.get(name)
        row: dict[str, Any] = {"measure": name, "first": score(one), "second": score(two)}
        comparable = matched.comparable(name)
        row["difference"] = _signed(two - one) if comparable and one is not None and two is not None else "–"
        per_row = name in first.columns and name in second.columns
        row["empty"] = "not comparable" if not comparable else "" if per_row else f"no score per {first.kind.UNIT[0]}"
        sides = {} if row["empty"] else _ways(matched, change(matched, name))
        row["counts"] = {way: int(mask.sum()) for way, mask in sides.items()}
        if row["counts"]:
            row["links"] = {
                show: "" if links.static else links.compare(first.key, second.key, {"by": name, "show": show}) + "#list"
                for show in WAYS
            }
            tested = test(matched, name)
            row["mean"] = _signed(tested.difference if tested else None)
            row["p"] = "–" if tested is None or tested.p is None else "< 0.01" if tested.p < 0.01 else f"{tested.p:.2f}"
        found.append(row)
    return found


def _values(run: Opened, rows: NDArray[np.int64]) -> dict[str, float | None]:
    """The scores of a run, and the mean over rows of those that only rows have."""
    found: dict[str, float | None] = {label(each): each.get("value") for each in with_means(run)}
    for name, column in run.columns.items():
        known = column[rows][np.isfinite(column[rows])]
        found.setdefault(name, float(known.mean()) if len(known) else None)
    return found


def _signed(value: float | None) -> str:
    if value is None or not isfinite(value):
        return "–"
    return f"{100 * value:+.2f}".replace("-", "−")


def _listed(matched: Matched, by: str, at: int, links: Links, kept: Mapping[str, str]) -> dict[str, Any]:
    first, second = matched.first, matched.second
    here, there = int(matched.here[at]), int(matched.there[at])
    before, after = float(first.columns[by][here]), float(second.columns[by][there])
    moved = after - before
    way, sign, change_text = "", "", "–"
    if matched.comparable(by):
        way = next(way for way, mask in _ways(matched, np.array([moved])).items() if mask[0])
        sign, change_text = WAYS[way], _signed(moved)
    return {
        "id": first.findings.ids[here],
        "first": first.kind.cell(by, before),
        "second": first.kind.cell(by, after),
        "change": change_text,
        "way": way,
        "sign": sign,
        "href": links.pair(first.key, second.key, here, kept),
    }


def pair_page(
    matched: Matched,
    position: int,
    params: Mapping[str, str],
    links: Links,
    *,
    most: int | None = None,
) -> str:
    """One row of two runs, with its neighbours among the first rows of the list (all, if no number is given).

    Raises:
        DialmeterError: not in both runs.
    """
    places = np.flatnonzero(matched.here == position)
    if not len(places):
        raise DialmeterError(f"row {position} of {matched.first.key} is not in {matched.second.key}")
    first, second = matched.first, matched.second
    by = chosen_measure(matched, params.get("by", ""))
    show = _shown(matched, by, params)
    kept = {"by": by, **({"show": show} if show else {})}
    order = listed(matched, by, show)[:most]
    at = next((number for number, each in enumerate(order) if each == places[0]), None)

    def link(place: int) -> str:
        return links.pair(first.key, second.key, int(matched.here[order[place]]), kept)

    rows = first.row(position), second.row(int(matched.there[places[0]]))
    back = links.compare(first.key, second.key, kept)
    return page(
        "pair.html",
        links=links,
        crumbs=[(f"{first.key} and {second.key}", back), (str(rows[0]["id"]), "")],
        row_id=rows[0]["id"],
        names=(first.key, second.key),
        before=link(at - 1) if at else "",
        after=link(at + 1) if at is not None and at + 1 < len(order) else "",
        back=back,
        place=f"{at + 1:,} of {len(order):,}" if at is not None else "all",
        template=f"{first.kind.NAME}/pair.html",
        shown=first.kind.pair(*rows),
    )
