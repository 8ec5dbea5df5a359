"""Comparison of 2 to 12 runs of one kind: scores, mistakes by slot, domain, event or attack, and rows that differ."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

from ..errors import DialmeterError
from ..numeric import NDArray, np
from ..views.compare import stars
from ..views.html_env import page, score
from ..views.pages.groups import SIDES, GroupComparison, GroupLine, Sides, compare_groups, mistakes_by_row, side_mask
from ..views.pages.kinds import Conditions, Grouping
from ..views.pages.opened_run import OpenedRun
from ..views.pages.scores import MatchedRuns, match, means_and_scores, score_filter, score_label
from ..views.pages.select import PAGE
from ..views.tables import p_value
from .links import Links
from .pages import neighbours

CHANGE_SIGNS = {"better": "▲", "same": "=", "worse": "▼"}
DIFFERS = "#differs"
"""The fragment of the page of a pair: the first turn at which the listed slot, or any slot, differs."""
_REASONS = 10
_SHOWN_REASONS = 3


class PairList:
    """The shared rows of two runs that match the parameters of an address, the largest difference first.

    They are rows with another score, or rows with mistakes that have one text of a field, on a side. Invalid parameters are ignored.

    Args:
        matched: the two runs.
        params: the parameters of the address.

    Attributes:
        by: the measure of the list.
        show: the change or the side of the mistakes that is listed; empty for all rows.
        params: the parameters of the address of the list.
        grouping: the field of the listed mistakes; None if scores are listed.
        name: the text of the field.
        filters: further field → text of the listed mistakes, in the run that made them.
        mistakes: number of mistakes of each shared row, in both runs.
        order: indices of shared rows.

    Raises:
        DialmeterError: the runs share no score per row.
    """

    def __init__(self, matched: MatchedRuns, params: Mapping[str, str]) -> None:
        self.matched = matched
        self.first, self.second = matched.first, matched.second
        shared = [name for name in self.first.columns if name in self.second.columns]
        if not shared:
            raise DialmeterError("the two runs have no score per row in common")
        ranking, kind = self.first.ranking, self.first.kind
        self.by = params["by"] if params.get("by") in shared else ranking if ranking in shared else shared[0]
        self.name, self.filters, self.show = "", dict[str, str](), params.get("show", "")
        comparable = matched.comparable(self.by)
        found = next((each for each in kind.GROUPINGS if each.field == params.get("group")), None)
        is_listed = params.get("name") and self.show in SIDES and comparable
        self.grouping: Grouping | None = found if is_listed else None
        if self.grouping:
            self.name = params["name"]
            fields = [each.name for each in kind.FIELDS if each.name != self.grouping.field]
            self.filters = {field: params[field] for field in fields if params.get(field)}
            self.params = {"group": self.grouping.field, "name": self.name, "show": self.show, **self.filters}
            return
        self.show = self.show if self.show in CHANGE_SIGNS and comparable else ""
        self.params = {"by": self.by, **({"show": self.show} if self.show else {})}

    @cached_property
    def mistakes(self) -> list[NDArray[np.int32]]:
        if self.grouping is None:
            return []
        sides = ((self.first, self.matched.first_rows), (self.second, self.matched.second_rows))
        return [mistakes_by_row(run, self.grouping, [self.name])[rows, 0] for run, rows in sides]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        if self.grouping:
            before, after = self.mistakes
            side = next(side for side in SIDES if side == self.show)
            mask, sizes = side_mask(before > 0, after > 0, side) & self._matching({}), np.abs(after - before)
        else:
            old, new = self.matched.columns(self.by)
            sizes = np.abs(new - old)
            mask = self.matched.changes(self.by)[self.show] if self.show else np.isfinite(sizes)
        indices = np.flatnonzero(mask)
        return indices[np.lexsort((indices, -sizes[indices]))]

    @property
    def marked(self) -> dict[str, str]:
        """Field → text of the listed mistakes, which pages of rows mark."""
        return {self.grouping.field: self.name, **self.filters} if self.grouping else {}

    @property
    def mistaken(self) -> tuple[OpenedRun, NDArray[np.int64]]:
        """The run whose mistakes are listed, and the positions of its shared rows."""
        if self.show in ("only-first", "first"):
            return self.first, self.matched.first_rows
        return self.second, self.matched.second_rows

    def _conditions(self, filters: Mapping[str, str]) -> Conditions:
        run, _ = self.mistaken
        texts = {field: (text,) for field, text in {**self.marked, **filters}.items()}
        return {**(self.grouping.mistakes if self.grouping else {}), **run.kind.extra_conditions(run), **texts}

    def _matching(self, filters: Mapping[str, str]) -> NDArray[np.bool_]:
        """The mask of the shared rows with a listed mistake that has all these texts, in the run that made the mistakes."""
        run, positions = self.mistaken
        mask: NDArray[np.bool_] = run.findings.by_row(self._conditions(filters))[positions, 0] > 0
        return mask

    def row_reasons(self, place: int) -> list[tuple[str, ...]]:
        """The distinct mistakes of a shared row, as the texts of the fields that distinguish them."""
        run, positions = self.mistaken
        fields = run.findings.fields
        conditions = [(fields.index(field), texts) for field, texts in self._conditions({}).items()]
        columns = [fields.index(field) for field in self.grouping.reasons] if self.grouping else []
        mistakes = (
            tuple(finding[column] for column in columns)
            for finding in run.findings.of_row(int(positions[place]))
            if all(finding[column] in texts for column, texts in conditions)
        )
        return list(dict.fromkeys(mistakes))

    def reasons(self) -> tuple[list[tuple[tuple[str, ...], int, dict[str, str]]], int]:
        """The most frequent mistakes with the number of their rows and the parameters of their list, and the number of other mistakes."""
        if self.grouping is None:
            return [], 0
        counts: Counter[tuple[str, ...]] = Counter()
        for place in self.order:
            counts.update(self.row_reasons(place))
        ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
        frequent = []
        for reason in ranked[:_REASONS]:
            # An empty text is not a filter.
            texts = {field: text for field, text in zip(self.grouping.reasons, reason, strict=True) if text}
            frequent.append((reason, int(self._matching(texts)[self.order].sum()), {**self.params, **texts}))
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


class Cell(NamedTuple):
    """A cell: its text, classes of the style sheet, address, label of the link, remark, stars, and a bar with its interval.

    The bar and its interval are start and width in percent of the cell. ``is_row`` marks the link to a row, for keys.
    """

    text: str
    css: str = "n"
    href: str = ""
    label: str = ""
    title: str = ""
    mark: str = ""
    bar: tuple[str, str] | None = None
    whisker: tuple[str, str] | None = None
    is_row: bool = False


class Grid(NamedTuple):
    """A table of cells. Headings come with their classes; ``field`` is the field of its groups."""

    title: str
    headings: list[tuple[str, str]]
    rows: list[list[Cell]]
    css: str = ""
    field: str = ""


MOST_RUNS = 12


def compare_field(runs: tuple[OpenedRun, ...], field: str, comparable: tuple[bool, ...]) -> GroupComparison:
    """Compare the mistakes of runs by a field; see :func:`~dialmeter.views.pages.groups.compare_groups`."""
    grouping = next(each for each in runs[0].kind.GROUPINGS if each.field == field)
    return compare_groups(runs, grouping, comparable)


def compare_page(
    runs: Sequence[OpenedRun],
    params: Mapping[str, str],
    links: Links,
    *,
    most: int = PAGE,
    swap: bool = True,
    compare: Callable[[tuple[OpenedRun, ...], str, tuple[bool, ...]], GroupComparison] = compare_field,
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
    lists = [PairList(each, params if len(pairs) == 1 else {}) for each in pairs]
    comparable = [each.comparable(own.by) for each, own in zip(pairs, lists, strict=True)]
    kind, keys = runs[0].kind, [run.key for run in runs]
    chosen = next((each for each in kind.GROUPINGS if each.field == params.get("group")), None)
    groupings = kind.GROUPINGS if links.static else kind.GROUPINGS[:1] if chosen is None else (chosen,)
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
        scores=_score_grids(pairs, links),
        tabs=[
            (
                kind.label(each.field),
                "" if each in groupings else links.compare(keys, {"group": each.field}) + "#groups",
            )
            for each in kind.GROUPINGS
        ]
        if not links.static and len(kind.GROUPINGS) > 1
        else [],
        groups=[_group_grid(runs, compare(tuple(runs), each.field, tuple(comparable)), links) for each in groupings],
        files="" if kind.NAME == "judge" else shlex.join(map(_input_file, runs)),
        listed=_list_parts(lists[0], params, links, most) if len(runs) == 2 else None,
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


def _headings(first: str, runs: Sequence[OpenedRun], *more: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the headings of a table of values: the baseline, and every other run with its difference."""
    part = " part" if len(runs) > 2 else ""
    others = [each for run in runs[1:] for each in ((run.key, f"n{part}"), ("difference", "n"))]
    return [(first, ""), (runs[0].key, "n"), *others, *(more if len(runs) == 2 else ())]


