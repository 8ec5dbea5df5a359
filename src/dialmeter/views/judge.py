"""Judges under attack, their explanations and their training as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..core.account import format_accounts
from ..errors import one_line
from ..judges.attack_statistics import Yield
from ..judges.cases import Case, case_id
from ..judges.compare import JudgeComparison, PositionBias
from ..judges.explanation.explain import CaseExplained, Importance
from ..judges.matrix import CONTROL, OUTSIDE, ErrorCell
from ..judges.published.printed import ATTACKS
from ..judges.published.stored import PublishedCell
from ..judges.result import JudgeResult
from ..judges.validity.reading import AttackValidity
from ..judges.verdict import READING
from .chart_files import Chart, chart, slug
from .charts import bars
from .charts.data import Estimate
from .markdown_page import markdown_page
from .tables import Table, decimals, interval, percent

if TYPE_CHECKING:
    from ..judges.train.ratings import Quality
    from ..judges.train.satisfaction import Trained

_TEXT = 70


def matrix_tables(result: JudgeResult, *, intervals: bool = False) -> list[Table]:
    """One table per corpus: attacks down, judges across, then the means by facet.

    A mark ° follows a judge that gives every reply the same score. A number in brackets is the judge's own n, where it
    scored fewer cases than the row has. The accounts of the judges are below the last table.

    Args:
        result: what was scored.
        intervals: give the interval of every error rate, in whole percent.
    """
    tables = [
        _matrix_table(result, corpus, intervals) for corpus in dict.fromkeys(cell.corpus for cell in result.cells)
    ]
    return [*tables[:-1], replace(tables[-1], foot=(*format_accounts(result.accounts), *_why_no_value(result)))]


def _why_no_value(result: JudgeResult) -> Iterator[str]:
    """A line for each judge and reason of cells without a score; accounts have the other reasons."""
    attacks: dict[tuple[str, str], list[str]] = {}
    for cell in result.cells:
        if not cell.n and cell.reason != OUTSIDE:
            attacks.setdefault((cell.judge, cell.reason), []).append(cell.attack)
    for (judge, reason), names in attacks.items():
        is_column = len(names) == sum(cell.judge == judge for cell in result.cells)
        where = "" if is_column else f" ({', '.join(dict.fromkeys(names))})"
        yield f"{one_line(judge, 60)} –{where}: {reason}"


def _matrix_table(result: JudgeResult, corpus: str, intervals: bool) -> Table:
    cells = [cell for cell in result.cells if cell.corpus == corpus]
    names = [judge.name for judge in result.judges]
    same = {cell.judge for cell in cells if cell.degenerate}
    by_attack: dict[str, dict[str, ErrorCell]] = {}
    for cell in cells:
        by_attack.setdefault(cell.attack, {})[cell.judge] = cell
    rows = [
        (
            attack,
            reading(next(iter(found.values()))),
            str(cases),
            *(_rate(found[name], cases, intervals) for name in names),
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
    bias = {each.judge: each for each in result.position_bias if each.corpus == corpus}
    if bias:
        rows.append(("inconsistent pairs", "", "", *(_bias(bias[name]) if name in bias else "" for name in names)))
    title = f"error rates in percent, corpus {corpus or '(unnamed)'}"
    headings = ("attack", "the score", "cases", *(f"{name}°" if name in same else name for name in names))
    return Table(title, headings, tuple(rows), frozenset(range(2, len(headings))))


def reading(cell: ErrorCell) -> str:
    """What an ideal judge's score does, in words."""
    return " or ".join(READING[each] for each in cell.expected.split(" or "))


def _rate(cell: ErrorCell, cases: int, intervals: bool) -> str:
    """An error rate, with the judge's own number of cases where it is not that of the row."""
    if cell.value is None:
        return "" if cell.reason == OUTSIDE else "–"
    ends = f" [{100 * cell.ci[0]:.0f}, {100 * cell.ci[1]:.0f}]" if intervals and cell.ci else ""
    return f"{100 * cell.value:.1f}{ends}" + ("" if cell.n == cases else f" ({cell.n})")


def _bias(found: PositionBias) -> str:
    """The share of pairs whose answer changes with the order, with its interval."""
    ends = f" [{100 * found.ci[0]:.1f}, {100 * found.ci[1]:.1f}]" if found.ci else ""
    return "–" if found.value is None else f"{100 * found.value:.1f}{ends}"


