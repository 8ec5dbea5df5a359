"""A tracker's scores as tables and as a short Markdown report."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.account import Account
from ..errors import one_line
from ..measure import Score
from ..tracking.diagnosis.findings import Mistake
from ..tracking.result import TrackerResult
from .markdown_page import markdown_page
from .tables import Table, interval, percent


def score_table(scores: Sequence[Score], account: Account) -> Table:
    """Measure, value, number of units, and what of the signature is the measure's own; the account below."""
    shared = shared_fields([score.signature for score in scores])
    rows = tuple(
        (
            score.measure,
            percent(score.value),
            interval(score.ci, score.ci_reason),
            str(score.n),
            str(score.unscored or ""),
            _own(score, shared),
        )
        for score in scores
    )
    headings = ("measure", "value", "interval", "n", "unscored", "note")
    return Table("", headings, rows, frozenset({1, 2, 3, 4}), foot=(account.line,))


def _own(score: Score, shared: Sequence[str]) -> str:
    parts = [part for part in score.signature.split("|")[1:] if part not in shared]
    return "; ".join([*parts, *([f"no value: {score.reason}"] if score.reason else [])])


def shared_fields(signatures: Sequence[str]) -> list[str]:
    """The fields that all signatures have in common, the measure aside."""
    first, *rest = [signature.split("|")[1:] for signature in signatures]
    return [part for part in first if all(part in other for other in rest)]


def shared_signature(scores: Sequence[Score]) -> str:
    """One line for all scores of a table; what is a measure's own stands in its row."""
    return "|".join(["…", *shared_fields([score.signature for score in scores])])


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
    signature = shared_signature(result.scores)
    return markdown_page(name, facts, scores, result.notices, details, signature=signature, diagnosis=result.diagnosis)
