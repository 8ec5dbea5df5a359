"""A tracker's scores as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..core.account import Account
from ..core.comparability import add_fields, joint_signature, shared_fields
from ..core.comparison import PairedDifference
from ..errors import one_line
from ..measure import Score
from ..studies.sensitivity import SchemaSensitivity
from ..tracking.diagnosis.findings import Mistake, Mistakes
from ..tracking.result import TrackerResult
from .chart_files import Chart, parallel_chart, score_chart, slug
from .charts.bars import MISTAKES, mistake_rows
from .charts.data import point
from .charts.grid import VALUES, value_rows
from .charts.lines import TURNS
from .tables import Table, interval, markdown_page, percent, records_table, score_cells, score_records


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


def signature_of(scores: Iterable[Score], versus: Iterable[PairedDifference] = ()) -> str:
    """Return the signatures of all scores of a table in one line; with comparisons, also their test."""
    tests = [part for each in versus for part in each.signature.split("|") if part.startswith("test:")]
    return add_fields(joint_signature([score.signature for score in scores]), tests[:1])


def group_table(scores: Sequence[Score], group: str) -> Table:
    """Return one row per group and one column per measure; n counts the units of the first measure."""
    measures = list(dict.fromkeys(score.measure for score in scores))
    cells = {(score.group[group], score.measure): score for score in scores}
    names = list(dict.fromkeys(score.group[group] for score in scores))
    rows = tuple(
        (
            str(name),
            str(cells[name, measures[0]].n),
            *(percent(cells[name, measure].value) for measure in measures),
        )
        for name in names
    )
    return Table(f"by {group}", (group, "n", *measures), rows, frozenset(range(1, len(measures) + 2)))


def mistakes_table(mistakes: Sequence[Mistake]) -> Table:
    """Return pairs of gold and predicted value that do not agree, with the number of turns."""
    rows = tuple((each.slot, _value_cell(each.gold), _value_cell(each.pred), str(each.turns)) for each in mistakes)
    return Table("most frequent mistakes", ("slot", "gold", "predicted", "turns"), rows, frozenset({3}))


def _value_cell(value: str | None) -> str:
    return "(nothing)" if value is None else one_line(value, 60)


def worst_table(result: TrackerResult, n: int) -> Table:
    """Return the worst dialogues; with kinds of mistakes if the file has values."""
    changes = ("missed", "wrong", "over") if result.values_known else ()
    rows = tuple(
        (
            each.dialogue,
            percent(each.value),
            f"{each.wrong_turns} of {each.turns}",
            *(str(getattr(each, name)) for name in changes),
        )
        for each in result.worst(n)
    )
    headings = ("dialogue", result.ranked_by, "wrong turns", *changes)
    return Table("worst dialogues", headings, rows, frozenset(range(1, len(headings))))


def markdown_report(name: str, result: TrackerResult) -> str:
    """Return the report of a run as one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores, details = [score_table(result.scores, result.account)], [worst_table(result, 10)]
    signature = signature_of(result.scores)
    return markdown_page(name, facts, scores, result.notices, details, signature=signature, diagnosis=result.diagnosis)


def system_charts(results: Mapping[str, TrackerResult]) -> Iterator[Chart]:
    """Yield bars of all measures, and JGA by turn; for several systems, parallel coordinates, too."""
    scores = {name: result.scores for name, result in results.items()}
    measures = score_chart("measures", "Systems under each measure", scores, "score in percent")
    yield measures
    if len(results) > 1:
        yield parallel_chart("Systems across measures", measures)
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
    rows = tuple(
        (
            each.measure,
            percent(each.value),
            interval(each.ci, each.ci_reason if each.value is not None else ""),
            str(each.n),
            str(each.unscored or ""),
            percent(each.mean),
            percent(each.original) if each.original is not None else "",
            f"{100 * each.change:+.2f}" if each.change is not None else "",
        )
        for each in sensitivities
    )
    headings = ("measure", "sensitivity", "interval", "frames", "unscored", "mean", "original", "change in %")
    note = (
        f"Sensitivity in percent: mean over frames of (standard deviation / mean) over {variants} variants. Frames whose mean "
        "over the variants is 0 are unscored."
    )
    return Table("", headings, rows, frozenset(range(1, 8)), foot=foot, notes=(note,), caption="Schema sensitivity.")


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
    rows = tuple(
        (each.dialogue, percent(each.value), str(each.frames), *(percent(each.variants[name]) for name in names))
        for each in sensitivity.dialogues
    )
    headings = ("dialogue", "sensitivity", "frames", *names)
    return Table(f"most sensitive dialogues, {sensitivity.measure}", headings, rows, frozenset(range(1, len(headings))))


def sensitivity_rows(
    results: Mapping[str, TrackerResult], sensitivities: Sequence[SchemaSensitivity]
) -> Iterator[Table]:
    """Yield the sensitivities, scores and dialogues as machine-readable tables."""
    yield records_table(
        [
            {
                "measure": each.measure,
                "sensitivity": each.value,
                "ci": each.ci,
                "n": each.n,
                "unscored": each.unscored,
                "mean": each.mean,
                "original": each.original,
                "change": each.change,
                "reason": each.reason,
                "signature": each.signature,
            }
            for each in sensitivities
        ]
    )
    scores = [({"variant": name}, score) for name, result in results.items() for score in result.scores]
    yield records_table(score_records(scores))
    yield records_table(
        [
            {
                "measure": each.measure,
                "dialogue": one.dialogue,
                "sensitivity": one.value,
                "frames": one.frames,
                **{f"value_{name}": value for name, value in one.variants.items()},
            }
            for each in sensitivities
            for one in each.dialogues
        ]
    )