def _blank(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def detail_table(result: JudgeResult) -> Table:
    """One row per cell that has a value and is not of a trivial judge: counts, intervals, shares, the mean difference."""
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
        if cell.judge == judge.name and cell.value is not None and not cell.trivial
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
            str(each.n) if each.n == each.cases else f"{each.n} of {each.cases}",
            percent(each.error),
            percent(each.other_error),
            str(each.only_judge),
            str(each.only_other),
            f"{each.p:.4f}",
            f"{each.p_holm:.4f}",
        )
        for each in compared
    )
    headings = (
        *("corpus", "attack", "judge", "other", "common cases", "error", "other's error"),
        *("only judge right", "only other right", "p", "p (Holm)"),
    )
    title = "comparison with the first judge on the cases that both scored (McNemar)"
    return Table(title, headings, rows, frozenset(range(4, 11)))


def failing_table(result: JudgeResult, judge: str, most: int) -> Table:
    """The clearest cases in which a judge did not do what an ideal one does."""
    numbers = [number for number in result.failing(judge) if result.cases[number].attack != CONTROL][:most]
    rows = []
    for number in numbers:
        case, pair = result.cases[number], result.scored.pairs[judge][number]
        rows.append(
            (
                case_id(case),
                f"… {one_line(case.context[-1].text, _TEXT)}",
                one_line(case.reply, _TEXT),
                _number(pair.human),
                one_line(case.adversarial, _TEXT),
                _number(pair.adversarial),
            )
        )
    headings = ("case", "before", "human reply", "score", "adversarial reply", "its score")
    return Table(f"where {judge} fails most clearly", headings, tuple(rows), frozenset({3, 5}))


def markdown_report(name: str, result: JudgeResult) -> str:
    """A run in one page of Markdown."""
    named = [judge.name for judge in result.judges if not judge.trivial]
    counts = result.counts
    head = f"{counts['cases']} cases, {counts['attacks']} attacks, {counts['judges']} judges."
    settings = f"Threshold {result.how.threshold}, verdict rules {result.how.verdict}."
    failing = [failing_table(result, judge, 10) for judge in named if result.failing(judge)]
    details = [detail_table(result), *failing]
    return markdown_page(name, f"{head} {settings}", matrix_tables(result), result.notices, details)


def error_charts(result: JudgeResult) -> Iterator[Chart]:
    """Error rates by attack, a bar per judge, one chart per corpus."""
    for corpus in dict.fromkeys(cell.corpus for cell in result.cells):
        scores: dict[str, dict[str, Estimate]] = {}
        for cell in result.cells:
            if cell.corpus == corpus and cell.value is not None:
                scores.setdefault(cell.judge, {})[cell.attack] = Estimate(cell.value, *(cell.ci or ()))
        title = f"Judges under attack, corpus {corpus or '(unnamed)'}"
        name = f"errors-{slug(corpus)}" if corpus else "errors"
        yield chart(name, title, bars.draw, bars.table, scores, y_label="error rate in percent")


_IMPORTANCE = {
    ("changed", "sum"): "sum over changed words",
    ("changed", "mean"): "mean per changed word",
    ("all", "sum"): "sum over all words",
    ("all", "mean"): "mean per word",
}


def importance_table(judge: str, found: Sequence[Importance]) -> Table:
    """Per attack, how much weight adversarial words get relative to human ones: above 1 is more."""
    cells = {(each.attack, each.words, each.how): each for each in found}
    attacks = list(dict.fromkeys(each.attack for each in found))
    rows = tuple(
        (attack, str(cells[attack, "all", "sum"].cases), *(decimals(cells[attack, *key].ratio) for key in _IMPORTANCE))
        for attack in attacks
    )
    title = f"weight that {judge} puts on adversarial words, as a ratio to human ones"
    return Table(title, ("attack", "cases", *_IMPORTANCE.values()), rows, frozenset(range(1, 6)))


def words_table(case: Case, found: CaseExplained) -> Table:
    """The words of both replies of a case, those that differ marked with a star."""
    rows: list[tuple[str, ...]] = []
    marks = {}
    for reply, side in (("human", found.human), ("adversarial", found.adversarial)):
        for word, value, changed in zip(side.words, side.values, side.changed, strict=True):
            if changed:
                marks[len(rows), 1] = "*"
            rows.append((reply, word, f"{value:+.4g}"))
        rows.append((reply, "(base)", f"{side.base:+.4g}"))
        rows.append((reply, "(score)", f"{side.score:+.4g}"))
    return Table(case_id(case), ("reply", "word", "value"), tuple(rows), frozenset({2}), marks)


