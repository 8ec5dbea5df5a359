"""Comparison of 2 to 12 runs of one kind: scores, mistakes by slot, domain, event or attack, and rows that differ."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ..errors import DialmeterError
from ..views.compare import stars
from ..views.html_env import page, score
from ..views.pages.groups import SIDES, GroupComparison, GroupLine, Sides, compare_groups, mistakes_by_row, side_mask
from ..views.pages.kinds import Conditions, Grouping
from ..views.pages.opened_run import OpenedRun
from ..views.pages.scores import (
    MatchedRuns,
    change_masks,
    is_counted,
    match,
    means_and_scores,
    score_columns,
    score_filter,
    score_label,
)
from ..views.pages.select import PAGE
from ..views.tables import p_value
from .links import Links
from .pages import neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHANGE_SIGNS = {"better": "▲", "same": "=", "worse": "▼"}
DIFFERS = "#differs"
"""The fragment of the page of a pair: the first turn at which the listed slot, or any slot, differs."""
_REASONS = 10


class PairList(NamedTuple):
    """The rows of two runs that match the parameters of an address.

    Attributes:
        order: indices of shared rows, the largest difference first.
        by: the measure of the list.
        show: the change or the side of the mistakes that is listed; empty for all rows.
        params: the parameters of the address.
        grouping: the field of the listed mistakes; None if scores are listed.
        name: the text of the field.
        filters: further field → text of the listed mistakes, in the run that made them.
        mistakes: number of mistakes of each shared row, in both runs.
    """

    order: NDArray[np.int64]
    by: str
    show: str
    params: dict[str, str]
    grouping: Grouping | None = None
    name: str = ""
    filters: Mapping[str, str] = {}
    mistakes: Sequence[NDArray[np.int32]] = ()

    @property
    def marked(self) -> dict[str, str]:
        """Field → text of the listed mistakes, which pages of rows mark."""
        return {self.grouping.field: self.name, **self.filters} if self.grouping else {}


def list_pairs(matched: MatchedRuns, params: Mapping[str, str]) -> PairList:
    """Return the rows that match the parameters of an address, the largest difference first; invalid parameters are ignored.

    Raises:
        DialmeterError: the runs share no score per row.
    """
    shared = [name for name in matched.first.columns if name in matched.second.columns]
    if not shared:
        raise DialmeterError("the two runs have no score per row in common")
    ranking = matched.first.ranking
    by = params["by"] if params.get("by") in shared else ranking if ranking in shared else shared[0]
    comparable = matched.comparable(by)
    show, kind = params.get("show", ""), matched.first.kind
    grouping = next((each for each in kind.GROUPINGS if each.field == params.get("group", "")), None)
    if grouping and params.get("name") and show in SIDES and comparable:
        return _list_mistakes(matched, params, grouping, by)
    show = show if show in CHANGE_SIGNS and comparable else ""
    before, after = score_columns(matched, by)
    changes = after - before
    mask = change_masks(before, after, kind.HIGHER_IS_BETTER)[show] if show else np.isfinite(changes)
    own = {"by": by, **({"show": show} if show else {})}
    return PairList(_largest_first(mask, np.abs(changes)), by, show, own)


def _list_mistakes(matched: MatchedRuns, params: Mapping[str, str], grouping: Grouping, by: str) -> PairList:
    """Return the rows with mistakes that have one text of a field, on a side."""
    name, side = params["name"], next(side for side in SIDES if side == params["show"])
    fields = [each.name for each in matched.first.kind.FIELDS if each.name != grouping.field]
    filters = {field: params[field] for field in fields if params.get(field)}
    sides = ((matched.first, matched.first_rows), (matched.second, matched.second_rows))
    mistakes = [mistakes_by_row(run, grouping, [name])[rows, 0] for run, rows in sides]
    own = {"group": grouping.field, "name": name, "show": side, **filters}
    listed = PairList(np.arange(0), by, side, own, grouping, name, filters, mistakes)
    mask = side_mask(mistakes[0] > 0, mistakes[1] > 0, side) & _matching(matched, listed, {})
    return listed._replace(order=_largest_first(mask, np.abs(mistakes[1] - mistakes[0])))


def _largest_first(mask: NDArray[np.bool_], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the indices of a mask, the largest size first."""
    indices = np.flatnonzero(mask)
    return indices[np.lexsort((indices, -sizes[indices]))]


