"""Tables, charts and a short Markdown report of judges under attack, of their explanations and of their training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from ..core.account import format_accounts
from ..errors import one_line
from ..judges.attack_run import Yield
from ..judges.cases import READING, Case, case_id
from ..judges.explanation import CaseExplained, Importance
from ..judges.matrix import CONTROL, OUTSIDE, ErrorCell
from ..judges.result import JudgeComparison, JudgeResult, PositionBias
from ..judges.validity import AttackValidity
from .chart_files import Chart, slug
from .charts.bars import BARS, WORDS
from .charts.data import grouped, point
from .tables import (
    Table,
    decimals,
    grid_of,
    interval,
    table_of,
)

if TYPE_CHECKING:
    from ..judges.train.ratings import Quality, Trained

_TEXT = 70


def matrix_tables(result: JudgeResult, *, intervals: bool = False) -> list[Table]:
    """Return one table per corpus, with attacks as rows and judges as columns, and the means by facet as last rows.

    A mark ° follows the name of a judge that gives every reply the same score. A number in brackets is the number of cases
    that the judge scored, if it is less than the number of cases in the row. The accounts of the judges are below the last table.
    ``intervals`` shows the interval of every error rate, in whole percent.
    """
    tables = [
        _matrix_table(result, corpus, intervals) for corpus in dict.fromkeys(cell.corpus for cell in result.scores)
    ]
    return [*tables[:-1], replace(tables[-1], foot=(*format_accounts(result.accounts), *_missing_value_lines(result)))]


def _missing_value_lines(result: JudgeResult) -> Iterator[str]:
    """Yield a line per judge and reason for cells without any score; the accounts have the other reasons."""
    attacks: dict[tuple[str, str], list[str]] = {}
    for cell in result.scores:
        if not cell.n and cell.reason != OUTSIDE:
            attacks.setdefault((cell.judge, cell.reason), []).append(cell.attack)
    for (judge, reason), names in attacks.items():
        is_column = len(names) == sum(cell.judge == judge for cell in result.scores)
        attacks_note = "" if is_column else f" ({', '.join(dict.fromkeys(names))})"
        yield f"{one_line(judge, 60)} –{attacks_note}: {reason}"


def _matrix_table(result: JudgeResult, corpus: str, intervals: bool) -> Table:
    names = [judge.name for judge in result.judges]
    cells = [cell for cell in result.scores if cell.corpus == corpus]
    # The cells of an attack are together, in the order of the judges.
    lines = [cells[at : at + len(names)] for at in range(0, len(cells), len(names))]
    rows = [
        (
            line[0].attack,
            expected_score(line[0]),
            str(len(line[0].outcomes)),
            *(_error_cell(each, intervals) for each in line),
        )
        for line in lines
    ]
    for facet in dict.fromkeys(each.facet for each in result.averages):
        means = [each.value for each in result.averages if (each.corpus, each.facet) == (corpus, facet)]
        if any(mean is not None for mean in means):
            rows.append((f"mean: {facet}", "", "", *("" if mean is None else f"{100 * mean:.1f}" for mean in means)))
    bias = {each.judge: _bias_cell(each) for each in result.position_bias if each.corpus == corpus}
    if bias:
        rows.append(("inconsistent pairs", "", "", *(bias.get(name, "") for name in names)))
    title = f"error rates in percent, corpus {corpus or '(unnamed)'}"
    headings = (
        "attack",
        "the score",
        "cases",
        *(f"{cell.judge}°" if cell.degenerate else cell.judge for cell in lines[0]),
    )
    return Table(title, headings, tuple(rows), frozenset(range(2, len(headings))))


def expected_score(cell: ErrorCell) -> str:
    """Return the expected score of an ideal judge, in words."""
    return " or ".join(READING[each] for each in cell.expected.split(" or "))


def _error_cell(cell: ErrorCell, intervals: bool) -> str:
    """Format an error rate; with the judge's number of cases if it is not that of the row."""
    if cell.value is None:
        return "" if cell.reason == OUTSIDE else "–"
    ends = f" [{100 * cell.ci[0]:.0f}, {100 * cell.ci[1]:.0f}]" if intervals and cell.ci else ""
    return f"{100 * cell.value:.1f}{ends}" + (f" ({cell.n})" if cell.unscored else "")


