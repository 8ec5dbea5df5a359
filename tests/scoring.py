"""Score trackers in one call, from files or from states in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dialmeter.core.comparison import make_resampling
from dialmeter.measure import Measure
from dialmeter.readers.layouts.schema import read_schema
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file
from dialmeter.tracking.vectors.measure_columns import By


def score_tracker(
    gold: Any,
    pred: Any = None,
    measures: Sequence[str | Measure] | None = None,
    rules: str | Path | Rules = "dialmeter",
    *,
    schema: str | None = None,
    by: Sequence[By] = ("domain", "slot"),
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    **formats: str,
) -> TrackerResult:
    """The result of two files, of a file that holds both sides, or of lists of states by dialogue."""
    resampling = make_resampling(ci, resamples, seed)
    if isinstance(gold, str | Path):
        path, gold_path = (str(gold), None) if pred is None else (str(pred), str(gold))
        return score_file(
            path,
            gold_path,
            measures=measures,
            rules=rules,
            schema=schema,
            by=by,
            resampling=resampling,
            **formats,  # type: ignore[arg-type]
        )
    golds, preds = (each if isinstance(each, Mapping) else dict(enumerate(each)) for each in (gold, pred))
    scorer = TrackerScorer(measures, rules, read_schema(schema) if schema else None, by)
    for name, states in golds.items():
        scorer.add(name, states, preds[name])
    return scorer.result(resampling=resampling)
