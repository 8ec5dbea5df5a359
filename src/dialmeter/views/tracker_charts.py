"""The pictures of scored trackers: measures, turns, mistakes by slot, confused values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..tracking.diagnosis.findings import Mistakes
from ..tracking.result import TrackerResult
from .chart_files import Chart, slug
from .charts import bars, by_turn, confusion, error_classes, parallel
from .charts.data import Estimate

_CONFUSED_SLOTS = 5


def system_charts(results: Mapping[str, TrackerResult]) -> Iterator[Chart]:
    """Measures side by side and JGA by turn; parallel coordinates where there are several systems."""
    scores = {
        name: {score.measure: Estimate(score.value, *(score.ci or ())) for score in result.scores}
        for name, result in results.items()
    }
    yield Chart("measures", bars.draw(scores, y_label="score in percent"), bars.table(scores))
    if len(results) > 1:
        values = {name: {each.measure: each.value for each in result.scores} for name, result in results.items()}
        yield Chart("parallel", parallel.draw(values), parallel.table(values))
    first = next(iter(results.values()))
    turns = [each.text for each in first.asked if each.used.reads() == "tally" and each.used.average == "turn"]
    chosen = "JGA" if "JGA" in turns else next(iter(turns), None)
    if chosen is not None:
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
            yield Chart("by-turn", by_turn.draw(series, dialogues, y_label=label), by_turn.table(series, dialogues))


def mistake_charts(mistakes: Mistakes) -> Iterator[Chart]:
    """Mistakes by slot, and the confused values of the slots with most of them."""
    counts = {slot: dict(found) for slot, found in mistakes.by_slot().items()}
    yield Chart("mistakes", error_classes.draw(counts), error_classes.table(counts))
    for slot in mistakes.worst_slots(_CONFUSED_SLOTS):
        pairs = mistakes.values(slot)
        yield Chart(f"values-{slug(slot)}", confusion.draw(pairs, slot=slot), confusion.table(pairs))
