"""Comparison of trackers: comparability, significance tests, ranks and groups."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from scipy import stats as scipy_stats

from dialmeter import DialmeterError
from dialmeter.core.comparison import Resampling
from dialmeter.tracking.baselines import TRIVIAL, trivial
from dialmeter.tracking.compare import (
    compare,
    requested_measure,
    turn_tests,
    values_by_dialogue,
)
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file

from ..two_trackers import TRACKERS, dialogues, written

HOW = Resampling(resamples=2000)
MEASURES = ["JGA", "FGA(lam=0.5)", "GCA", "SA(slots=30)"]
DIALMETER = named("dialmeter")


@pytest.fixture(scope="module")
def som_dst(shared: Path) -> dict[str, TrackerResult]:
    path = str(shared / "data/tracking/som_dst_100.json")
    found = {"som-dst": score_file(path, measures=MEASURES, resampling=HOW)}
    for name in TRIVIAL:
        found[name] = score_file(path, measures=MEASURES, change=trivial(name, DIALMETER), resampling=HOW)
    return found


def scored(states: dict[str, list[tuple[dict[str, str], dict[str, str]]]], rules: str = "dialmeter") -> TrackerResult:
    scorer = TrackerScorer(MEASURES, rules)
    for name, turns in states.items():
        scorer.add(name, [gold for gold, _ in turns], [pred for _, pred in turns])
    return scorer.result()


def test_som_dst_against_trivial_trackers(som_dst: dict[str, TrackerResult]) -> None:
    found = {(each.measure, each.system): each for each in compare(som_dst, HOW).versus}
    assert set(found) == {(measure, name) for measure in MEASURES for name in TRIVIAL}
    empty = found["JGA", "empty"]
    assert empty.difference == som_dst["empty"]["JGA"].value - som_dst["som-dst"]["JGA"].value  # type: ignore[operator]
    assert empty.ci
    assert empty.ci[0] < empty.difference < empty.ci[1] < 0
    assert empty.p is not None
    assert empty.p < 0.01
    # The yardstick with one slot wrong is as good as the tracker under GCA, and the test says so.
    close = found["GCA", "one-wrong"]
    assert close.p is not None
    assert close.p > 0.05
    assert close.ci
    assert close.ci[0] < 0 < close.ci[1]
    for each in found.values():
        assert each.better + each.same + each.worse == 100
        assert each.p_holm is not None
        assert each.p is not None
        assert each.p <= each.p_holm <= 1


def test_win_tie_loss_by_hand(som_dst: dict[str, TrackerResult]) -> None:
    base, late = som_dst["som-dst"], som_dst["late"]
    pairs = list(
        zip(values_by_dialogue(base, base.measures[0]), values_by_dialogue(late, late.measures[0]), strict=True)
    )
    [found] = [each for each in compare(som_dst, HOW).versus if (each.measure, each.system) == ("JGA", "late")]
    assert (found.better, found.same, found.worse) == (
        sum(after > before for before, after in pairs),  # type: ignore[operator]
        sum(after == before for before, after in pairs),
        sum(after < before for before, after in pairs),  # type: ignore[operator]
    )


def test_p_near_other_paired_test(som_dst: dict[str, TrackerResult]) -> None:
    """Per dialogue means are close to a linear measure, so scipy's paired permutation test gives nearly the same p."""
    base, other = som_dst["som-dst"], som_dst["one-wrong"]
    before = values_by_dialogue(base, requested_measure(base, "SA(slots=30)"))
    after = values_by_dialogue(other, requested_measure(other, "SA(slots=30)"))
    theirs = scipy_stats.permutation_test(
        (before, after), lambda x, y, axis: (y - x).mean(axis=axis), permutation_type="samples", n_resamples=4000, rng=1
    ).pvalue
    measures = ["SA(slots=30, average=dialogue)"]
    systems = {name: _again(som_dst[name], measures) for name in ("som-dst", "one-wrong")}
    [found] = compare(systems, Resampling(resamples=4000)).versus
    assert found.p == pytest.approx(theirs, abs=0.03)


def _again(result: TrackerResult, measures: list[str]) -> TrackerResult:
    from dialmeter.tracking.resolve_measures import resolve

    asked, _ = resolve(measures, result.rules)
    again = object.__new__(TrackerResult)
    again.__dict__.update(result.__dict__, measures=asked)
    again.__dict__.pop("scores", None)
    return again


