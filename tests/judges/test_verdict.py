"""Thresholds and verdicts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dialmeter.errors import DialmeterError
from dialmeter.judges.cases import Threshold, conforms, expected_of, parse_threshold, relation

from .made import case


def test_the_paper_threshold_shrinks_with_n_and_a_share_of_the_deviation_does_not() -> None:
    few, many = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0] * 25
    paper, share = Threshold("paper", 0.05), Threshold("sd", 0.5)
    assert paper.value(many) < paper.value(few) / 5  # type: ignore[operator]
    assert share.value(many) == pytest.approx(share.value(few), abs=1e-12)


def test_noise_is_a_quantile_of_differences_on_identical_replies() -> None:
    assert Threshold("noise", 0.95).value([], [0.0] * 99 + [1.0]) == 0.0
    assert Threshold("noise", 0.5).value([], [1.0, 2.0, 3.0]) == 2.0
    assert Threshold("noise", 0.5).value([1.0, 2.0], []) is None


def test_there_is_no_threshold_from_one_score() -> None:
    assert Threshold("paper", 0.05).value([1.0]) is None
    assert Threshold("sd", 0.5).value([1.0]) is None
    assert Threshold("fixed", 0.5).value([1.0]) == 0.5


def test_equal_scores_give_exactly_zero() -> None:
    assert Threshold("paper", 0.05).value([0.1] * 7) == 0.0


@pytest.mark.parametrize("text", ["papper", "sd=x", "sd=-1", "noise=1.5", "fixed", "fixed=nan", "paper=0", ""])
def test_invalid_thresholds(text: str) -> None:
    with pytest.raises(DialmeterError, match="--threshold"):
        parse_threshold(text)


@pytest.mark.parametrize(
    ("difference", "found"), [(0.5, "similar"), (-0.5, "similar"), (0.5000001, "higher"), (-0.5000001, "lower")]
)
def test_only_more_than_the_threshold_counts(difference: float, found: str) -> None:
    assert relation(difference, 0.5) == found


@pytest.mark.parametrize(
    ("expected", "fine"), [("lower", {"higher"}), ("similar", {"similar"}), ("at-most", {"higher", "similar"})]
)
def test_conforming_relations(expected: str, fine: set[str]) -> None:
    assert {each for each in ("higher", "similar", "lower") if conforms(each, expected)} == fine  # type: ignore[arg-type]


def test_entrainment_as_published() -> None:
    attacked = case("entrainment", 1)
    assert (expected_of(attacked), expected_of(attacked, "published")) == ("at-most", "lower")
    assert expected_of(case("vocabulary", 1), "published") == "at-most"
    with pytest.raises(DialmeterError, match="expected is 'better'"):
        expected_of(replace(attacked, expected="better"))
