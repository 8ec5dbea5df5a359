"""Systems side by side: values, differences, tests, ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.account import format_accounts
from ..core.comparison import PairedDifference, SystemComparison, TaskDifference
from ..core.ladder import Ladder
from ..measure import Score
from .summaries.summary import WIDTH, fit, fit_list, fit_names
from .tables import Table, interval, p_value, percent, records_table, score_records, signed


def stars(p: float | None, most: int = 3) -> str:
    """Return the stars of a p value: * below .05, ** below .01, *** below .001; at most ``most`` stars.

    Example:
        >>> stars(0.03), stars(0.0001), stars(0.0001, 2), stars(0.2), stars(None)
        ('*', '***', '**', '', '')
    """
    return "" if p is None else "*" * sum(p < limit for limit in (0.05, 0.01, 0.001)[:most])


def worse_line(each: PairedDifference) -> str:
    """Return the sentence about a system that is significantly worse than its base.

    Example:
        >>> worse_line(PairedDifference("JGA", "new", "base", -0.1, None, 0.0002, 0.0004, 1, 0, 9))
        'new is worse than base under JGA: -10.00, p (Holm) <.001'
    """
    change = f"{signed(each.difference or 0)}, p (Holm) {p_value(each.p_holm)}"
    return f"{each.system} is worse than {each.base} under {each.measure}: {change}"


def comparison_table(
    compared: SystemComparison[Any],
    scores: Mapping[str, Mapping[str, Score | None]],
    unit: str = "system",
    title: str = "",
) -> Table:
    """Return one row per measure and system: value, interval, difference from the first, tests, dialogues won and lost.

    ``scores`` has the scores by measure and name, and ``unit`` is the heading of the names, such as ``user``.
    """
    first = next(iter(compared.results))
    against = {(each.measure, each.system): each for each in compared.versus if each.base == first}
    rows: list[tuple[str, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    for measure, by_name in scores.items():
        for place, (name, score) in enumerate(by_name.items()):
            difference = against.get((measure, name))
            if difference and stars(difference.p_holm):
                marks[len(rows), 4] = stars(difference.p_holm)
            value = percent(score.value if score else None)
            span = interval(score.ci, score.ci_reason) if score else ""
            rows.append((measure if not place else "", name, value, span, *difference_cells(difference)))
    headings = (
        "measure",
        unit,
        "value",
        "interval",
        "difference",
        "its interval",
        "p",
        "p (Holm)",
        "better/same/worse",
    )
    foot = account_lines(compared)
    if all(len(by_name) == 1 for by_name in scores.values()):
        return Table(title, headings[:4], tuple(row[:4] for row in rows), frozenset({2, 3}), foot=foot)
    note = holm_note(against.values())
    notes = (f"{note[0].upper()}{note[1:]}.",)
    return Table(title, headings, tuple(rows), frozenset(range(2, 9)), marks, foot=foot, notes=notes)


def account_lines(compared: SystemComparison[Any]) -> tuple[str, ...]:
    """Return a line per system with the numbers of requested and scored dialogues."""
    return tuple(format_accounts({name: result.account for name, result in compared.results.items()}))


def holm_note(versus: Iterable[PairedDifference]) -> str:
    """Return a note with the number of tests in the Holm correction.

    Example:
        >>> from msgspec.structs import replace
        >>> one = PairedDifference("JGA", "b", "a", 0.1, None, 0.01, 0.02, 1, 0, 0)
        >>> holm_note([one, replace(one, measure="GCA"), replace(one, measure="SA", p=None)])
        'p values are corrected by Holm over 2 tests (2 measures, 1 pair)'
    """
    tested = [each for each in versus if each.p is not None]
    if not tested:
        return "no test was made"
    measures = len({each.measure for each in tested})
    pairs = len({(each.base, each.system) for each in tested})
    counts = ", ".join(
        f"{number} {word}{'s' * (number > 1)}" for number, word in ((measures, "measure"), (pairs, "pair"))
    )
    return f"p values are corrected by Holm over {len(tested)} test{'s' * (len(tested) > 1)} ({counts})"


def result_lines(versus: Iterable[PairedDifference], level: float = 0.05) -> list[str]:
    """Return one line per pair of systems: the measures under which the first is better or worse.

    Args:
        versus: the comparisons.
        level: p values below it, after the Holm correction, are significant.

    Example:
        >>> one = PairedDifference("JGA", "new", "base", 0.1, None, 0.01, 0.02, 1, 0, 0)
        >>> result_lines([one, PairedDifference("GCA", "new", "base", -0.01, None, 0.4, 0.4, 1, 0, 0)])
        ['new against base: better under JGA (+10.00); cannot tell under GCA']
    """
    pairs: dict[tuple[str, str], list[PairedDifference]] = {}
    for each in versus:
        pairs.setdefault((each.system, each.base), []).append(each)
    result = []
    for (system, base), differences in pairs.items():
        kinds: dict[str, list[str]] = {}
        for each in differences:
            kind, text = outcome(each, level)
            kinds.setdefault(kind, []).append(text)
        if len(differences) > 1 and len(kinds.get(_NONE, ())) == len(differences):
            kinds[_NONE] = ["any measure"]
        outcomes = "; ".join(f"{kind} under {', '.join(kinds[kind])}" for kind in _OUTCOMES if kind in kinds)
        result.append(f"{system} against {base}: {outcomes}")
    return result


_NONE = "cannot tell"
_OUTCOMES = ("better", "worse", _NONE, "no test")


def outcome(each: PairedDifference, level: float) -> tuple[str, str]:
    """Return the outcome of one comparison, and the measure with its difference if significant.

    Example:
        >>> outcome(PairedDifference("JGA", "new", "base", 0.1, None, 0.01, 0.02, 1, 0, 0), 0.05)
        ('better', 'JGA (+10.00)')
    """
    if each.p_holm is None or each.difference is None:
        return "no test", each.measure
    if each.p_holm >= level or not each.difference:
        return _NONE, each.measure
    return ("better" if each.difference > 0 else "worse"), f"{each.measure} ({signed(each.difference)})"


def comparison_rows(
    scores: Mapping[str, Iterable[Score]], versus: Iterable[PairedDifference], unit: str = "system"
) -> Table:
    """Return a machine-readable table with one row per score, and the difference of each compared score."""
    against: dict[tuple[str, str], PairedDifference] = {}
    for each in versus:
        against.setdefault((each.measure, each.system), each)
    rows = [({unit: name}, score) for name, own_scores in scores.items() for score in own_scores]
    keys = _DIFFERENCE + (_OVER_TASKS if any(isinstance(each, TaskDifference) for each in against.values()) else ())
    # The first score of a system for a measure is the compared one; scores of groups follow.
    compared = [against.pop((score.measure, owner[unit]), None) for owner, score in rows]
    records = []
    for record, difference in zip(score_records(rows), compared, strict=True):
        signature = record.pop("signature")
        cells = {"difference_ci" if key == "ci" else key: getattr(difference, key, None) for key in keys}
        records.append({**record, **cells, "signature": signature})
    return records_table(records)


_DIFFERENCE = ("base", "difference", "ci", "p", "p_holm", "better", "same", "worse")
_OVER_TASKS = ("bootstrap_ci", "sign_p")


def task_test_lines(versus: Iterable[PairedDifference]) -> str:
    """Return the method of comparisons over tasks, and the results of the bootstrap and the sign test, a line for each comparison.

    Example:
        >>> one = TaskDifference("Success", "new", "base", 0.1, None, 0.2, 0.2, 3, 0, 1, bootstrap_ci=(0, 0.2), sign_p=0.625)
        >>> print(task_test_lines([one]))
        differences: Student's interval and t test over tasks
        new, Success: by bootstrap 0.00 to 20.00; exact sign test p .625
    """
    lines = ["differences: Student's interval and t test over tasks"]
    for each in versus:
        if isinstance(each, TaskDifference):
            sign = "" if each.sign_p is None else f"; exact sign test p {p_value(each.sign_p)}"
            lines.append(f"{each.system}, {each.measure}: by bootstrap {interval(each.bootstrap_ci) or '–'}{sign}")
    return "\n".join(lines)


def difference_cells(difference: PairedDifference | None) -> tuple[str, ...]:
    """Return difference, its interval, p values, and dialogues won, tied and lost; empty cells for the baseline."""
    if difference is None:
        return ("", "", "", "", "")
    tally = f"{difference.better}/{difference.same}/{difference.worse}"
    span = interval(difference.ci, "" if difference.difference is None else difference.reason)
    return (signed(difference.difference), span, p_value(difference.p), p_value(difference.p_holm), tally)


_LISTED = 8
"""Maximum number of systems in a summary."""


def _short_cells(each: PairedDifference | None) -> tuple[str, str, str]:
    """Return difference, p value, and the number of units better, same and worse; empty cells without a comparison."""
    change, _, _, p, counts = difference_cells(each)
    return change, p, counts


def pair_table(
    versus: Iterable[PairedDifference], scores: Mapping[str, Sequence[Score]], *, with_p: bool = True
) -> Table:
    """Return the table of two systems in a summary: one row per measure; ``scores`` has those measures by system."""
    against = {each.measure: each for each in versus}
    (base, first), (name, second) = scores.items()
    rows: tuple[tuple[str, ...], ...] = tuple(
        (one.measure, percent(one.value), percent(other.value), *_short_cells(against.get(one.measure)))
        for one, other in zip(first, second, strict=True)
    )
    last: tuple[str, ...] = ("difference", "p (Holm)", "better/same/worse")
    if not with_p:
        last, rows = last[::2], tuple(row[:4] + row[5:] for row in rows)
    width = (WIDTH - max(len(row[0]) for row in rows) - sum(2 + len(each) for each in last)) // 2 - 2
    return Table("", ("", *fit_names([base, name], width), *last), rows, frozenset(range(1, 3 + len(last))))


def system_table(versus: Iterable[PairedDifference], scores: Mapping[str, Sequence[Score]]) -> Table:
    """Return the table of three systems or more in a summary: one row per system, with its difference from the first one."""
    base, first = next(iter(scores.items()))
    measures = [each.measure for each in first][:3]
    against = {each.system: each for each in versus if (each.base, each.measure) == (base, measures[0])}
    headings = ("", *(fit(each, 13) for each in measures), "difference", "p (Holm)", "better/same/worse")
    width = max(16, WIDTH - sum(2 + len(each) for each in headings[1:]))
    rows = [
        (name, *(percent(each.value) for each in own[:3]), *_short_cells(against.get(each)))
        for (each, own), name in zip(scores.items(), fit_names([*scores], width), strict=True)
    ]
    if len(rows) > _LISTED:
        rows[_LISTED:] = [(f"… {len(rows) - _LISTED} more: -v", *[""] * (len(measures) + 3))]
    return Table("", headings, tuple(rows), frozenset(range(1, len(headings))))


def verdict_on_many(ladders: Sequence[Ladder]) -> str:
    """Say which systems are better or worse than the first, and for which this cannot be told.

    Example:
        >>> from dialmeter.core.ladder import Rung, make_ladder
        >>> worse = Rung("as written", "as written", -0.05, None, 0.001, "worse", 9)
        >>> verdict_on_many([make_ladder("JGA", name, "a", [worse]) for name in ("b", "c")])
        'JGA: b, c worse than a.'
    """
    base = ladders[0].base
    words = {
        "better": f"better than {base}",
        "worse": f"worse than {base}",
        "cannot tell": f"not told apart from {base}",
    }
    kinds: dict[str, list[str]] = {text: [] for text in words.values()}
    for each in ladders:
        # The headline begins with what the verdict depends on: "DEPENDS on spelling: …".
        depends = f"{each.headline.partition(':')[0].lower()} against {base}"
        kinds.setdefault(words.get(each.verdict, depends), []).append(each.system)
    parts = [f"{fit_list(systems, 60)} {text}" for text, systems in kinds.items() if systems]
    return f"{ladders[0].measure}: {'; '.join(parts)}."
