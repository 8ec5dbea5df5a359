"""Judges under attack as tables and as a short Markdown report."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..core.account import lines
from ..judges.cases import case_id
from ..judges.compare import JudgeComparison
from ..judges.matrix import CONTROL, OUTSIDE, Cell
from ..judges.result import JudgeResult
from ..judges.verdict import READING
from .markdown_page import markdown_page
from .tables import Table, interval, percent

_TEXT = 70


def matrix_tables(result: JudgeResult) -> list[Table]:
    """One table per corpus: attacks down, judges across, then the means by facet.

    A mark ° stands behind a judge that gives every reply the same score. A number in brackets is the judge's own n, where it
    scored fewer cases than the row has. The accounts of the judges are below the last table.
    """
    tables = [_matrix_table(result, corpus) for corpus in dict.fromkeys(cell.corpus for cell in result.cells)]
    return [*tables[:-1], replace(tables[-1], foot=tuple(lines(result.accounts)))]


def _matrix_table(result: JudgeResult, corpus: str) -> Table:
    cells = [cell for cell in result.cells if cell.corpus == corpus]
    names = [judge.name for judge in result.judges]
    same = {cell.judge for cell in cells if cell.degenerate}
    by_attack: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        by_attack.setdefault(cell.attack, {})[cell.judge] = cell
    rows = [
        (
            attack,
            reading(next(iter(found.values()))),
            str(cases),
            *(_rate(found[name], cases) for name in names),
        )
        for attack, found in by_attack.items()
        for cases in [len(next(iter(found.values())).outcomes)]
    ]
    averages = {(each.facet, each.judge): each for each in result.averages if each.corpus == corpus}
    facets = [
        facet
        for facet in dict.fromkeys(facet for facet, _ in averages)
        if any(averages[facet, name].value is not None for name in names)
    ]
    rows += [(f"mean: {facet}", "", "", *(_blank(averages[facet, name].value) for name in names)) for facet in facets]
    title = f"error rates in percent, corpus {corpus or '(unnamed)'}"
    headings = ("attack", "the score", "cases", *(f"{name}°" if name in same else name for name in names))
    return Table(title, headings, tuple(rows), frozenset(range(2, len(headings))))


def reading(cell: Cell) -> str:
    """What an ideal judge's score does, in words."""
    return " or ".join(READING[each] for each in cell.expected.split(" or "))


def _rate(cell: Cell, cases: int) -> str:
    """An error rate, with the judge's own number of cases where it is not that of the row."""
    if cell.value is None:
        return "" if cell.reason == OUTSIDE else "–"
    return f"{100 * cell.value:.1f}" + ("" if cell.n == cases else f" ({cell.n})")


def _blank(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def detail_table(result: JudgeResult, *, everything: bool = False) -> Table:
    """One row per cell that has a value: counts, intervals, shares, the mean difference.

    Args:
        result: what was scored.
        everything: the trivial judges and empty cells too, for machines.
    """
    rows = tuple(
        (
            cell.judge,
            cell.attack,
            cell.corpus,
            reading(cell),
            str(cell.n),
            str(cell.unscored or ""),
            percent(cell.value),
            interval(cell.ci),
            *map(percent, (cell.higher, cell.similar, cell.lower)),
            _number(cell.difference),
            _limits(cell.difference_ci),
            _number(cell.threshold),
        )
        for judge in result.judges
        for cell in result.cells
        if cell.judge == judge.name and (everything or (cell.value is not None and not cell.trivial))
    )
    headings = (
        *("judge", "attack", "corpus", "the score", "n", "unscored", "error", "interval"),
        *("higher", "similar", "lower", "mean difference", "its interval", "threshold"),
    )
    title = "human reply rated higher, similar or lower; positive differences favour the human reply"
    return Table(title, headings, rows, frozenset(range(4, len(headings))))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _limits(limits: tuple[float, float] | None) -> str:
    return "" if limits is None else f"{limits[0]:.3g} to {limits[1]:.3g}"


def comparison_table(compared: Sequence[JudgeComparison]) -> Table:
    """Which judges differ from the first one after Holm's correction; a row per test."""
    rows = tuple(
        (
            each.corpus,
            each.attack,
            each.judge,
            each.other,
            str(each.n),
            str(each.only_judge),
            str(each.only_other),
            f"{each.p:.4f}",
            f"{each.p_holm:.4f}",
        )
        for each in compared
    )
    headings = ("corpus", "attack", "judge", "other", "n", "only judge right", "only other right", "p", "p (Holm)")
    return Table("comparison with the first judge (McNemar)", headings, rows, frozenset(range(4, 9)))


def failing_table(result: JudgeResult, judge: str, most: int) -> Table:
    """The clearest cases in which a judge did not do what an ideal one does."""
    numbers = [number for number in result.failing(judge) if result.cases[number].attack != CONTROL][:most]
    rows = []
    for number in numbers:
        case, pair = result.cases[number], result.scored.pairs[judge][number]
        rows.append(
            (
                case_id(case),
                f"… {_short(case.context[-1].text)}",
                _short(case.reply),
                _number(pair.human),
                _short(case.adversarial),
                _number(pair.adversarial),
            )
        )
    headings = ("case", "before", "human reply", "score", "adversarial reply", "its score")
    return Table(f"where {judge} fails most clearly", headings, tuple(rows), frozenset({3, 5}))


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


def markdown_report(name: str, result: JudgeResult) -> str:
    """A run in one page of Markdown."""
    named = [judge.name for judge in result.judges if not judge.trivial]
    counts = result.counts
    head = f"{counts['cases']} cases, {counts['attacks']} attacks, {counts['judges']} judges."
    settings = f"Threshold {result.how.threshold}, verdict rules {result.how.verdict}."
    failing = [failing_table(result, judge, 10) for judge in named if result.failing(judge)]
    details = [detail_table(result), *failing]
    return markdown_page(name, f"{head} {settings}", matrix_tables(result), result.notices, details)