def test_ranks_and_disagreement(som_dst: dict[str, TrackerResult]) -> None:
    found = compare(som_dst, HOW).ranks
    for measure in MEASURES:
        expected = scipy_stats.rankdata([-(result[measure].value or 0) for result in som_dst.values()], method="min")
        assert list(found.by_measure[measure].values()) == expected.tolist()
    assert found.by_measure["JGA"]["som-dst"] == 1
    assert found.by_measure["GCA"]["one-wrong"] == 1
    taus = {(one, other): tau for one, other, tau in found.tau}
    values = [[result[measure].value for result in som_dst.values()] for measure in ("JGA", "GCA")]
    assert taus["JGA", "GCA"] == pytest.approx(scipy_stats.kendalltau(*values).statistic)
    assert taus["JGA", "GCA"] < 1  # type: ignore[operator]


def test_mcnemar_counts(som_dst: dict[str, TrackerResult]) -> None:
    [turns] = [each for each in turn_tests(som_dst) if (each.system, each.unit) == ("late", "turn")]
    assert turns.n == 751
    exact = [som_dst[name].counts["exact_turns"] for name in ("som-dst", "late")]
    assert turns.only_base - turns.only_system == exact[0] - exact[1]
    discordant = turns.only_base + turns.only_system
    assert turns.p == pytest.approx(scipy_stats.binomtest(turns.only_base, discordant).pvalue)


def test_two_published_files(shared: Path) -> None:
    folder = shared / "data/tracking/nested"
    systems = {name: score_file(str(folder / f"poc__{name}.json")) for name in ("NU1", "NU2")}
    found = compare(systems, HOW)
    assert found.notices[0].code == "few-dialogues"
    assert all(each.p is None and each.reason == "too few dialogues" for each in found.versus)
    assert {each.measure: each.difference for each in found.versus}["GCA"] == pytest.approx(0)


def test_dialogue_order(shared: Path) -> None:
    turns = {f"d{i}": [({"a-b": "1"}, {"a-b": str(i % 3)})] for i in range(9)}
    better = {name: [({"a-b": "1"}, {"a-b": "1"})] for name in turns}
    one = compare({"x": scored(turns), "y": scored(better)}, HOW).versus
    other = compare({"x": scored(dict(reversed(turns.items()))), "y": scored(better)}, HOW).versus
    assert one == other


def test_equal_systems() -> None:
    turns = {f"d{i}": [({"a-b": "1"}, {"a-b": str(i % 2)})] for i in range(8)}
    found = compare({"x": scored(turns), "y": scored(turns)}, HOW)
    assert all(each.difference == 0 and each.same == 8 for each in found.versus)
    assert all(each.p == 1 for each in found.versus)
    assert all(tau is None for _, _, tau in found.ranks.tau)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"d0": [({"a-b": "1"}, {})]}, "have different dialogues: 1 only in x"),
        ({"d0": [({"a-b": "1"}, {})], "d1": [({"a-b": "2"}, {})]}, "different gold in 1 of 2 dialogues, first d1"),
    ],
)
def test_what_is_not_comparable(other: dict[str, list[tuple[dict[str, str], dict[str, str]]]], message: str) -> None:
    base = scored({"d0": [({"a-b": "1"}, {})], "d1": [({"a-b": "1"}, {})]})
    with pytest.raises(DialmeterError, match=message):
        compare({"x": base, "y": scored(other)}, HOW)


def test_other_rules_incomparable() -> None:
    turns = {"d0": [({"a-b": "1"}, {})], "d1": [({"a-b": "1"}, {})]}
    with pytest.raises(DialmeterError, match="rules: dialmeter ≠ trade"):
        compare({"x": scored(turns), "y": scored(turns, "trade")}, HOW)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrackerResult]:
    folder = tmp_path_factory.mktemp("trackers")
    return {name: score_file(str(written(name, folder))) for name in TRACKERS}


def test_what_is_in_dialogues(results: dict[str, TrackerResult]) -> None:
    found = dialogues("steady")
    assert len(found) >= 30
    assert results["steady"].data == results["hasty"].data
    golds = [[turn.gold or {} for turn in dialogue.turns] for dialogue in found]
    values = {value for states in golds for state in states for value in state.values()}
    assert {"dontcare", "cheap|moderate"} <= values
    pairs = [pair for states in golds for pair in pairwise(states)]
    assert any(one.keys() - two.keys() for one, two in pairs), "a deletion"
    assert any(one == two for one, two in pairs), "a turn that changes nothing"


def test_measures_disagree_on_better(results: dict[str, TrackerResult]) -> None:
    found = {each.measure: each for each in compare(results, Resampling(resamples=10_000)).versus}
    assert found["JGA"].difference is not None
    assert found["GCA"].difference is not None
    assert found["JGA"].difference > 0 > found["GCA"].difference
    assert found["JGA"].p_holm is not None
    assert found["GCA"].p_holm is not None
    assert found["GCA"].p_holm < 0.05 < found["JGA"].p_holm