def mistaken_run(matched: MatchedRuns, listed: PairList) -> tuple[OpenedRun, NDArray[np.int64]]:
    """Return the run whose mistakes are listed, and the positions of its shared rows."""
    if listed.show in ("only-first", "first"):
        return matched.first, matched.first_rows
    return matched.second, matched.second_rows


def _conditions(run: OpenedRun, listed: PairList, filters: Mapping[str, str]) -> Conditions:
    texts = {field: (text,) for field, text in {**listed.marked, **filters}.items()}
    return {**(listed.grouping.mistakes if listed.grouping else {}), **run.kind.extra_conditions(run), **texts}


def _matching(matched: MatchedRuns, listed: PairList, filters: Mapping[str, str]) -> NDArray[np.bool_]:
    """Return the mask of the shared rows with a listed mistake that has all these texts, in the run that made the mistakes."""
    run, positions = mistaken_run(matched, listed)
    mask: NDArray[np.bool_] = run.findings.by_row(_conditions(run, listed, filters))[positions, 0] > 0
    return mask


def row_reasons(run: OpenedRun, listed: PairList, position: int) -> list[tuple[str, ...]]:
    """Return the distinct mistakes of a row, as the texts of the fields that distinguish them."""
    fields = run.findings.fields
    conditions = [(fields.index(field), texts) for field, texts in _conditions(run, listed, {}).items()]
    columns = [fields.index(field) for field in listed.grouping.reasons] if listed.grouping else []
    mistakes = (
        tuple(finding[column] for column in columns)
        for finding in run.findings.of_row(position)
        if all(finding[column] in texts for column, texts in conditions)
    )
    return list(dict.fromkeys(mistakes))


def reasons(matched: MatchedRuns, listed: PairList) -> tuple[list[dict[str, Any]], int]:
    """Return the most frequent mistakes of the list with the number of their rows, and the number of other mistakes."""
    if listed.grouping is None:
        return [], 0
    run, positions = mistaken_run(matched, listed)
    counts: Counter[tuple[str, ...]] = Counter()
    for index in listed.order:
        counts.update(row_reasons(run, listed, int(positions[index])))
    ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
    frequent = []
    for reason in ranked[:_REASONS]:
        # An empty text is not a filter.
        texts = {field: text for field, text in zip(listed.grouping.reasons, reason, strict=True) if text}
        rows = int(_matching(matched, listed, texts)[listed.order].sum())
        frequent.append({"texts": reason, "rows": rows, "params": {**listed.params, **texts}})
    return frequent, len(ranked) - len(frequent)


def describe_texts(run: OpenedRun, fields: Sequence[str], texts: Sequence[str]) -> str:
    """Return the texts of fields with the labels of the fields.

    Example:
        >>> from types import SimpleNamespace
        >>> from dialmeter.views.pages.tracker import KIND
        >>> describe_texts(SimpleNamespace(kind=KIND), ("class", "gold", "pred"), ("missed", "east", ""))
        'class missed, gold value east'
    """
    return ", ".join(f"{run.kind.label(field)} {text}" for field, text in zip(fields, texts, strict=True) if text)


MOST_RUNS = 12
CompareGroups: TypeAlias = Callable[[Sequence[OpenedRun], Grouping, Sequence[bool]], GroupComparison]