def _css(runs: Sequence[OpenedRun]) -> str:
    return "sticky many" if len(runs) > 4 else "sticky"


def _score_grids(pairs: Sequence[MatchedRuns], links: Links) -> list[Grid]:
    """Return the values of all runs and their differences: first the scores that rows have, then the others."""
    runs = [pairs[0].first, *(each.second for each in pairs)]
    rows = [pairs[0].first_rows, *(each.second_rows for each in pairs)]
    values = [_run_values(run, own) for run, own in zip(runs, rows, strict=True)]
    filters = [{score_label(each): score_filter(run, each) for each in means_and_scores(run)} for run in runs]
    units = runs[0].kind.UNIT[1]
    headings = _headings("measure", runs, (f"{units} better", "n"), ("same", "n"), ("worse", "n"))
    lines: dict[bool, list[list[Cell]]] = {True: [], False: []}
    for name in dict.fromkeys(name for by_name in values for name in by_name):
        cells = [Cell(name)]
        base, has_rows = values[0].get(name), False
        for at, (run, by_name) in enumerate(zip(runs, values, strict=True)):
            value = by_name.get(name)
            params = filters[at].get(name) or ({"by": name} if name in run.columns else {})
            href = "" if value is None else links.rows(run.key, params)
            cells.append(Cell(score(value), "n part" if at and len(runs) > 2 else "n", href))
            if not at:
                continue
            is_known = pairs[at - 1].comparable(name) and base is not None and value is not None
            difference = _format_change(value - base) if is_known else "–"  # type: ignore[operator]
            counts = list(_change_counts(pairs[at - 1], name, links))
            has_rows |= len(counts) > 1
            cells.append(Cell(difference, href=counts[0].href))
            cells += counts[1:] or [counts[0]._replace(href=""), Cell(""), Cell("")] if len(runs) == 2 else []
        lines[has_rows].append(cells)
    per_row, others = lines[True] or lines[False], lines[False] if lines[True] else []
    grids = [
        Grid("Scores of all runs", headings, per_row, _css(runs)),
        Grid("More scores", headings, others, _css(runs)),
    ]
    return grids[: 1 + bool(others)]


