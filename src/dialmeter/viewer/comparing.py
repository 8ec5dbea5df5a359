"""Two to twelve runs of one kind: their scores, their mistakes by slot, domain, event or attack, and the rows that differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import DialmeterError
from ..stats import holm
from ..views.compare import stars
from ..views.html_env import page, score
from ..views.pages.groups import SIDES, GroupComparison, GroupLine, Sides, compare_groups
from ..views.pages.kinds import Grouping
from ..views.pages.opened import Opened
from ..views.pages.scores import Matched, change, label, match, score_filter, test, ways, with_means
from ..views.pages.select import PAGE
from .links import Links
from .pages import neighbours
from .pair_list import WAYS, PairList, in_words, list_pairs, mistaken, reasons, row_reasons

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_RUNS = 12
CompareGroups: TypeAlias = Callable[[Sequence[Opened], Grouping, Sequence[bool]], GroupComparison]


def compare_page(
    runs: Sequence[Opened],
    params: Mapping[str, str],
    links: Links,
    *,
    most: int = PAGE,
    swap: bool = True,
    compare: CompareGroups = compare_groups,
) -> str:
    """All runs' scores and mistakes beside those of the first run; for two runs also the rows that differ.

    Args:
        runs: the first one is the baseline.
        params: of the address.
        links: where pages are.
        most: rows of a page.
        swap: is there a page with the runs in another order?
        compare: compares mistakes; a function that remembers what it found may be given.

    Raises:
        DialmeterError: not 2 to 12 runs, or runs of several kinds.
    """
    check_runs([run.key for run in runs])
    pairs = [match(runs[0], other) for other in runs[1:]]
    listed = [list_pairs(each, params if len(pairs) == 1 else {}) for each in pairs]
    comparable = [each.comparable(of.by) for each, of in zip(pairs, listed, strict=True)]
    kind, keys = runs[0].kind, [run.key for run in runs]
    chosen = next((each for each in kind.GROUPINGS if each.field == params.get("group")), None)
    shown = kind.GROUPINGS if links.static else kind.GROUPINGS[:1] if chosen is None else (chosen,)
    found = [compare(runs, grouping, comparable) for grouping in shown]
    scores = _scores(pairs, links)
    sizes = [(len(each.here), len(each.first) + len(each.second) - 2 * len(each.here)) for each in pairs]
    one, many = kind.UNIT
    return page(
        "compare.html",
        links=links,
        crumbs=[(keys[0], links.run(keys[0])), ("compared with " + ", ".join(keys[1:]), "")],
        runs=runs,
        one=one,
        unit=many,
        counts=sizes[:1] if len(set(sizes)) == 1 and not sizes[0][1] else sizes,
        baselines=[links.compare([key, *(each for each in keys if each != key)], {}) for key in keys] if swap else [],
        apart=[(each.second.key, each.why_not) for each in pairs if each.why_not],
        scores=[each for each in scores if each["per_row"]] or scores,
        further=[each for each in scores if not each["per_row"]] if any(each["per_row"] for each in scores) else [],
        tabs=[
            (
                kind.label(each.field),
                "" if each in shown else links.compare(keys, {"group": each.field}) + "#groups",
            )
            for each in kind.GROUPINGS
        ]
        if not links.static and len(kind.GROUPINGS) > 1
        else [],
        groups=[_group(runs, each, links) for each in found],
        listed=_list(pairs[0], listed[0], params, links, most) if len(runs) == 2 else None,
    )


def check_runs(keys: Sequence[str]) -> None:
    """Refuses runs that cannot be compared on one page.

    Raises:
        DialmeterError: not 2 to 12 runs, or one twice.
    """
    if not 2 <= len(keys) <= MOST_RUNS:
        raise DialmeterError(f"choose 2 to {MOST_RUNS} runs to compare; {len(keys)} are chosen")
    if len(set(keys)) < len(keys):
        raise DialmeterError("choose different runs; one is chosen twice")


def _scores(pairs: Sequence[Matched], links: Links) -> list[dict[str, Any]]:
    """For every measure the values of all runs, and for every run after the first its difference with a test."""
    first = pairs[0].first
    runs = [first, *(each.second for each in pairs)]
    values = [_values(first, pairs[0].here), *(_values(each.second, each.there) for each in pairs)]
    filters = [{label(each): score_filter(run, each) for each in with_means(run)} for run in runs]
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(name for of_run in values for name in of_run):
        cells = []
        for run, of_run, chosen in zip(runs, values, filters, strict=True):
            params = chosen.get(name) or ({"by": name} if name in run.columns else {})
            known = of_run.get(name) is not None
            cells.append({"text": score(of_run.get(name)), "href": links.rows(run.key, params) if known else ""})
        others = [
            _difference(each, name, values[0].get(name), of_run.get(name), links)
            for each, of_run in zip(pairs, values[1:], strict=True)
        ]
        rows.append(
            {"measure": name, "values": cells, "others": others, "per_row": any(each["counts"] for each in others)}
        )
    tested = [other for row in rows for other in row["others"]]
    for other, p in zip(tested, holm([other["p"] for other in tested]), strict=True):
        other["p"], other["stars"] = _p(p), stars(p, 2)
    return rows


def _difference(matched: Matched, name: str, one: float | None, two: float | None, links: Links) -> dict[str, Any]:
    first, second = matched.first, matched.second
    comparable = matched.comparable(name)
    both = name in first.columns and name in second.columns
    empty = "not comparable" if not comparable else "" if both else f"no score per {first.kind.UNIT[0]}"
    found: dict[str, Any] = {
        "difference": _signed(two - one) if comparable and one is not None and two is not None else "–",
        "empty": empty,
        "counts": [],
        "p": None,
        "href": "",
    }
    if not empty:
        sides = ways(change(matched, name), first.kind.HIGHER_IS_BETTER)
        for way in WAYS:
            address = links.compare([first.key, second.key], {"by": name, "show": way}) + "#list"
            found["counts"].append((way, int(sides[way].sum()), "" if links.static else address))
        tested = test(matched, name)
        found["p"] = tested.p if tested else None
        found["mean"] = _signed(tested.difference if tested else None)
        found["href"] = "" if links.static else links.compare([first.key, second.key], {"by": name}) + "#list"
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


def _p(p: float | None) -> str:
    return "–" if p is None else "< 0.01" if p < 0.01 else f"{p:.2f}"


def _group(runs: Sequence[Opened], found: GroupComparison, links: Links) -> dict[str, Any]:
    """The table of one field, whose bars all have the same scale."""
    ends = [
        abs(end)
        for line in found.lines
        for each in line.versus
        if each is not None and each.difference is not None
        for end in (each.difference, *(each.ci or ()))
    ]
    scale = max(ends, default=0.0) or 1.0
    return {
        "field": found.grouping.field,
        "label": runs[0].kind.label(found.grouping.field),
        "value": found.grouping.value,
        "rows": found.rows,
        "tests": found.tests,
        "resamples": found.resamples,
        "more": found.more,
        "scale": f"{100 * scale:.3g}",
        "lines": [_line(runs, found.grouping, line, scale, links) for line in found.lines],
    }


def _line(runs: Sequence[Opened], grouping: Grouping, line: GroupLine, scale: float, links: Links) -> dict[str, Any]:
    def address(other: int, side: str, size: int) -> str:
        # What is not comparable has no list of differences.
        if links.static or not size or line.versus[other] is None:
            return ""
        chosen = {"group": grouping.field, "name": line.name, "show": side}
        return links.compare([runs[0].key, runs[other + 1].key], chosen) + "#list"

    others: list[dict[str, Any]] = []
    for at, (each, sides) in enumerate(zip(line.versus, line.rows, strict=True)):
        difference, ci, p = (each.difference, each.ci, each.p_holm) if each is not None else (None, None, None)
        leads: Sides = "only-first" if (difference or 0) < 0 else "only-second"
        leads = leads if sides[leads] else next((side for side in SIDES if sides[side]), leads)
        others.append(
            {
                "difference": _signed(difference),
                "way": "worse" if (difference or 0) > 0 else "better" if (difference or 0) < 0 else "",
                "href": address(at, leads, sides[leads]),
                "bar": _span(0.0, difference, scale) if difference else None,
                "whisker": _span(*ci, scale) if ci else None,
                "interval": " to ".join(map(_signed, ci)) if ci else "–",
                "p": _p(p),
                "stars": stars(p, 2),
                "empty": "not comparable" if each is None else each.reason,
                "sides": {side: (sides[side], address(at, side, sides[side])) for side in SIDES},
            }
        )
    values = [
        {
            "text": score(rate),
            "mistakes": size,
            "href": address(max(0, at - 1), "second" if at else "first", size),
        }
        for at, (rate, size) in enumerate(zip(line.rates, line.mistakes, strict=True))
    ]
    return {"name": line.name, "href": others[0]["href"], "values": values, "others": others}


def _span(low: float, high: float, scale: float) -> tuple[str, str]:
    """Where a bar begins and how wide it is, in percent of the cell; zero is in the middle."""
    start, end = sorted(50 + 50 * each / scale for each in (low, high))
    return f"{start:.2f}", f"{end - start:.2f}"


def _list(matched: Matched, listed: PairList, params: Mapping[str, str], links: Links, most: int) -> dict[str, Any]:
    first, second = matched.first, matched.second
    keys = [first.key, second.key]
    order, at = listed.order, listed.at
    pages = max(1, -(-len(order) // most))
    asked = params.get("page", "1")
    number = min(max(1, int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 8 else 1), pages)
    shown = order[(number - 1) * most : number * most]
    found, more = reasons(matched, listed)

    def here(**changes: str) -> str:
        kept = {name: text for name, text in {**listed.params, **changes}.items() if text}
        return links.compare(keys, kept) + "#list"

    return {
        "by": listed.by,
        "show": listed.show,
        "name": at.name if at else "",
        "field": first.kind.label(at.grouping.field) if at else "",
        "mistaken": mistaken(matched, at)[0].key if at else "",
        "size": len(order),
        "everything": links.compare(keys, {"by": listed.by}) + "#list" if listed.show and not links.static else "",
        "chips": [
            (in_words(first, [field], [text]), here(**{field: ""})) for field, text in (at.wanted if at else {}).items()
        ],
        "headings": [first.kind.label(field) for field in at.grouping.reasons] if at else [],
        "reasons": [{**each, "href": links.compare(keys, each["params"]) + "#list"} for each in found],
        "more": more,
        "pairs": [_listed(matched, listed, int(place), links) for place in shown],
        "page": number,
        "pages": 1 if links.static else pages,
        "before": here(page=str(number - 1)) if number > 1 else "",
        "after": here(page=str(number + 1)) if number < pages else "",
    }


def _listed(matched: Matched, listed: PairList, place: int, links: Links) -> dict[str, Any]:
    first, second = matched.first, matched.second
    here, there = int(matched.here[place]), int(matched.there[place])
    row = {
        "id": first.findings.ids[here],
        "href": links.pair([first.key, second.key], here, listed.params),
        "what": "",
    }
    if listed.at is not None:
        run, places = mistaken(matched, listed.at)
        found = row_reasons(run, listed.at, int(places[place]))
        fields = listed.at.grouping.reasons
        what = "; ".join(in_words(run, fields, reason) for reason in found[:3]) + (" …" if len(found) > 3 else "")
        before, after = (int(of_run[place]) for of_run in listed.at.mistakes)
        moved = f"{after - before:+d}".replace("-", "−")
        way = "worse" if after > before else "better" if after < before else "same"
        return {**row, "first": before, "second": after, "change": moved, "way": way, "sign": WAYS[way], "what": what}
    by = listed.by
    old, new = float(first.columns[by][here]), float(second.columns[by][there])
    way, sign, change_text = "", "", "–"
    if matched.comparable(by):
        sides = ways(np.array([new - old]), first.kind.HIGHER_IS_BETTER)
        way = next(way for way, mask in sides.items() if mask[0])
        sign, change_text = WAYS[way], _signed(new - old)
    cells = {"first": first.kind.cell(by, old), "second": first.kind.cell(by, new)}
    return {**row, **cells, "change": change_text, "way": way, "sign": sign}


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
    keys = [first.key, second.key]
    listed = list_pairs(matched, params)

    def link(place: int) -> str:
        return links.pair(keys, int(matched.here[place]), listed.params)

    rows = first.row(position), second.row(int(matched.there[places[0]]))
    back = links.compare(keys, listed.params) + "#list"
    return page(
        "pair.html",
        links=links,
        crumbs=[(f"{first.key} and {second.key}", back), (str(rows[0]["id"]), "")],
        row_id=rows[0]["id"],
        names=(first.key, second.key),
        back=back,
        **neighbours(listed.order[:most], int(places[0]), link, "all"),
        about=f"{first.kind.label(listed.at.grouping.field)} {listed.at.name}" if listed.at else "",
        template=f"{first.kind.NAME}/pair.html",
        shown=first.kind.pair(*rows, listed.at.filters if listed.at else {}),
    )