def compare_page(
    runs: Sequence[OpenedRun],
    params: Mapping[str, str],
    links: Links,
    *,
    most: int = PAGE,
    swap: bool = True,
    compare: CompareGroups = compare_groups,
) -> str:
    """Return the page that compares the scores and mistakes of runs with the first run; for two runs also the rows that differ.

    Args:
        runs: the runs; the first one is the baseline.
        params: parameters of the address.
        links: addresses of pages.
        most: number of rows per page.
        swap: whether pages with another order of the runs exist.
        compare: function that compares mistakes; it may cache its results.

    Raises:
        DialmeterError: there are not 2 to 12 runs, or runs of several kinds.
    """
    check_runs([run.key for run in runs])
    pairs = [match(runs[0], other) for other in runs[1:]]
    lists = [list_pairs(each, params if len(pairs) == 1 else {}) for each in pairs]
    comparable = [each.comparable(own.by) for each, own in zip(pairs, lists, strict=True)]
    kind, keys = runs[0].kind, [run.key for run in runs]
    chosen = next((each for each in kind.GROUPINGS if each.field == params.get("group")), None)
    groupings = kind.GROUPINGS if links.static else kind.GROUPINGS[:1] if chosen is None else (chosen,)
    comparisons = [compare(runs, grouping, comparable) for grouping in groupings]
    scores = _score_lines(pairs, links)
    sizes = [(len(each.first_rows), len(each.first) + len(each.second) - 2 * len(each.first_rows)) for each in pairs]
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
                "" if each in groupings else links.compare(keys, {"group": each.field}) + "#groups",
            )
            for each in kind.GROUPINGS
        ]
        if not links.static and len(kind.GROUPINGS) > 1
        else [],
        groups=[_group_table(runs, each, links) for each in comparisons],
        files="" if kind.NAME == "judge" else shlex.join(map(_input_file, runs)),
        listed=_pair_list(pairs[0], lists[0], params, links, most) if len(runs) == 2 else None,
    )


def _input_file(run: OpenedRun) -> str:
    """Return the name of the file that a run measured."""
    first: Mapping[str, str] = next(iter(run.manifest.get("inputs") or ()), {})
    return "#".join(filter(None, [first.get("name", run.key), first.get("tracker")]))


def check_runs(keys: Sequence[str]) -> None:
    """Check that runs can be compared on one page.

    Raises:
        DialmeterError: there are not 2 to 12 runs, or a run is given twice.
    """
    if not 2 <= len(keys) <= MOST_RUNS:
        raise DialmeterError(f"choose 2 to {MOST_RUNS} runs to compare, not {len(keys)}")
    if len(set(keys)) < len(keys):
        raise DialmeterError("choose different runs; one run is chosen twice")


def _score_lines(pairs: Sequence[MatchedRuns], links: Links) -> list[dict[str, Any]]:
    """Return for every measure the values of all runs, and the tested differences of the runs after the first."""
    first = pairs[0].first
    runs = [first, *(each.second for each in pairs)]
    values = [_run_values(first, pairs[0].first_rows), *(_run_values(each.second, each.second_rows) for each in pairs)]
    filters = [{score_label(each): score_filter(run, each) for each in means_and_scores(run)} for run in runs]
    names = list(dict.fromkeys(name for by_name in values for name in by_name))
    rows: list[dict[str, Any]] = []
    for name in names:
        cells = []
        for run, by_name, run_filters in zip(runs, values, filters, strict=True):
            params = run_filters.get(name) or ({"by": name} if name in run.columns else {})
            value = by_name.get(name)
            cells.append({"text": score(value), "href": "" if value is None else links.rows(run.key, params)})
        base = values[0].get(name)
        others = []
        for each, by_name in zip(pairs, values[1:], strict=True):
            value = by_name.get(name)
            is_known = each.comparable(name) and base is not None and value is not None
            others.append(
                {
                    "difference": _format_change(value - base) if is_known else "–",  # type: ignore[operator]
                    **_change_counts(each, name, links),
                }
            )
        is_per_row = any(each["counts"] for each in others)
        rows.append({"measure": name, "values": cells, "others": others, "per_row": is_per_row})
    return rows


