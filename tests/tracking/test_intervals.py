"""The intervals of a result equal those of a plain bootstrap over its columns."""

from __future__ import annotations

import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.stats import bootstrap
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.vectors.measure_columns import columns

from ..two_trackers import dialogues

MEASURES = [
    "JGA",
    "SA",
    "RSA",
    "FGA(lam=0.5)",
    "GCA",
    "SlotF1",
    "GCA(average=dialogue)",
    "FinalJGA",
    "JGA(average=dialogue)",
]


@pytest.mark.parametrize("threads", [1, 3])
def test_columns_kept_once_give_the_same_intervals(threads):
    scorer = TrackerScorer(MEASURES)
    for dialogue in dialogues("hasty"):
        scorer.add_dialogue(dialogue)
    result = scorer.result(resampling=Resampling(0.9, 200, 7))
    matrix, formulas = columns(result.measure_columns, result.measures)
    plain = bootstrap(matrix, formulas, confidence=0.9, resamples=200, seed=7)
    result.threads = threads
    assert {score.measure: score.ci for score in result.scores} == {
        name: (found.low, found.high) for name, found in plain.items()
    }


def test_a_measure_without_value_has_no_interval():
    scorer = TrackerScorer(["JGA", "GCA"])
    for name in "ab":
        scorer.add(name, [{}], [{}])
    jga, gca = scorer.result(resampling=Resampling(resamples=50)).scores
    assert jga.ci == pytest.approx((0.025**0.5, 1.0))
    assert (gca.value, gca.ci, gca.ci_reason) == (None, None, "")