def _bias_cell(bias: PositionBias) -> str:
    """Format the share of pairs whose answer depends on the order, with its interval."""
    ends = f" [{100 * bias.ci[0]:.1f}, {100 * bias.ci[1]:.1f}]" if bias.ci else ""
    return "–" if bias.value is None else f"{100 * bias.value:.1f}{ends}"


def detail_table(result: JudgeResult) -> Table:
    """Return one row per cell with a value: counts, intervals, shares, the mean difference. Trivial judges are excluded."""
    return table_of(
        "human reply rated higher, similar or lower; positive differences favour the human reply",
        [
            cell
            for judge in result.judges
            for cell in result.scores
            if cell.judge == judge.name and cell.value is not None and not cell.trivial
        ],
        "<judge | <attack | <corpus",
        ("<the score", expected_score),
        "n | unscored:count | error=value:percent",
        ("interval", lambda each: interval(each.ci, each.ci_reason)),
        "higher:percent | similar:percent | lower:percent | mean difference=difference:number",
        ("its interval", lambda each: _format_interval(each.difference_ci)),
        "threshold:number",
    )


def _format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _format_interval(limits: tuple[float, float] | None) -> str:
    return "" if limits is None else f"{limits[0]:.3g} to {limits[1]:.3g}"


def comparison_table(compared: Sequence[JudgeComparison]) -> Table:
    """Return the comparisons of judges with the first judge, with p values after Holm's correction; one row per test."""
    return table_of(
        "comparison with the first judge on the cases that both scored (McNemar)",
        compared,
        "<corpus | <attack | <judge | <other",
        ("common cases", lambda each: each.n if each.n == each.cases else f"{each.n} of {each.cases}"),
        "error:percent | other's error=other_error:percent | only judge right=only_judge | only other right=only_other",
        "p:p | p (Holm)=p_holm:p | <other is=verdict",
    )


def failing_table(result: JudgeResult, judge: str, most: int) -> Table:
    """Return the clearest cases in which a judge does not behave like an ideal judge."""
    numbers = [number for number in result.failing(judge) if result.cases[number].attack != CONTROL][:most]
    return table_of(
        f"clearest failures of {judge}",
        [(result.cases[number], result.scored.pairs[judge][number]) for number in numbers],
        ("<case", lambda each: case_id(each[0])),
        ("<before", lambda each: f"… {one_line(each[0].context[-1].text, _TEXT)}"),
        ("<human reply", lambda each: one_line(each[0].reply, _TEXT)),
        ("score", lambda each: _format_number(each[1].human)),
        ("<adversarial reply", lambda each: one_line(each[0].adversarial, _TEXT)),
        ("its score", lambda each: _format_number(each[1].adversarial)),
    )


def error_charts(result: JudgeResult) -> Iterator[Chart]:
    """Yield one chart per corpus: error rates by attack, one bar per judge."""
    for corpus in dict.fromkeys(cell.corpus for cell in result.scores):
        rows = [
            (cell.judge, cell.attack, *point(cell.value, cell.ci))
            for cell in grouped(result.scores, lambda cell: cell.judge)
            if cell.corpus == corpus and cell.value is not None
        ]
        title = f"Judges under attack, corpus {corpus or '(unnamed)'}"
        name = f"errors-{slug(corpus)}" if corpus else "errors"
        yield Chart(name, title, BARS, rows, y_label="error rate in percent")


_IMPORTANCE = {
    ("changed", "sum"): "sum over changed words",
    ("changed", "mean"): "mean per changed word",
    ("all", "sum"): "sum over all words",
    ("all", "mean"): "mean per word",
}


def importance_table(judge: str, importances: Sequence[Importance]) -> Table:
    """Return per attack the weight of adversarial words relative to human words; above 1 is more."""
    cells = {(each.attack, each.words, each.how): each for each in importances}
    return table_of(
        f"weight that {judge} puts on adversarial words, as a ratio to human ones",
        dict.fromkeys(each.attack for each in importances),
        ("<attack", str),
        ("cases", lambda attack: cells[attack, "all", "sum"].n),
        *((words, lambda attack, key=key: decimals(cells[attack, *key].value)) for key, words in _IMPORTANCE.items()),
    )


def words_table(explained: CaseExplained) -> Table:
    """Return the words of both replies of a case; words that differ have a star."""
    rows: list[tuple[str, ...]] = []
    marks = {}
    for reply, side in (("human", explained.human), ("adversarial", explained.adversarial)):
        for word, value, changed in zip(side.words, side.values, side.changed, strict=True):
            if changed:
                marks[len(rows), 1] = "*"
            rows.append((reply, word, f"{value:+.4g}"))
        rows.append((reply, "(base)", f"{side.base:+.4g}"))
        rows.append((reply, "(score)", f"{side.score:+.4g}"))
    return Table(explained.case, ("reply", "word", "value"), tuple(rows), frozenset({2}), marks)