def _change_counts(matched: MatchedRuns, name: str, links: Links) -> dict[str, Any]:
    """Return the numbers of rows that are better, worse or the same; or why there are none."""
    first = matched.first
    if not is_counted(matched, name):
        why = f"no score per {first.kind.UNIT[0]}" if matched.comparable(name) else "not comparable"
        return {"empty": why, "counts": [], "href": ""}
    masks = change_masks(*score_columns(matched, name), first.kind.HIGHER_IS_BETTER)

    def address(**params: str) -> str:
        keys = [first.key, matched.second.key]
        return "" if links.static else links.compare(keys, {"by": name, **params}) + "#list"

    counts = [(way, int(masks[way].sum()), address(show=way)) for way in CHANGE_SIGNS]
    return {"empty": "", "counts": counts, "href": address()}


def _run_values(run: OpenedRun, rows: NDArray[np.int64]) -> dict[str, float | None]:
    """Return the scores of a run, and the mean over rows of the scores that only rows have."""
    values: dict[str, float | None] = {score_label(each): each.get("value") for each in means_and_scores(run)}
    for name, column in run.columns.items():
        scored = column[rows][np.isfinite(column[rows])]
        values.setdefault(name, float(scored.mean()) if len(scored) else None)
    return values


def _format_change(value: float | None) -> str:
    if value is None or not isfinite(value):
        return "–"
    return f"{100 * value:+.2f}".replace("-", "−")


def _group_table(runs: Sequence[OpenedRun], compared: GroupComparison, links: Links) -> dict[str, Any]:
    """Return the table of one field; all its bars have the same scale."""
    ends = [
        abs(end)
        for line in compared.lines
        for each in line.versus
        if each is not None and each.difference is not None
        for end in (each.difference, *(each.ci or ()))
    ]
    scale = max(ends, default=0.0) or 1.0
    return {
        "field": compared.grouping.field,
        "label": runs[0].kind.label(compared.grouping.field),
        "value": compared.grouping.value,
        "rows": compared.rows,
        "tests": compared.tests,
        "resamples": compared.resamples,
        "more": compared.more,
        "scale": f"{100 * scale:.3g}",
        "lines": [_group_line(runs, compared.grouping, line, scale, links) for line in compared.lines],
    }


