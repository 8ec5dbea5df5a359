"""Compute the scores of trackers if one candidate were corrected. Only its dialogue is scored again."""

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
    """Return, by candidate, tracker and measure, the score of the whole corpus if only this candidate were corrected."""
    corrected: list[dict[str, dict[str, float | None]]] = [{} for _ in candidates]
    for tracker in trackers.trackers:
        for by_tracker, scores in zip(corrected, _tracker_scores(trackers, tracker, candidates), strict=True):
            by_tracker[tracker.name] = scores
    return corrected


def _tracker_scores(
    trackers: TrackerSet, tracker: AuditedTracker, candidates: Sequence[Candidate]
) -> list[dict[str, float | None]]:
    from ...stats.formulas import evaluate

    if not candidates:
        return []
    # Every candidate is a separate dialogue here, named by its index.
    scorer = TrackerScorer(MEASURES, trackers.rules, vocabulary=trackers.words)
    for index, candidate in enumerate(candidates):
        read = tracker.reads[dialogue_key(candidate.dialogue)]
        scorer.add_pairs(_rename(GoldPatch(candidate.corrections).apply(read, trackers.words), f"{index:09}"))
    new, formulas = columns(scorer.result().measure_columns, scorer.result().measures)
    measure_columns = tracker.result.measure_columns
    old, _ = columns(measure_columns, tracker.result.measures)
    rows = {
        dialogue_key(measure_columns.main.dialogues[position]): row
        for row, position in enumerate(order_of(measure_columns))
    }
    replaced = old[[rows[dialogue_key(candidate.dialogue)] for candidate in candidates]]
    sums = old.sum(axis=0) - replaced + new
    values = {name: evaluate(formula, sums).tolist() for name, formula in formulas.items()}
    return [{name: values[name][index] for name in values} for index in range(len(candidates))]


def _rename(read: PairDialogue, name: str) -> PairDialogue:
    renamed = PairDialogue(name, read.place)
    renamed.numbers, renamed.gold, renamed.pred, renamed.turns = read.numbers, read.gold, read.pred, read.turns
    return renamed


def scores_of(tracker: AuditedTracker) -> dict[str, Score]:
    """Return the scores of a tracker on uncorrected gold, by measure."""
    return {score.measure: score for score in tracker.result.scores}