def _change_counts(matched: MatchedRuns, name: str, links: Links) -> Iterator[Cell]:
    """Yield a cell that links to all changes, and the numbers of rows that are better, the same or worse; or why there are none."""
    first = matched.first
    if name not in first.columns or name not in matched.second.columns or not matched.comparable(name):
        why = f"no score per {first.kind.UNIT[0]}" if matched.comparable(name) else "not comparable"
        yield Cell(why, "faint")
        return

    def address(**params: str) -> str:
        keys = [first.key, matched.second.key]
        return "" if links.static else links.compare(keys, {"by": name, **params}) + "#list"

    yield Cell("", href=address())
    masks = matched.changes(name)
    for way in CHANGE_SIGNS:
        size = int(masks[way].sum())
        yield Cell(f"{size:,}", href=address(show=way) if size else "", label=f"{size} {way} by {name}")


def _run_values(run: OpenedRun, rows: NDArray[np.int64]) -> dict[str, float | None]:
    """Return the scores of a run, and the mean over rows of the scores that only rows have."""
    values: dict[str, float | None] = {score_label(each): each.get("value") for each in means_and_scores(run)}
    for name, column in run.columns.items():
        scored = column[rows][np.isfinite(column[rows])]
        values.setdefault(name, float(scored.mean()) if len(scored) else None)
    return values


