"""Systems side by side: values, differences, tests, ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from msgspec import to_builtins

from ..core.account import format_accounts
from ..core.comparison import PairedDifference, SystemComparison, TaskDifference
from ..measure import Score
from ..studies.power import PowerStudy
from ..tracking.compare import Disagreement, TrackerComparison, TurnTest
from .tables import Table, highest, interval, p_value, percent, records_table, score_records


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
    change = f"{100 * (each.difference or 0):+.2f}"
    return f"{each.system} is worse than {each.base} under {each.measure}: {change}, p (Holm) {p_value(each.p_holm)}"


def comparison_table(
    compared: SystemComparison[Any],
    scores: Mapping[str, Mapping[str, Score | None]],
    unit: str = "system",
    title: str = "",
) -> Table:
    """Return one row per measure and system: value, interval, difference from the first, tests, dialogues won and lost.

    Args:
        compared: the comparison of the systems.
        scores: measure → name of the system → its score.
        unit: the heading of the column of names, such as ``user``.
        title: the title of the table.
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
    headings = ("measure", unit, "value", "interval", "difference", "its interval", "p", "p (Holm)", "win/tie/loss")
    foot = account_lines(compared)
    if all(len(by_name) == 1 for by_name in scores.values()):
        return Table(title, headings[:4], tuple(row[:4] for row in rows), frozenset({2, 3}), foot=foot)
    note = holm_note(against.values())
    notes = (f"{note[0].upper()}{note[1:]}.",)
    return Table(title, headings, tuple(rows), frozenset(range(2, 9)), marks, foot=foot, notes=notes)


def long_table(compared: TrackerComparison) -> Table:
    """Return the scores of the systems for each measure, with differences from the first system."""
    first = next(iter(compared.results.values()))
    scores = {
        request.text: {name: result.scores[position] for name, result in compared.results.items()}
        for position, request in enumerate(first.measures)
    }
    return comparison_table(compared, scores)


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
    return ("better" if each.difference > 0 else "worse"), f"{each.measure} ({100 * each.difference:+.2f})"


def comparison_rows(
    scores: Mapping[str, Iterable[Score]], versus: Iterable[PairedDifference], unit: str = "system"
) -> Table:
    """Return a machine-readable table with one row per score, and the difference of each compared score.

    Args:
        scores: scores by system or user; compared scores come first.
        versus: the comparisons. If a system was compared with several others, the first comparison is used.
        unit: the heading of the column of names.
    """
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


_DIFFERENCE = ("base", "difference", "ci", "p", "p_holm", "wins", "ties", "losses")
_OVER_TASKS = ("bootstrap_ci", "sign_p")


def task_test_lines(versus: Iterable[PairedDifference]) -> str:
    """Return the method of comparisons over tasks, and the results of the bootstrap and the sign test, a line for each comparison.

    Example:
        >>> one = TaskDifference("Success", "new", "base", 0.1, None, 0.2, 0.2, 3, 0, 1, bootstrap_ci=(0, 0.2), sign_p=0.625)
        >>> print(task_test_lines([one]))
        differences: Student's interval and t test over tasks
        new, Success: by bootstrap 0.00 to 20.00; exact sign test p 0.625
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
    change = "–" if difference.difference is None else f"{100 * difference.difference:+.2f}"
    tally = f"{difference.wins}/{difference.ties}/{difference.losses}"
    span = interval(difference.ci, "" if difference.difference is None else difference.reason)
    return (change, span, p_value(difference.p), p_value(difference.p_holm), tally)


def wide_table(compared: TrackerComparison, letters: bool) -> Table:
    """Return one row per system and one column per measure, for papers.

    Marks are stars for a difference from the first system, or the letters of the systems that this system outperforms.
    """
    names = list(compared.results)
    letter = dict(zip(names, ascii_lowercase, strict=False))
    measures = [request.text for request in next(iter(compared.results.values())).measures]
    rows = tuple(
        (f"({letter[name]}) {name}" if letters else name, *(percent(score.value) for score in result.scores))
        for name, result in compared.results.items()
    )
    marks: dict[tuple[int, int], str] = {}
    for each in compared.versus:
        column = 1 + measures.index(each.measure)
        if not letters:
            if stars(each.p_holm):
                marks[names.index(each.system), column] = stars(each.p_holm)
        elif each.p_holm is not None and each.p_holm < 0.05 and each.difference:
            better, worse = (each.system, each.base) if each.difference > 0 else (each.base, each.system)
            cell = (names.index(better), column)
            marks[cell] = "".join(sorted(marks.get(cell, "") + letter[worse]))
    numeric = frozenset(range(1, len(measures) + 1))
    return Table(
        "",
        ("system", *measures),
        rows,
        numeric,
        marks,
        foot=account_lines(compared),
        notes=(_marks_note(compared, letters, bool(marks)),) if len(names) > 1 else (),
        caption=f"{len(names)} tracker{'s' * (len(names) > 1)} on {next(iter(compared.results.values())).dialogues} dialogues, in percent.",
        best=highest(rows, numeric),
    )


def _marks_note(compared: TrackerComparison, letters: bool, has_marks: bool) -> str:
    """Return the meaning of the marks, or a note that no difference is significant."""
    if not has_marks:
        return f"No difference is significant at .05; {holm_note(compared.versus)}."
    if letters:
        return (
            f"A superscript names the trackers that a tracker is better than at p < .05; {holm_note(compared.versus)}."
        )
    first = next(iter(compared.results))
    return f"Against {first}: * p < .05, ** p < .01, *** p < .001; {holm_note(compared.versus)}."


def rank_table(compared: TrackerComparison) -> Table:
    """Return the rank of each system for each measure."""
    names = list(compared.results)
    rows = tuple(
        (measure, *(str(ranks[name]) for name in names)) for measure, ranks in compared.ranks.by_measure.items()
    )
    return Table("ranks", ("measure", *names), rows, frozenset(range(1, len(names) + 1)))


def tau_table(compared: TrackerComparison) -> Table:
    """Return the pairs of measures that rank the systems differently."""
    rows = tuple(
        (one, other, "–" if tau is None else f"{tau:.2f}")
        for one, other, tau in compared.ranks.tau
        if tau is None or tau < 1 - 1e-9
    )
    return Table(
        "measures that rank the systems differently (Kendall's tau)", ("measure", "and", "tau"), rows, frozenset({2})
    )


def turn_table(tests: Sequence[TurnTest]) -> Table:
    """Return the results of McNemar's tests."""
    rows = tuple(
        (each.system, each.unit, str(each.n), str(each.only_base), str(each.only_system), p_value(each.p))
        for each in tests
    )
    base = tests[0].base if tests else "base"
    headings = ("system", "unit", "n", f"right only in {base}", "right only here", "p")
    return Table("McNemar's test", headings, rows, frozenset({2, 3, 4, 5}))


