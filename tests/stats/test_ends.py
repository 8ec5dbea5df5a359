"""Intervals if all resamples are equal: an exact interval at the ends of the range, and none inside it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.judges.scorer import score_judge
from dialmeter.stats.formulas import Formula, ratio
from dialmeter.stats.resampling import bootstrap, end_limits, paired_bootstrap
from dialmeter.studies.curve import Series
from dialmeter.tracking.scorer import TrackerScorer

from ..users.scoring import score_user
from ..viewer.made import case_lines, dialmeter

RESAMPLING = Resampling(resamples=200)
SAME = "all resamples have the same value"


def rows(value: float, dialogues: int = 20) -> np.ndarray:
    return np.array([[4 * value, 4.0]] * dialogues)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("dialogues", [2, 20, 300])
def test_ends_of_range(dialogues: int, confidence: float) -> None:
    found = {
        value: bootstrap(rows(value, dialogues), {"m": ratio()}, confidence=confidence, resamples=100)["m"]
        for value in (0.0, 0.5, 1.0)
    }
    share = ((1 - confidence) / 2) ** (1 / dialogues)
    assert (found[1.0].low, found[1.0].high) == pytest.approx((share, 1.0))
    assert (found[0.0].low, found[0.0].high) == pytest.approx((0.0, 1 - share))
    assert (found[0.5].low, found[0.5].high, found[0.5].reason) == (None, None, SAME)


def test_clopper_pearson() -> None:
    from scipy.stats import binomtest

    for n in (5, 20, 77):
        exact = binomtest(n, n).proportion_ci(0.95, method="exact")
        assert end_limits(1.0, n, 0.95) == pytest.approx((exact.low, exact.high))


def test_silent_dialogues() -> None:
    silent = np.array([[4.0, 4.0]] * 5 + [[0.0, 0.0]] * 15)
    found = bootstrap(silent, {"m": ratio()}, resamples=500)["m"]
    assert found.low == pytest.approx(0.025 ** (1 / 5))


def test_other_ranges() -> None:
    grade = Formula(ratio().value, low=1.0, high=5.0)
    found = bootstrap(rows(5.0), {"m": grade}, resamples=100)["m"]
    assert (found.low, found.high) == pytest.approx((5 - 4 * (1 - 0.025 ** (1 / 20)), 5.0))
    for value in (0.0, 3.0):
        endless = bootstrap(rows(value), {"m": Formula(ratio().value, high=math.inf)}, resamples=100)["m"]
        assert (endless.low, endless.reason) == (None, SAME)


def test_constant_differences() -> None:
    same = paired_bootstrap(rows(0.5), rows(0.5), {"m": ratio()}, resamples=100)["m"]
    assert (same.value, same.low, same.high, same.p, same.reason) == (0.0, None, None, 1.0, SAME)
    apart = paired_bootstrap(rows(0.0), rows(1.0), {"m": ratio()}, resamples=100)["m"]
    assert (apart.value, apart.low, apart.reason) == (1.0, None, SAME)
    assert apart.p is not None
    assert apart.p < 0.05


def test_trackers() -> None:
    scorer = TrackerScorer(["JGA", "FGA(lam=0.5)", "GCA", "SA", "JGA(average=dialogue)", "ValueF1"])
    gold = [{"ferry-to": "lowick"}, {"ferry-to": "lowick", "ferry-day": "friday"}]
    for number in range(20):
        scorer.add(f"d{number}", gold, gold)
    for score in scorer.result(resampling=RESAMPLING).scores:
        assert score.value == pytest.approx(1.0)
        if score.measure == "ValueF1":
            # It may exceed 1 if a state has a slot twice, so 1 is not the end of its range.
            assert (score.ci, score.ci_reason) == (None, SAME)
        else:
            assert score.ci == pytest.approx((0.025 ** (1 / 20), 1.0)), score.measure
            assert score.ci[1] == 1.0


def test_users(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    dialmeter("play", "--goals", 8, "--set", f"noise={0}", "--workers", 1, "--out", talk, "-q")
    result = score_user(str(talk), profile="town", resamples=200)
    ends = [score for score in result.scores if score.value in (0.0, 1.0)]
    assert ends
    for score in ends:
        share = 0.025 ** (1 / score.n)
        assert score.ci == pytest.approx((share, 1.0) if score.value else (0.0, 1 - share)), score


def test_judges(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(case_lines(), "utf-8")
    result = score_judge(tmp_path / "cases.jsonl", ["constant", "length"])
    constant = result["constant", "repetition"]
    assert (constant.difference, constant.difference_ci) == (0.0, None)
    assert constant.difference_ci_reason == "all scores are equal"
    for cell in result.scores:
        if cell.value in (0.0, 1.0):
            assert cell.ci is not None
            assert cell.ci[0] < cell.ci[1]


def test_curves_over_seeds() -> None:
    samples = np.ones((3, 100))
    found = Series([1.0, 1.0, 1.0], samples, [rows(1.0)], ratio(), 20).mean()
    assert found.dialogues == pytest.approx((0.025 ** (1 / 20), 1.0))
    assert (found.seeds, found.reason) == (None, "all seeds have the same value")
    difference = Series([0.0, 0.0], np.zeros((2, 100)), dialogues=20).mean()
    assert difference.dialogues is None
    assert difference.reason == f"all seeds have the same value; {SAME}"