def _group_line(
    runs: Sequence[OpenedRun], grouping: Grouping, line: GroupLine, scale: float, links: Links
) -> dict[str, Any]:
    def address(other: int, side: str, size: int) -> str:
        # Runs that are not comparable have no list of differences.
        if links.static or not size or line.versus[other] is None:
            return ""
        params = {"group": grouping.field, "name": line.name, "show": side}
        return links.compare([runs[0].key, runs[other + 1].key], params) + "#list"

    others: list[dict[str, Any]] = []
    for at, (each, sides) in enumerate(zip(line.versus, line.rows, strict=True)):
        difference, ci, p = (each.difference, each.ci, each.p_holm) if each is not None else (None, None, None)
        side: Sides = "only-first" if (difference or 0) < 0 else "only-second"
        side = side if sides[side] else next((each_side for each_side in SIDES if sides[each_side]), side)
        others.append(
            {
                "difference": _format_change(difference),
                "way": "worse" if (difference or 0) > 0 else "better" if (difference or 0) < 0 else "",
                "href": address(at, side, sides[side]),
                "bar": _bar_position(0.0, difference, scale) if difference else None,
                "whisker": _bar_position(*ci, scale) if ci else None,
                "interval": " to ".join(map(_format_change, ci)) if ci else "–",
                "p": p_value(p),
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


def _bar_position(low: float, high: float, scale: float) -> tuple[str, str]:
    """Return the start and width of a bar in percent of the cell; zero is in the middle."""
    start, end = sorted(50 + 50 * each / scale for each in (low, high))
    return f"{start:.2f}", f"{end - start:.2f}"


def _pair_list(
    matched: MatchedRuns, listed: PairList, params: Mapping[str, str], links: Links, most: int
) -> dict[str, Any]:
    first, keys = matched.first, [matched.first.key, matched.second.key]
    order, grouping = listed.order, listed.grouping
    pages = max(1, -(-len(order) // most))
    text = params.get("page", "1")
    number = min(max(1, int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 1), pages)
    frequent, more = reasons(matched, listed)

    def address(**changes: str) -> str:
        changed = {name: text for name, text in {**listed.params, **changes}.items() if text}
        return links.compare(keys, changed) + "#list"

    return {
        "by": listed.by,
        "show": listed.show,
        "name": listed.name,
        "field": first.kind.label(grouping.field) if grouping else "",
        "mistaken": mistaken_run(matched, listed)[0].key if grouping else "",
        "size": len(order),
        "everything": links.compare(keys, {"by": listed.by}) + "#list" if listed.show and not links.static else "",
        "chips": [
            (describe_texts(first, [field], [text]), address(**{field: ""})) for field, text in listed.filters.items()
        ],
        "headings": [first.kind.label(field) for field in grouping.reasons] if grouping else [],
        "reasons": [{**each, "href": links.compare(keys, each["params"]) + "#list"} for each in frequent],
        "more": more,
        "pairs": [
            _pair_line(matched, listed, int(place), links) for place in order[(number - 1) * most : number * most]
        ],
        "page": number,
        "pages": 1 if links.static else pages,
        "before": address(page=str(number - 1)) if number > 1 else "",
        "after": address(page=str(number + 1)) if number < pages else "",
    }


def _pair_line(matched: MatchedRuns, listed: PairList, place: int, links: Links) -> dict[str, Any]:
    first, by = matched.first, listed.by
    first_row, second_row = int(matched.first_rows[place]), int(matched.second_rows[place])
    what, way, change = "", "", "–"
    cells: list[Any]
    if listed.grouping is not None:
        run, positions = mistaken_run(matched, listed)
        mistakes = row_reasons(run, listed, int(positions[place]))
        what = "; ".join(describe_texts(run, listed.grouping.reasons, each) for each in mistakes[:3])
        what += " …" if len(mistakes) > 3 else ""
        before, after = cells = [int(counts[place]) for counts in listed.mistakes]
        way = "worse" if after > before else "better" if after < before else "same"
        change = f"{after - before:+d}".replace("-", "−")
    else:
        values = float(first.columns[by][first_row]), float(matched.second.columns[by][second_row])
        cells = [first.kind.cell(by, value) for value in values]
        if matched.comparable(by):
            masks = change_masks(np.array(values[:1]), np.array(values[1:]), first.kind.HIGHER_IS_BETTER)
            way = next(way for way, mask in masks.items() if mask[0])
            change = _format_change(values[1] - values[0])
    return {
        "id": first.findings.ids[first_row],
        "href": links.pair([first.key, matched.second.key], first_row, listed.params) + DIFFERS,
        "what": what,
        "first": cells[0],
        "second": cells[1],
        "change": change,
        "way": way,
        "sign": CHANGE_SIGNS.get(way, ""),
    }


def pair_page(
    matched: MatchedRuns,
    position: int,
    params: Mapping[str, str],
    links: Links,
    *,
    most: int | None = None,
) -> str:
    """Return the page of one row of two runs, with links to its neighbours among the first ``most`` rows of the list (None: all).

    Raises:
        DialmeterError: the row is not in both runs.
    """
    places = np.flatnonzero(matched.first_rows == position)
    if not len(places):
        raise DialmeterError(f"row {position} of {matched.first.key} is not in {matched.second.key}")
    first, second = matched.first, matched.second
    keys = [first.key, second.key]
    listed = list_pairs(matched, params)

    def link(place: int) -> str:
        return links.pair(keys, int(matched.first_rows[place]), listed.params) + DIFFERS

    rows = first.row(position), second.row(int(matched.second_rows[places[0]]))
    back = links.compare(keys, listed.params) + "#list"
    return page(
        "pair.html",
        links=links,
        crumbs=[(f"{first.key} and {second.key}", back), (rows[0].id, "")],
        row_id=rows[0].id,
        names=(first.key, second.key),
        back=back,
        **neighbours(listed.order[:most], int(places[0]), link, "all"),
        about=describe_texts(first, [listed.grouping.field], [listed.name]) if listed.grouping else "",
        template=f"{first.kind.NAME}/pair.html",
        shown=first.kind.pair(*rows, listed.marked),
    )