def _format_change(value: float | None) -> str:
    return "–" if value is None or not isfinite(value) else f"{100 * value:+.2f}".replace("-", "−")


def _group_grid(runs: Sequence[OpenedRun], compared: GroupComparison, links: Links) -> dict[str, Any]:
    """Return the comparison by one field, with its table; all its bars have the same scale."""
    ends = [
        abs(end)
        for line in compared.lines
        for each in line.versus
        if each is not None and each.difference is not None
        for end in (each.difference, *(each.ci or ()))
    ]
    scale = max(ends, default=0.0) or 1.0
    limit, label = f"{100 * scale:.3g}", runs[0].kind.label(compared.grouping.field)
    one, two = runs[0].key, runs[1].key
    headings = _headings(
        label,
        runs,
        (f"from −{limit} to +{limit}", "scale"),
        ("interval", "n"),
        ("p (Holm)", "n"),
        (f"{one} right, {two} wrong", "n wrap"),
        (f"{one} wrong, {two} right", "n wrap"),
        ("both wrong", "n wrap"),
    )
    rows = [_group_cells(runs, compared.grouping, line, scale, links) for line in compared.lines]
    title = f"Differences by {label}"
    return {
        "compared": compared,
        "title": f"{title}: {compared.grouping.value}",
        "scale": limit,
        "grid": Grid(title, headings, rows, _css(runs), compared.grouping.field),
    }


def _group_cells(
    runs: Sequence[OpenedRun], grouping: Grouping, line: GroupLine, scale: float, links: Links
) -> list[Cell]:
    def address(other: int, side: str, size: int) -> str:
        # Runs that are not comparable have no list of differences.
        if links.static or not size or line.versus[other] is None:
            return ""
        params = {"group": grouping.field, "name": line.name, "show": side}
        return links.compare([runs[0].key, runs[other + 1].key], params) + "#list"

    def value(at: int, css: str = "n") -> Cell:
        href = address(max(0, at - 1), "second" if at else "first", line.mistakes[at])
        return Cell(score(line.rates[at]), css, href, title=f"mistakes: {line.mistakes[at]:,}")

    two = len(runs) == 2
    cells = [Cell(line.name), value(0)]
    for at, (each, sides) in enumerate(zip(line.versus, line.rows, strict=True)):
        difference, ci, p = (each.difference, each.ci, each.p_holm) if each is not None else (None, None, None)
        side: Sides = "only-first" if (difference or 0) < 0 else "only-second"
        side = side if sides[side] else next((each_side for each_side in SIDES if sides[each_side]), side)
        way = "worse" if (difference or 0) > 0 else "better" if (difference or 0) < 0 else ""
        bar = _bar_position(0.0, difference, scale) if difference else None
        drawn = Cell("", "scale", bar=bar, whisker=_bar_position(*ci, scale) if ci else None)
        number = Cell(_format_change(difference), f"n {way}", address(at, side, sides[side]))
        cells[0] = cells[0] if at else Cell(line.name, href=number.href)
        cells.append(value(at + 1, "n" if two else "n part"))
        if not two:
            cells.append(number._replace(mark=stars(p, 2), bar=drawn.bar, whisker=drawn.whisker))
            continue
        why = "not comparable" if each is None else each.reason
        cells += [number, drawn, Cell(" to ".join(map(_format_change, ci)) if ci else "–")]
        cells.append(Cell(why, "n faint") if why else Cell(p_value(p)))
        shown: tuple[Sides, ...] = ("only-second", "only-first", "both")
        cells += [Cell(f"{sides[side]:,}", href=address(at, side, sides[side])) for side in shown]
    return cells


