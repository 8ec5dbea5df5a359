"""What the scores of trackers would be if one candidate were corrected: only its dialogue is scored again."""

from __future__ import annotations

from collections.abc import Sequence

from ...measure import Score
from ...model import dialogue_key
from ...readers.pairs.vocabulary import PairDialogue
from ...tracking.gold_patch import GoldPatch
from ...tracking.scorer import TrackerScorer
from ...tracking.vectors.bootstrap_matrix import columns, order_of
from .candidates import Candidate
from .trackers import MEASURES, AuditedTracker, TrackerSet


def corrected_scores(trackers: TrackerSet, candidates: Sequence[Candidate]) -> list[dict[str, dict[str, float | None]]]:
    """By candidate, tracker and measure: the score of the whole corpus if the candidate alone were corrected."""
    found: list[dict[str, dict[str, float | None]]] = [{} for _ in candidates]
    for tracker in trackers.trackers:
        for place, scores in enumerate(_of_tracker(trackers, tracker, candidates)):
            found[place][tracker.name] = scores
    return found


def _of_tracker(
    trackers: TrackerSet, tracker: AuditedTracker, candidates: Sequence[Candidate]
) -> list[dict[str, float | None]]:
    from ...stats.formulas import evaluate

    if not candidates:
        return []
    # Every candidate is a separate dialogue here, named by its place.
    scorer = TrackerScorer(MEASURES, trackers.rules, vocabulary=trackers.words)
    for place, candidate in enumerate(candidates):
        read = tracker.reads[dialogue_key(candidate.dialogue)]
        scorer.add_pairs(_named(GoldPatch(candidate.corrections).apply(read, trackers.words), f"{place:09}"))
    new, formulas = columns(scorer.result().measure_columns, scorer.result().asked)
    measure_columns = tracker.result.measure_columns
    old, _ = columns(measure_columns, tracker.result.asked)
    rows = {
        dialogue_key(measure_columns.main.dialogues[position]): row
        for row, position in enumerate(order_of(measure_columns))
    }
    replaced = old[[rows[dialogue_key(candidate.dialogue)] for candidate in candidates]]
    sums = old.sum(axis=0) - replaced + new
    values = {name: evaluate(formula, sums).tolist() for name, formula in formulas.items()}
    return [{name: values[name][place] for name in values} for place in range(len(candidates))]


def _named(read: PairDialogue, name: str) -> PairDialogue:
    found = PairDialogue(name, read.place)
    found.numbers, found.gold, found.pred, found.turns = read.numbers, read.gold, read.pred, read.turns
    return found


def scores_of(tracker: AuditedTracker) -> dict[str, Score]:
    """The scores of a tracker on gold as it is, by measure."""
    return {score.measure: score for score in tracker.result.scores}