def explain_charts(
    judge: str, cases: Sequence[Case], found: Sequence[CaseExplained], ratios: Sequence[Importance], most: int
) -> Iterator[Chart]:
    """The ratio per attack, and the words of the first cases of each attack."""
    scores: dict[str, dict[str, Estimate]] = {
        title: {
            each.attack: Estimate(each.ratio)
            for each in ratios
            if (each.words, each.how) == key and each.ratio is not None
        }
        for key, title in _IMPORTANCE.items()
    }
    title = f"Weight that {judge} puts on adversarial words"
    label = "adversarial ÷ human, 1 is the same"
    yield chart("importance", title, bars.draw, bars.table, scores, y_label=label, as_percent=False)
    for attack in dict.fromkeys(each.attack for each in found):
        for each in [each for each in found if each.attack == attack][:most]:
            name = case_id(cases[each.case])
            sides = [bars.ReplyWords(side.words, side.values, side.changed) for side in (each.human, each.adversarial)]
            yield chart(f"words-{slug(name)}", f"{judge}, {name}", bars.draw_words, bars.words_table, *sides)


_QUALITIES = ("accuracy", "uar", "macro_f1", "spearman")


def training_table(found: Sequence[Trained], majority: Quality) -> Table:
    """A row per seed, their mean, and the most frequent class to compare with."""
    rows = [(f"seed {each.seed}", *(decimals(getattr(each.test, name)) for name in _QUALITIES)) for each in found]
    if len(found) > 1:
        means = [[getattr(each.test, name) for each in found] for name in _QUALITIES]
        whole = [None if None in values else fmean(values) for values in means]
        rows.append((f"mean of {len(found)} seeds", *map(decimals, whole)))
    rows.append(("most frequent class", *(decimals(getattr(majority, name)) for name in _QUALITIES)))
    headings = ("", "accuracy", "UAR", "macro F1", "Spearman")
    return Table(f"{majority.n} ratings held out", headings, tuple(rows), frozenset({1, 2, 3, 4}))


def yield_table(yields: Sequence[Yield]) -> Table:
    """One row per attack: tried, made, rejected, by variant, and why the rest was not made.

    Example:
        >>> yield_table([Yield("pronoun", 3, 2, {"person": 2}, {"no pronoun": 1})]).rows
        (('pronoun', '3', '2', '1', 'person 2', 'no pronoun 1'),)
    """
    rows = tuple(
        (
            each.attack,
            str(each.tried),
            str(each.made),
            str(each.rejected),
            ", ".join(f"{variant} {count}" for variant, count in each.by_variant.items()),
            "; ".join([f"{reason} {count}" for reason, count in each.why.items()])
            if each.tried
            else "; ".join(dict.fromkeys(each.skipped.values())),
        )
        for each in yields
    )
    headings = ("attack", "tried", "made", "rejected", "variants", "why")
    return Table("", headings, rows, frozenset({1, 2, 3}))


def validity_table(found: Sequence[AttackValidity]) -> Table:
    """One row per attack and corpus, and one for all."""
    rows = tuple(
        (
            each.attack,
            each.corpus,
            str(each.read),
            str(each.valid),
            str(each.weak),
            str(each.invalid),
            percent(each.share),
            interval(each.ci) or "–",
            f"{each.wrong_senses} of {each.senses}" if each.senses else "–",
        )
        for each in found
    )
    headings = ("attack", "corpus", "read", "valid", "weak", "invalid", "% valid", "interval", "wrong sense")
    return Table("", headings, rows, frozenset({2, 3, 4, 5, 6}))


def published_tables(cells: Sequence[PublishedCell]) -> Iterator[Table]:
    """The tables of the paper on attacks: recomputed and, in brackets, printed error rates.

    A star marks a cell for which several files fit, and ~ one in which cases without a change are taken out by their share.
    """
    for table, attacks in ATTACKS.items():
        rows: dict[tuple[str, str], dict[str, str]] = {}
        for cell in cells:
            if cell.table == table:
                rows.setdefault((cell.metric, cell.data), {})[cell.attack] = _published(cell)
        shown = tuple((metric, data, *(own[attack] for attack in attacks)) for (metric, data), own in rows.items())
        headings = ("metric", "data", *attacks)
        title = f"Table {table}: error rates, recomputed (printed)"
        yield Table(title, headings, shown, frozenset(range(2, len(headings))))


def _published(cell: PublishedCell) -> str:
    many = "*" if len(cell.candidates) > 1 else ""
    rates = [cell.value] if cell.value is not None else sorted(set(cell.candidates.values()))
    about = "" if cell.is_exact else "~"
    found = "/".join(f"{about}{rate:.2f}" for rate in rates) or "–"
    return f"{found}{many} ({cell.printed:.2f})"