def _bar_position(low: float, high: float, scale: float) -> tuple[str, str]:
    """Return the start and width of a bar in percent of the cell; zero is in the middle."""
    start, end = sorted(50 + 50 * each / scale for each in (low, high))
    return f"{start:.2f}", f"{end - start:.2f}"


def _list_parts(listed: PairList, params: Mapping[str, str], links: Links, most: int) -> dict[str, Any]:
    """Return the template variables of the list of rows: what it lists, the frequent mistakes, and one page of rows."""
    first, keys, grouping = listed.first, [listed.first.key, listed.second.key], listed.grouping
    units = first.kind.UNIT[1]
    pages = max(1, -(-len(listed.order) // most))
    text = params.get("page", "1")
    number = min(max(1, int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 1), pages)
    frequent, more = listed.reasons()
    mistaken = listed.mistaken[0].key

    def address(**changes: str) -> str:
        changed = {name: text for name, text in {**listed.params, **changes}.items() if text}
        return links.compare(keys, changed) + "#list"

    mistakes = ", mistakes" if grouping else ""
    headings = [(first.kind.UNIT[0], ""), *((f"{key}{mistakes}", "n") for key in keys), ("change", "n")]
    headings += [(f"mistakes of {mistaken}", "")] if grouping else []
    reason_rows = [
        [*(Cell(text or "(none)", "") for text in texts), Cell(f"{rows:,}", href=links.compare(keys, own) + "#list")]
        for texts, rows, own in frequent
    ]
    reason_headings = [*((first.kind.label(field), "") for field in grouping.reasons), (units, "n")] if grouping else []
    places = listed.order[(number - 1) * most : number * most]
    return {
        "listed": listed,
        "field": first.kind.label(grouping.field) if grouping else "",
        "everything": links.compare(keys, {"by": listed.by}) + "#list" if listed.show and not links.static else "",
        "chips": [
            (describe_texts(first, [field], [text]), address(**{field: ""})) for field, text in listed.filters.items()
        ],
        "reasons": Grid(f"Mistakes of {mistaken}", reason_headings, reason_rows),
        "more": more,
        "pairs": Grid(f"List of {units}", headings, [_pair_cells(listed, int(each), links) for each in places], "list"),
        "page": number,
        "pages": 1 if links.static else pages,
        "before": address(page=str(number - 1)) if number > 1 else "",
        "after": address(page=str(number + 1)) if number < pages else "",
    }


def _pair_cells(listed: PairList, place: int, links: Links) -> list[Cell]:
    matched, first, by = listed.matched, listed.first, listed.by
    row = int(matched.first_rows[place])
    way, change, what = "", "–", []
    if listed.grouping is not None:
        reasons = listed.row_reasons(place)
        texts = "; ".join(describe_texts(first, listed.grouping.reasons, each) for each in reasons[:_SHOWN_REASONS])
        what = [Cell(texts + (" …" if len(reasons) > _SHOWN_REASONS else ""), "talk")]
        before, after = (int(counts[place]) for counts in listed.mistakes)
        values = [str(before), str(after)]
        way = "worse" if after > before else "better" if after < before else "same"
        change = f"{after - before:+d}".replace("-", "−")
    else:
        old, new = (float(column[place]) for column in matched.columns(by))
        values = [first.kind.cell(by, value) for value in (old, new)]
        if matched.comparable(by):
            way = next(way for way, mask in matched.changes(by).items() if mask[place])
            change = _format_change(new - old)
    href = links.pair([first.key, listed.second.key], row, listed.params) + DIFFERS
    name = Cell(first.findings.ids[row], "", href, is_row=True)
    return [name, *map(Cell, values), Cell(f"{CHANGE_SIGNS.get(way, '')} {change}", f"n {way}"), *what]


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
    listed = PairList(matched, params)

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
        name=first.kind.NAME,
        shown=first.kind.pair(*rows, listed.marked),
    )
