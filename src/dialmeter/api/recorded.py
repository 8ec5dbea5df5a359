"""Finished runs in Python: their recorded scores and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..core.open_runs import Run
from ..core.result import Result
from ..errors import DialmeterError
from ..measure import Score as MeasuredScore
from ..views.chart_files import Chart, score_chart
from ..views.summaries.summary import Summary
from ..views.tables import Table, percent
from .scores import Score, ScoreList

_PARTS = {"judge": ("judge", "attack", "corpus"), "people": ("judge", "facet", "level")}
"""Kind of a run → the groups that are parts of the name of a score."""


class RecordedResult(Result):
    """The scores that a run recorded."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._scores = [_recorded_score(each) for each in run.scores]

    @property
    def scores(self) -> list[MeasuredScore]:
        return self._scores

    @property
    def named_scores(self) -> dict[Any, MeasuredScore]:
        parts = _PARTS.get(self.run.manifest.get("kind", ""), ())
        named: dict[Any, MeasuredScore] = {}
        for each in self._scores:
            own = tuple(str(each.group[part]) for part in parts if each.group.get(part))
            name = own if "attack" in each.group else (each.measure, *own)
            named.setdefault(name if own else each.measure, each)
        return named

    def to_dicts(self) -> list[dict[str, Any]]:
        return self.run.scores

    def by(self, group: str) -> list[MeasuredScore]:
        found = [each for each in self._scores if group in each.group]
        if not found:
            raise DialmeterError(
                f"the run has no scores by {group!r}; score the file again: dm.score(FILE).by({group!r})"
            )
        return found

    def worst(self, n: int = 10) -> list[dict[str, Any]]:
        """Return the rows with the lowest values of the first column of scores."""
        column = next((values for name, values in self.run.index().items() if name != "offset"), None)
        if column is None:
            return []
        order = [int(place) for place in column.argsort(kind="stable") if column[place] == column[place]]
        return [self.run.row(place) for place in order[:n]]


def _recorded_score(entry: Mapping[str, Any]) -> MeasuredScore:
    fields = MeasuredScore.__struct_fields__
    given = {key: value for key, value in entry.items() if key in fields and value is not None}
    group = {key: value for key, value in entry.items() if key not in fields and isinstance(value, str | int)}
    whole = {"value": None, "n": 0, "unscored": 0, "signature": "", **given, "group": group}
    return msgspec.convert(whole, MeasuredScore)


def preferred(_: RecordedResult, matches: Sequence[Any]) -> Sequence[Any]:
    """Return the first score that a short name means, if all are of the same measure or judge."""
    return matches[:1] if len({each if isinstance(each, str) else each[0] for each in matches}) == 1 else matches


def rows(result: RecordedResult) -> list[dict[str, Any]]:
    """Return the rows of the run."""
    return list(result.run)


def find_rows(result: RecordedResult) -> list[dict[str, Any]]:
    """Return one row per slot at a turn of a tracker, and the rows of other runs with their outcome."""
    found: list[dict[str, Any]] = []
    for row in result.run:
        slots = [
            {"dialogue": row["id"], "turn": turn["turn"], "slot": slot, "outcome": each["class"]}
            | {side: turn[side].get(slot) for side in ("gold", "pred")}
            for turn in row.get("turns", ())
            for slot, each in turn.get("slots", {}).items()
        ]
        found += slots or [{**row, **row.get("outcome", {})}]
    return found


def errors(result: RecordedResult) -> list[dict[str, Any]]:
    """Return the worst rows."""
    return result.worst()


def tables(result: RecordedResult) -> list[Table]:
    """Return the table of the scores."""
    return [ScoreList(map(Score, result.scores)).table()]


def charts(results: Mapping[str, RecordedResult]) -> Iterator[Chart]:
    """Yield the chart of the scores."""
    yield score_chart("scores", "Scores", {name: each.scores for name, each in results.items()}, "percent")


def summary(result: RecordedResult, command: str) -> Summary:
    """Return the summary of the run."""
    run = result.run
    shown = [f"{each.measure} {percent(each.value)}" for each in result.scores[:3] if each.value is not None]
    return Summary(
        verdict=f"{', '.join(shown)}; {run.manifest.get('kind')} run {run.folder.name}",
        table=ScoreList(map(Score, result.scores[:10])).table(),
        signature=str(run.manifest.get("signature") or ""),
        next=f"dialmeter view {run.folder}",
    )