def grouped_table(by_system: dict[str, list[Score]], group: str) -> Table:
    """Return one row per group and measure, one column per system."""
    names = list(by_system)
    cells = {(score.group[group], score.measure, name): score.value for name in names for score in by_system[name]}
    keys = sorted({(str(value), measure) for value, measure, _ in cells})
    values_by_text = {str(value): value for value, _, _ in cells}
    rows = tuple(
        (value, measure, *(percent(cells.get((values_by_text[value], measure, name))) for name in names))
        for value, measure in keys
    )
    numeric = frozenset(range(2, len(names) + 2))
    return Table(
        f"by {group}", (group, "measure", *names), rows, numeric, best=highest(rows, sorted(numeric), across=True)
    )


def disagreement_table(disagreements: Sequence[Disagreement]) -> Table:
    """Return the dialogues on which two measures of a tracker, or two systems, disagree most."""
    rows = tuple(
        (each.dialogue, each.system, percent(each.first_value), percent(each.second_value), f"{each.gap:+.2f}")
        for each in disagreements
    )
    names = (disagreements[0].first, disagreements[0].second) if disagreements else ("first", "second")
    notes: tuple[str, ...] = ()
    if disagreements and disagreements[0].system != f"{names[0]} / {names[1]}":
        notes = ("The gap is the difference of the standardised values: in standard deviations over dialogues.",)
    headings = ("dialogue", "system", *names, "gap")
    return Table("where they disagree most", headings, rows, frozenset({2, 3, 4}), notes=notes)


def disagreement_rows(disagreements: Sequence[Disagreement]) -> Table:
    """Return the disagreements as a machine-readable table."""
    turns = ("first_turns", "second_turns")
    return records_table(
        [{key: cell for key, cell in to_builtins(each).items() if key not in turns} for each in disagreements]
    )


def turn_lines(disagreement: Disagreement, system: str) -> list[str]:
    """Return the values of every turn: of one system for both measures, or of one of the two systems.

    Example:
        >>> turn_lines(Disagreement("d1", "x", "JGA", "GCA", 0.5, 0.9, -1.2, [1, 0], [1, None]), "x")
        ['  turn by turn under JGA: 100 0', '  turn by turn under GCA: 100 –']
    """
    lines = []
    for name, turns in (
        (disagreement.first, disagreement.first_turns),
        (disagreement.second, disagreement.second_turns),
    ):
        if turns and (system in (disagreement.system, name)):
            under = f" under {name}" if system == disagreement.system else ""
            values = " ".join("–" if each is None else f"{100 * each:.0f}" for each in turns)
            lines.append(f"  turn by turn{under}: {values}")
    return lines


def power_lines(study: PowerStudy) -> list[str]:
    """Return one line with the measure that distinguishes the most pairs of systems."""
    pairs = max((each.pairs for each in study.measures), default=0)
    if not pairs:
        return ["power: no pair of systems could be tested"]
    if not study.best:
        return [f"power: no measure distinguishes any of the {pairs} pairs of systems at level {study.level:.3g}"]
    names = " and ".join(each.measure for each in study.best)
    most = study.best[0]
    verb = "distinguishes" if len(study.best) == 1 else "distinguish"
    return [f"power: {names} {verb} the most pairs of systems: {most.apart} of {most.pairs} at level {study.level:.3g}"]


def power_table(study: PowerStudy) -> Table:
    """Return the number of pairs of systems that each measure distinguishes."""
    rows = tuple(
        (each.measure, str(each.pairs), str(each.apart), percent(each.share), str(each.uncorrected))
        for each in study.measures
    )
    notes = [
        "P values are corrected by Holm over the pairs of a measure. A measure that distinguishes more pairs is not "
        "necessarily right more often.",
        *(
            f"{each.first} and {each.second} contradict each other: {each.better} is better than {each.worse} under the "
            "first, and worse under the second."
            for each in study.contradictions
        ),
    ]
    headings = ("measure", "pairs", "distinguished", "in percent", "without correction")
    title = f"distinguished pairs of systems at level {study.level:.3g}"
    return Table(title, headings, rows, frozenset({1, 2, 3, 4}), notes=tuple(notes))


def power_rows(study: PowerStudy) -> Iterator[Table]:
    """Yield machine-readable tables of the power of measures and of every test."""
    yield records_table([to_builtins(each) for each in study.measures])
    yield records_table([to_builtins(each) for each in study.pairs])