def explain_charts(judge: str, explained: Sequence[CaseExplained], ratios: Sequence[Importance]) -> Iterator[Chart]:
    """Yield a chart of the ratios per attack, and a chart of the words in the first case of each attack."""
    rows = [
        (title, each.attack, each.value, None, None)
        for key, title in _IMPORTANCE.items()
        for each in ratios
        if (each.words, each.how) == key and each.value is not None
    ]
    title = f"Weight that {judge} puts on adversarial words"
    label = "adversarial ÷ human, 1 is the same"
    yield Chart("importance", title, BARS, rows, y_label=label, as_percent=False)
    for each in first_by_attack(explained):
        words: list[tuple[Any, ...]] = [
            (reply, place, word, value, "yes" if changed else "")
            for reply, side in (("human", each.human), ("adversarial", each.adversarial))
            for place, (word, value, changed) in enumerate(zip(side.words, side.values, side.changed, strict=True), 1)
        ]
        yield Chart(f"words-{slug(each.case)}", f"{judge}, {each.case}", WORDS, words)


def first_by_attack(explained: Sequence[CaseExplained]) -> list[CaseExplained]:
    """Return the first case of each attack, whose words are printed and drawn."""
    firsts: dict[str, CaseExplained] = {}
    for each in explained:
        firsts.setdefault(each.attack, each)
    return list(firsts.values())


_QUALITIES = ("accuracy", "uar", "macro_f1", "spearman")


def training_table(judges: Sequence[Trained], majority: Quality) -> Table:
    """Return one row per seed, their mean, and the most frequent class as a baseline."""
    rows = {f"seed {each.seed}": asdict(each.test) for each in judges}
    if len(judges) > 1:
        by_quality = {name: [row[name] for row in rows.values()] for name in _QUALITIES}
        means = {name: None if None in values else fmean(values) for name, values in by_quality.items()}
        rows[f"mean of {len(judges)} seeds"] = means
    rows["most frequent class"] = asdict(majority)
    table = grid_of(f"{majority.n} ratings held out", rows, "", _QUALITIES, "decimals")
    return replace(table, headings=("", "accuracy", "UAR", "macro F1", "Spearman"))


def yield_table(yields: Sequence[Yield]) -> Table:
    """Return one row per attack: cases tried, made and rejected, counts by variant, and the reasons of failures.

    Example:
        >>> yield_table([Yield("pronoun", 3, 2, 1, {"person": 2}, {"no pronoun": 1})]).rows
        (('pronoun', '3', '2', '1', 'person 2', 'no pronoun 1'),)
    """

    def reason(each: Yield) -> str:
        reasons = [f"{reason} {count}" for reason, count in each.reasons.items()]
        return "; ".join(reasons if each.tried else dict.fromkeys(each.untried.values()))

    return table_of(
        "",
        yields,
        "<attack | tried | made | rejected",
        ("<variants", lambda each: ", ".join(f"{name} {count}" for name, count in each.by_variant.items())),
        ("<reason", reason),
    )


def attacks_table(cases: Sequence[Case]) -> Table:
    """Return the number of cases by corpus and attack, and what an ideal judge would do."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.corpus, case.attack), []).append(case)
    return table_of(
        "",
        groups,
        ("<corpus", lambda key: key[0]),
        ("<attack", lambda key: key[1]),
        ("<facet", lambda key: ", ".join(sorted({case.facet for case in groups[key]}))),
        (
            "<the score",
            lambda key: " or ".join(READING[each] for each in sorted({case.expected for case in groups[key]})),
        ),
        ("cases", lambda key: len(groups[key])),
        ("dialogues", lambda key: len({case.source.dialogue for case in groups[key]})),
    )


def validity_table(validities: Sequence[AttackValidity]) -> Table:
    """Return one row per attack and corpus, and one for all."""
    return table_of(
        "",
        validities,
        "<attack | <corpus | read | valid | weak | invalid | % valid=share:percent",
        ("<interval", lambda each: interval(each.ci) or "–"),
        ("<wrong sense", lambda each: f"{each.wrong_senses} of {each.senses}" if each.senses else "–"),
    )
