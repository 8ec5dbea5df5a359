"""Discriminative power: pairs of systems that measures distinguish."""

from __future__ import annotations

from itertools import combinations

import pytest

from dialmeter import DialmeterError
from dialmeter.core.comparison import Resampling
from dialmeter.stats.significance import holm
from dialmeter.studies.power import can_tell_apart, discriminative_power
from dialmeter.tracking.compare import compare
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import TrackerScorer

RESAMPLING = Resampling(resamples=1000)
GOLD = [{"a-x": "1"}, {"a-x": "1", "a-y": "1"}, {"a-x": "1", "a-y": "1", "a-z": "1"}]


def system(wrong: set[int], dialogues: int = 20) -> TrackerResult:
    """Return a tracker that is wrong in one slot at these turns of every dialogue, with small differences between dialogues."""
    scorer = TrackerScorer(["JGA", "SA(slots=30)", "DialogueAccuracy"])
    for number in range(dialogues):
        pred = [dict(state) for state in GOLD]
        for turn in wrong if number % 3 else {2}:
            pred[turn]["a-x"] = "?"
        scorer.add(f"d{number}", GOLD, pred)
    return scorer.result()


SYSTEMS = {"early": system({0, 1, 2}), "late": system({2}), "middle": system({1, 2}), "again": system({1, 2})}


def test_counts_are_those_of_the_tests_of_each_pair() -> None:
    study = discriminative_power(SYSTEMS, RESAMPLING)
    versus = compare(SYSTEMS, RESAMPLING, all_pairs=True).versus
    for power in study.measures:
        of_measure = [each for each in versus if each.measure == power.measure]
        corrected = holm([each.p for each in of_measure])
        assert power.pairs == 6
        assert power.apart == sum(p is not None and p < 0.05 for p in corrected)
        assert power.share == power.apart / 6
        tests = [each for each in study.pairs if each.measure == power.measure]
        assert [(each.base, each.system) for each in tests] == list(combinations(SYSTEMS, 2))
        assert [each.p_holm for each in tests] == corrected
        assert sum(each.apart for each in tests) == power.apart
    found = {each.measure: (each.apart, each.rank) for each in study.measures}
    # Five of six pairs differ in single turns; no system has a dialogue without mistakes.
    assert found == {"JGA": (5, 1), "SA(slots=30)": (5, 1), "DialogueAccuracy": (0, 3)}
    assert {each.measure for each in study.best} == {"JGA", "SA(slots=30)"}


def test_other_measures_do_not_change_the_result_of_one() -> None:
    alone = {name: result for name, result in SYSTEMS.items() if name != "again"}
    few = discriminative_power(alone, RESAMPLING)
    scores = {each.measure: each.apart for each in few.measures}
    assert scores["JGA"] == 3


def test_measures_that_contradict_each_other() -> None:
    """One system has few wrong turns with many wrong slots, the other many wrong turns with few wrong slots."""
    results = {}
    for name, turns, slots in (("few turns", [2], "xyz"), ("few slots", [1, 2], "x")):
        scorer = TrackerScorer(["JGA", "SA(slots=3)"])
        for number in range(20):
            pred = [dict(state) for state in GOLD]
            for turn in turns:
                pred[turn] |= {f"a-{slot}": "?" for slot in slots}
            scorer.add(f"d{number}", GOLD, pred)
        results[name] = scorer.result()
    [found] = discriminative_power(results, RESAMPLING).contradictions
    assert (found.first, found.second) == ("JGA", "SA(slots=3)")
    assert (found.better, found.worse) == ("few turns", "few slots")


def test_the_order_of_systems_does_not_matter() -> None:
    one = discriminative_power(SYSTEMS, RESAMPLING)
    other = discriminative_power(dict(reversed(SYSTEMS.items())), RESAMPLING)
    assert one.measures == other.measures


def test_without_tests_there_is_no_share() -> None:
    study = discriminative_power({"x": system({0}, 3), "y": system({1}, 3)}, RESAMPLING)
    assert {(each.pairs, each.share, each.rank) for each in study.measures} == {(0, None, 1)}
    assert study.best == []


def test_resamples_must_allow_for_the_correction() -> None:
    study = discriminative_power(SYSTEMS, RESAMPLING)
    assert can_tell_apart(study, RESAMPLING)
    assert not can_tell_apart(study, Resampling(resamples=100))


def test_systems_on_other_dialogues_are_refused() -> None:
    with pytest.raises(DialmeterError, match="have different dialogues"):
        discriminative_power({"x": system({0}), "y": system({0}, 5)}, RESAMPLING)
