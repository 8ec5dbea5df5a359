"""The lambda that correlates best with ratings."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialmeter import DialmeterError
from dialmeter.measure import parse
from dialmeter.model import dialogue_key
from dialmeter.studies.human import FOLDS, LAMBDAS, LambdaFit, Ratings, fit_lambda
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scoring import score_file

from .few_shots import gold, predicted, write


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> TrackerResult:
    path = tmp_path_factory.mktemp("fit") / "predictions.json"
    return score_file(str(write(path, predicted(gold(40), 0.3, 5))), measures=["JGA"])


def rated(result: TrackerResult, lam: str, noise: float = 0.0, seed: int = 1) -> Ratings:
    """Return ratings that are FGA at a lambda plus noise."""
    draw = random.Random(seed)
    values = result.measure_columns.per_dialogue(parse(f"FGA(lam={lam})"))
    cells = zip(result.measure_columns.main.dialogues, values, strict=True)
    table = {dialogue_key(name): {"x": 10 * (value or 0) - 3 + draw.gauss(0, 10 * noise)} for name, value in cells}
    return Ratings(("x",), table, {dialogue_key(name): name for name in result.measure_columns.main.dialogues})


def fitted(result: TrackerResult, ratings: Ratings, **more: float) -> LambdaFit:
    return fit_lambda(result, ratings, list(ratings.names.values()), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("lam", ["0", "0.05", "0.3", "1", "2", "inf"])
def test_ratings_that_follow_a_lambda_give_it_back(result: TrackerResult, lam: str) -> None:
    fit = fitted(result, rated(result, lam))
    expected = "inf" if lam == "inf" else float(lam)
    assert fit.lam == expected
    assert fit.ci == (expected, expected)
    assert set(fit.folds) == {expected}
    assert len(fit.folds) == FOLDS
    assert fit.pearson == pytest.approx(1)
    assert fit.held_out.value == pytest.approx(1)
    assert fit.signature.startswith(f"FGA(lam={lam})|rules:dialmeter|")
    assert "|people:pearson|fit:10-fold|seed:7|rated:40d|ratings:" in fit.signature


def test_the_curve_is_that_of_scipy(result: TrackerResult) -> None:
    ratings = rated(result, "0.3", noise=0.2)
    people = [ratings.mean(dialogue_key(name)) for name in result.measure_columns.main.dialogues]
    fit = fitted(result, ratings)
    for point, lam in zip(fit.curve, LAMBDAS, strict=True):
        values = result.measure_columns.per_dialogue(parse(f"FGA(lam={lam})"))
        assert point.pearson == pytest.approx(stats.pearsonr(values, people).statistic)
    best = max(point.pearson or -1 for point in fit.curve)
    assert fit.pearson == best
    [first] = [point.lam for point in fit.curve if point.pearson == best]
    assert fit.lam == first
    rivals = {each.measure: each.pearson.value for each in fit.rivals}
    assert rivals["JGA"] == pytest.approx(fit.curve[0].pearson)
    assert rivals["FGA(lam=0.5)"] == fit.curve[LAMBDAS.index(0.5)].pearson
    assert rivals["LocalAccuracy"] == pytest.approx(fit.curve[-1].pearson)


def test_no_dialogue_takes_part_in_the_choice_of_its_own_lambda(result: TrackerResult) -> None:
    """The rating of one dialogue changes only the lambda of other folds."""
    ratings = rated(result, "0.3", noise=0.3)
    before = fitted(result, ratings)
    for key in list(ratings.by_dialogue)[:5]:
        changed = {**ratings.by_dialogue, key: {"x": 1000.0}}
        after = fitted(result, Ratings(ratings.raters, changed, ratings.names))
        same = [one == other for one, other in zip(before.folds, after.folds, strict=True)]
        assert any(same)
        assert not all(same)


def test_noise_alone_is_not_taken_for_agreement(result: TrackerResult) -> None:
    """On the dialogues on which it is chosen, a lambda is never worse than any other. On other dialogues it has no advantage."""
    fits = [fitted(result, rated(result, "0", noise=30, seed=seed), confidence=0) for seed in range(12)]
    assert all((fit.pearson or 0) >= max(point.pearson or -1 for point in fit.curve) for fit in fits)
    chosen = np.mean([fit.pearson or 0 for fit in fits])
    honest = np.mean([fit.held_out.value or 0 for fit in fits])
    assert honest < chosen


def test_the_interval_holds_the_true_lambda(result: TrackerResult) -> None:
    held = 0
    for seed in range(20):
        fit = fitted(result, rated(result, "0.5", noise=0.2, seed=seed))
        assert fit.ci is not None
        low, high = (math.inf if limit == "inf" else limit for limit in fit.ci)
        held += low <= 0.5 <= high
    assert held >= 17


def test_order_and_seed(result: TrackerResult) -> None:
    ratings = rated(result, "0.3", noise=0.3)
    reversed_ = Ratings(ratings.raters, dict(reversed(ratings.by_dialogue.items())), ratings.names)
    assert fitted(result, ratings) == fitted(result, reversed_)
    assert fitted(result, ratings, seed=8).curve == fitted(result, ratings).curve


def test_ratings_that_say_nothing(result: TrackerResult) -> None:
    ratings = rated(result, "0.3")
    same = Ratings(ratings.raters, {key: {"x": 3.0} for key in ratings.by_dialogue}, ratings.names)
    fit = fitted(result, same)
    assert (fit.lam, fit.ci, fit.pearson, fit.signature) == (None, None, None, "")
    assert fit.reason == "the rating is constant, so nothing correlates with it"
    assert set(fit.folds) == {None}
    few = dict(list(ratings.by_dialogue.items())[:2])
    names = {key: ratings.names[key] for key in few}
    assert fitted(result, Ratings(ratings.raters, few, names)).reason.startswith("a correlation needs at least three")


def test_rules_decide_which_turns_are_locally_right(shared: Path) -> None:
    path = str(shared / "data/tracking/som_dst_100.json")
    result = score_file(path, measures=["JGA"], rules="fga-repo")
    values = result.measure_columns.per_dialogue(parse("FGA(lam=0.3, local=code)"))
    names = result.measure_columns.main.dialogues
    table = {dialogue_key(name): {"x": value or 0} for name, value in zip(names, values, strict=True)}
    fit = fitted(result, Ratings(("x",), table, {dialogue_key(name): name for name in names}))
    assert fit.lam == 0.3
    assert fit.signature.startswith("FGA(lam=0.3, local=code)|rules:fga-repo|")


def test_rules_without_fga_are_refused(result: TrackerResult) -> None:
    from msgspec.structs import replace

    ratings = rated(result, "0.3")
    other = object.__new__(TrackerResult)
    other.__dict__.update(result.__dict__, rules=replace(result.rules, only_measures=("JGA",)))
    with pytest.raises(DialmeterError, match="is not defined under rules"):
        fitted(other, ratings)
