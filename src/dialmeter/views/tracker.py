"""A tracker's scores as tables, charts and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..core.account import Account
from ..core.comparability import joint_signature, shared_fields
from ..errors import one_line
from ..measure import Score
from ..studies.sensitivity import SchemaSensitivity
from ..tracking.diagnosis.findings import Mistake, Mistakes
from ..tracking.result import TrackerResult
from .chart_files import Chart, chart, slug
from .charts import bars, grid, lines
from .charts.data import Estimate
from .markdown_page import markdown_page
from .tables import Table, interval, percent, records_table, score_cells, score_records


def score_table(scores: Sequence[Score], account: Account) -> Table:
    """Measure, value, number of units, and the fields of the signature that not all measures share; the account below."""
    shared = shared_fields([score.signature for score in scores])
    rows = tuple((*score_cells(score), _own(score, shared)) for score in scores)
    headings = ("measure", "value", "interval", "n", "unscored", "note")
    caption = "Scores in percent."
    return Table("", headings, rows, frozenset({1, 2, 3, 4}), foot=(account.line,), caption=caption)


def _own(score: Score, shared: Sequence[str]) -> str:
    parts = [part for part in score.signature.split("|")[1:] if part not in shared]
    return "; ".join([*parts, *([f"no value: {score.reason}"] if score.reason else [])])


def signature_of(scores: Iterable[Score]) -> str:
    """The signatures of all scores of a table in one line."""
    return joint_signature([score.signature for score in scores])


def group_table(scores: Sequence[Score], group: str) -> Table:
    """One row per group, one column per measure; n is what the first measure counts."""
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
    """Pairs of gold and predicted value that do not agree, and at how many turns."""
    rows = tuple((each.slot, _held(each.gold), _held(each.pred), str(each.turns)) for each in mistakes)
    return Table("the most frequent mistakes", ("slot", "gold", "predicted", "turns"), rows, frozenset({3}))


def _held(value: str | None) -> str:
    return "(nothing)" if value is None else one_line(value, 60)


def worst_table(result: TrackerResult, n: int) -> Table:
    """The worst dialogues; kinds of mistakes only where the file has values."""
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
    return Table("the worst dialogues", headings, rows, frozenset(range(1, len(headings))))


def markdown_report(name: str, result: TrackerResult) -> str:
    """A run in one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores, details = [score_table(result.scores, result.account)], [worst_table(result, 10)]
    signature = signature_of(result.scores)
    return markdown_page(name, facts, scores, result.notices, details, signature=signature, diagnosis=result.diagnosis)


def system_charts(results: Mapping[str, TrackerResult]) -> Iterator[Chart]:
    """Measures side by side and JGA by turn; parallel coordinates where there are several systems."""
    scores = {
        name: {score.measure: Estimate(score.value, *(score.ci or ())) for score in result.scores}
        for name, result in results.items()
    }
    title = "Systems under each measure"
    yield chart("measures", title, bars.draw, bars.table, scores, y_label="score in percent")
    if len(results) > 1:
        values = {name: {each.measure: each.value for each in result.scores} for name, result in results.items()}
        yield chart("parallel", "Systems across measures", lines.draw_parallel, lines.parallel_table, values)
    first = next(iter(results.values()))
    turns = [each.text for each in first.asked if each.used.reads() == "tally" and each.used.average == "turn"]
    chosen = "JGA" if "JGA" in turns else next(iter(turns), None)
    if chosen is None:
        return
    by_system = {
        name: [score for score in result.by("turn") if score.measure == chosen] for name, result in results.items()
    }
    if any(by_system.values()):
        series = {
            name: {int(each.group["turn"]): Estimate(each.value, *(each.ci or ())) for each in found}
            for name, found in by_system.items()
        }
        dialogues = {int(each.group["turn"]): each.n for each in next(iter(by_system.values()))}
        label = f"{next(each.used.title for each in first.asked if each.text == chosen)} ({chosen}), percent"
        data = (series, dialogues)
        yield chart("by-turn", "Score by turn", lines.draw_turns, lines.turns_table, *data, y_label=label)


def mistake_charts(mistakes: Mistakes) -> Iterator[Chart]:
    """Mistakes by slot, and the confused values of the five slots with most of them."""
    counts = {slot: dict(found) for slot, found in mistakes.by_slot().items()}
    yield chart("mistakes", "Mistakes per slot", bars.draw_mistakes, bars.mistakes_table, counts)
    for slot in mistakes.worst_slots(5):
        name, title = f"values-{slug(slot)}", "Gold and predicted values"
        yield chart(name, title, grid.draw_confusion, grid.confusion_table, mistakes.values(slot), slot=slot)


def sensitivity_lines(found: Sequence[SchemaSensitivity]) -> list[str]:
    """What the study says, one line for each measure."""
    said = []
    for each in found:
        if each.value is None:
            said.append(f"{each.measure}: {each.reason}")
        elif not each.value:
            said.append(f"{each.measure}: the wording of the schema changes no frame")
        else:
            change = "" if each.change is None else f"; {100 * each.change:+.1f} % against the original schema"
            said.append(f"{each.measure}: schema sensitivity {percent(each.value)}{change}")
    return said


def sensitivity_table(found: Sequence[SchemaSensitivity], variants: int, foot: tuple[str, ...]) -> Table:
    """One row per measure."""
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
        for each in found
    )
    headings = ("measure", "sensitivity", "interval", "frames", "unscored", "mean", "original", "change in %")
    note = (
        f"Sensitivity in percent: mean over frames of (standard deviation / mean) over {variants} variants. Frames whose mean "
        "over the variants is 0 are unscored."
    )
    return Table("", headings, rows, frozenset(range(1, 8)), foot=foot, notes=(note,), caption="Schema sensitivity.")


def variant_table(results: Mapping[str, TrackerResult]) -> Table:
    """The scores under every variant."""
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


def sensitive_dialogues_table(found: SchemaSensitivity) -> Table:
    """The most sensitive dialogues under one measure, with their values under each variant."""
    names = list(found.dialogues[0].variants) if found.dialogues else []
    rows = tuple(
        (each.dialogue, percent(each.value), str(each.frames), *(percent(each.variants[name]) for name in names))
        for each in found.dialogues
    )
    headings = ("dialogue", "sensitivity", "frames", *names)
    return Table(f"most sensitive dialogues, {found.measure}", headings, rows, frozenset(range(1, len(headings))))


def sensitivity_rows(results: Mapping[str, TrackerResult], found: Sequence[SchemaSensitivity]) -> Iterator[Table]:
    """All of it with one number per cell, for other programs."""
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
            for each in found
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
            for each in found
            for one in each.dialogues
        ]
    )
