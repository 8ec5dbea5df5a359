"""A tracker's scores as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from ..core.account import Account
from ..core.comparability import shared_fields
from ..errors import one_line
from ..measure import Score
from ..tracking.diagnosis.findings import Mistake, Mistakes
from .compare import account_lines, comparison_table, holm_note, stars
from .tables import (
    Table,
    grid_of,
    highest,
    interval,
    percent,
    records_of,
    records_table,
    score_cells,
    score_records,
    signed,
    table_of,
)

if TYPE_CHECKING:
    from ..studies.power import PowerStudy
    from ..studies.sensitivity import SchemaSensitivity
    from ..tracking.compare import TrackerComparison, TurnTest
    from ..tracking.result import TrackerResult
    from .chart_files import Chart


def score_table(scores: Sequence[Score], account: Account) -> Table:
    """Return one row per score, with the signature fields that not all measures share; the account is below the table."""
    shared = shared_fields([score.signature for score in scores])
    rows = tuple((*score_cells(score), _score_note(score, shared)) for score in scores)
    headings = ("measure", "value", "interval", "n", "unscored", "note")
    caption = "Scores in percent."
    return Table("", headings, rows, frozenset({1, 2, 3, 4}), foot=(account.line,), caption=caption)


def _score_note(score: Score, shared: Sequence[str]) -> str:
    parts = [part for part in score.signature.split("|")[1:] if part not in shared]
    return "; ".join([*parts, *([f"no value: {score.reason}"] if score.reason else [])])


def group_table(scores: Sequence[Score], group: str) -> Table:
    """Return one row per group and one column per measure; n counts the units of the first measure."""
    rows: dict[Any, dict[str, object]] = {}
    for score in scores:
        row = rows.setdefault(score.group[group], {"n": score.n})
        row[score.measure] = percent(score.value)
    return grid_of(f"by {group}", rows, group, ["n", *dict.fromkeys(score.measure for score in scores)])


def mistakes_table(mistakes: Sequence[Mistake]) -> Table:
    """Return pairs of gold and predicted value that do not agree, with the number of turns."""
    return table_of(
        "most frequent mistakes",
        mistakes,
        "<slot",
        ("<gold", lambda each: _value_cell(each.gold)),
        ("<predicted", lambda each: _value_cell(each.pred)),
        "turns",
    )


def _value_cell(value: str | None) -> str:
    return "(nothing)" if value is None else one_line(value, 60)


def worst_table(result: TrackerResult, n: int) -> Table:
    """Return the worst dialogues; with kinds of mistakes if the file has values."""
    return table_of(
        "worst dialogues",
        result.worst(n),
        "<dialogue",
        (result.ranked_by, "value:percent"),
        ("wrong turns", lambda each: f"{each.wrong_turns} of {each.turns}"),
        *(["missed | wrong | extra"] if result.values_known else []),
    )


def system_charts(results: Mapping[str, TrackerResult]) -> Iterator[Chart]:
    """Yield bars of all measures, and JGA by turn."""
    from .chart_files import Chart, score_chart
    from .charts.data import point
    from .charts.lines import TURNS

    scores = {name: result.scores for name, result in results.items()}
    yield score_chart("measures", "Systems under each measure", scores, "score in percent")
    first = next(iter(results.values()))
    turn_measures = [
        each.text for each in first.measures if each.used.reads() == "tally" and each.used.average == "turn"
    ]
    measure = "JGA" if "JGA" in turn_measures else next(iter(turn_measures), None)
    if measure is None:
        return
    by_system = {
        name: [score for score in result.by("turn") if score.measure == measure] for name, result in results.items()
    }
    if any(by_system.values()):
        dialogues = {each.group["turn"]: each.n for each in next(iter(by_system.values()))}
        rows = [
            (name, int(each.group["turn"]), *point(each.value, each.ci), dialogues.get(each.group["turn"]))
            for name, by_turn in by_system.items()
            for each in sorted(by_turn, key=lambda score: int(score.group["turn"]))
        ]
        label = f"{next(each.used.title for each in first.measures if each.text == measure)} ({measure}), percent"
        yield Chart("by-turn", "Score by turn", TURNS, rows, y_label=label)


def mistake_charts(mistakes: Mistakes) -> Iterator[Chart]:
    """Yield the mistakes by slot, and the confused values of the five slots with the most mistakes."""
    from .chart_files import Chart, slug
    from .charts.bars import MISTAKES, mistake_rows
    from .charts.grid import VALUES, value_rows

    yield Chart("mistakes", "Mistakes per slot", MISTAKES, mistake_rows(mistakes.by_slot()))
    for slot in mistakes.worst_slots(5):
        title = f"Gold and predicted values: {slot}"
        yield Chart(f"values-{slug(slot)}", title, VALUES, value_rows(mistakes.values(slot)))


def sensitivity_lines(sensitivities: Sequence[SchemaSensitivity]) -> list[str]:
    """Return the result of the study, one line per measure."""
    result = []
    for each in sensitivities:
        if each.value is None:
            result.append(f"{each.measure}: {each.reason}")
        elif not each.value:
            result.append(f"{each.measure}: the wording of the schema changes no frame")
        else:
            change = "" if each.change is None else f"; {100 * each.change:+.1f} % against the original schema"
            result.append(f"{each.measure}: schema sensitivity {percent(each.value)}{change}")
    return result


def sensitivity_table(sensitivities: Sequence[SchemaSensitivity], variants: int, foot: tuple[str, ...]) -> Table:
    """Return one row per measure."""
    note = (
        f"Sensitivity in percent: mean over frames of (standard deviation / mean) over {variants} variants. Frames whose mean "
        "over the variants is 0 are unscored."
    )
    return table_of(
        "",
        sensitivities,
        "<measure | sensitivity=value:percent",
        ("interval", lambda each: interval(each.ci, each.ci_reason if each.value is not None else "")),
        "frames=n | unscored:count | mean:percent",
        ("original", lambda each: "" if each.original is None else percent(each.original)),
        ("change in %", lambda each: "" if each.change is None else signed(each.change)),
        foot=foot,
        notes=(note,),
        caption="Schema sensitivity.",
    )


def variant_table(results: Mapping[str, TrackerResult]) -> Table:
    """Return the scores for every variant of the schema."""
    rows = tuple(
        (
            name,
            *(cell for score in result.scores for cell in (percent(score.value), interval(score.ci, score.ci_reason))),
        )
        for name, result in results.items()
    )
    measures = [score.measure for score in next(iter(results.values())).scores]
    headings = ("variant", *(word for measure in measures for word in (measure, "interval")))
    return Table("scores under each variant", headings, rows, frozenset(range(1, len(headings))))


def sensitive_dialogues_table(sensitivity: SchemaSensitivity) -> Table:
    """Return the most sensitive dialogues for one measure, with their values for each variant."""
    names = list(sensitivity.dialogues[0].variants) if sensitivity.dialogues else []
    return table_of(
        f"most sensitive dialogues, {sensitivity.measure}",
        sensitivity.dialogues,
        "<dialogue | sensitivity=value:percent | frames",
        *((name, lambda each, name=name: percent(each.variants[name])) for name in names),
    )


def sensitivity_rows(
    results: Mapping[str, TrackerResult], sensitivities: Sequence[SchemaSensitivity]
) -> Iterator[Table]:
    """Yield the sensitivities, scores and dialogues as machine-readable tables."""
    keys = "measure sensitivity=value ci n unscored mean original change reason signature"
    yield records_table(records_of(sensitivities, keys))
    scores = [({"variant": name}, score) for name, result in results.items() for score in result.scores]
    yield records_table(score_records(scores))
    yield records_table(
        [
            {"measure": each.measure, "dialogue": one.dialogue, "sensitivity": one.value, "frames": one.frames}
            | {f"value_{name}": value for name, value in one.variants.items()}
            for each in sensitivities
            for one in each.dialogues
        ]
    )


def long_table(compared: TrackerComparison) -> Table:
    """Return the scores of the systems for each measure, with differences from the first system."""
    first = next(iter(compared.results.values()))
    scores = {
        request.text: {name: result.scores[position] for name, result in compared.results.items()}
        for position, request in enumerate(first.measures)
    }
    return comparison_table(compared, scores)


def wide_table(compared: TrackerComparison, letters: Mapping[str, Mapping[str, str]] | None = None) -> Table:
    """Return one row per system and one column per measure, for papers.

    Args:
        compared: the comparison.
        letters: the marks of systems by measure; without them, stars mark a difference from the first system.
    """
    names = list(compared.results)
    measures = [request.text for request in next(iter(compared.results.values())).measures]
    rows = tuple(
        (name, *(percent(score.value) for score in result.scores)) for name, result in compared.results.items()
    )
    if letters is None:
        given = {(each.measure, each.system): stars(each.p_holm) for each in compared.versus if each.base == names[0]}
    else:
        given = {(measure, name): text for measure, own in letters.items() for name, text in own.items()}
    marks = {(names.index(name), 1 + measures.index(measure)): text for (measure, name), text in given.items() if text}
    numeric = frozenset(range(1, len(measures) + 1))
    return Table(
        "",
        ("system", *measures),
        rows,
        numeric,
        marks,
        foot=account_lines(compared),
        notes=(_marks_note(compared, letters is not None, bool(marks)),),
        caption=f"{len(names)} trackers on {next(iter(compared.results.values())).dialogues} dialogues, in percent.",
        best=highest(rows, numeric),
    )


def _marks_note(compared: TrackerComparison, letters: bool, has_marks: bool) -> str:
    """Return the meaning of the marks, or a note that no difference is significant."""
    if letters and has_marks:
        return f"Trackers that share a letter in a column are not told apart at p < .05; {holm_note(compared.versus)}."
    if not has_marks:
        note = holm_note(compared.versus)
        if all(each.p is None for each in compared.versus):
            return f"{note[0].upper()}{note[1:]}."
        return f"No difference from {next(iter(compared.results))} is shown at p < .05; {note}."
    first = next(iter(compared.results))
    return f"Against {first}: * p < .05, ** p < .01, *** p < .001; {holm_note(compared.versus)}."


def rank_table(compared: TrackerComparison) -> Table:
    """Return the rank of each system for each measure."""
    return grid_of("ranks", compared.ranks.by_measure, "measure", compared.results)


def tau_table(compared: TrackerComparison) -> Table:
    """Return the pairs of measures that rank the systems differently."""
    return table_of(
        "measures that rank the systems differently (Kendall's tau)",
        [each for each in compared.ranks.tau if each[2] is None or each[2] < 1 - 1e-9],
        ("<measure", itemgetter(0)),
        ("<and", itemgetter(1)),
        ("tau", lambda each: "–" if each[2] is None else f"{each[2]:.2f}"),
    )


def turn_table(tests: Sequence[TurnTest]) -> Table:
    """Return the results of McNemar's tests."""
    base = tests[0].base if tests else "base"
    columns = ("<system | <unit | n", (f"right only in {base}", "only_base"), "right only here=only_system | p:p")
    return table_of("McNemar's test", tests, *columns)


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
    notes = (
        "P values are corrected by Holm over the pairs of a measure. A measure that distinguishes more pairs is not "
        "necessarily right more often.",
        *(
            f"{each.first} and {each.second} contradict each other: {each.better} is better than {each.worse} under the "
            "first, and worse under the second."
            for each in study.contradictions
        ),
    )
    columns = "<measure | pairs | distinguished=apart | in percent=share:percent | without correction=uncorrected"
    return table_of(f"distinguished pairs of systems at level {study.level:.3g}", study.measures, columns, notes=notes)


def power_rows(study: PowerStudy) -> Iterator[Table]:
    """Yield machine-readable tables of the power of measures and of every test."""
    yield records_table([to_builtins(each) for each in study.measures])
    yield records_table([to_builtins(each) for each in study.pairs])
