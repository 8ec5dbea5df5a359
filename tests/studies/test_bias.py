"""The bias study, compared with scipy and with the published procedure; its traits TO and NU, edge cases and verdicts."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dialmeter.core.document import Interval
from dialmeter.stats.correlation import compare_correlations, zou_interval
from dialmeter.studies.bias import (
    FAILS,
    HOLDS,
    LEAST,
    NO_VALUE,
    TRAITS,
    UNDECIDED,
    BiasStudy,
    DialogueTraits,
    mistakes_per_turn,
    notices_of_study,
    published_filter,
    rows_of,
    strength_limits,
    study_bias,
    traits_of,
)
from dialmeter.tracking.scoring import score_file
from dialmeter.views.summaries.studies import bias_summary

from ..scoring import score_tracker

SOM = "som_dst_100.json"
T5 = "nested/T5__T5_result_zeroshot_attraction.json"
MEASURES = ["JGA", "AGA", "FGA(lam=0.5)", "GCA"]


def rows_in(shared: Path, file: str) -> list[DialogueTraits]:
    return rows_of(score_file(str(shared / "data" / "tracking" / file), measures=MEASURES), file)


def made(values: list[dict[str, float | None]], mistakes: list[tuple[int, ...]] | None = None) -> list[DialogueTraits]:
    """Return dialogues whose mistakes move through four turns, unless mistakes are given."""
    turns = mistakes or [(number % 3, number % 2, 0, number % 5) for number in range(len(values))]
    return [
        DialogueTraits("", f"d{number:03d}", each, traits_of(each), scores)
        for number, (each, scores) in enumerate(zip(turns, values, strict=True))
    ]


def literal_filter(first: list[float | None], second: list[float | None]) -> list[int]:
    """Apply the published procedure step by step, and return the indices of the dialogues that pass."""
    kept = [
        (position, a, b)
        for position, (a, b) in enumerate(zip(first, second, strict=True))
        if a is not None and b is not None and not (round(100 * a, 2) == 100 and round(100 * b, 2) == 100)
    ]
    columns = []
    for column in (1, 2):
        values = [each[column] for each in kept]
        columns.append([round((value - mean(values)) / stdev(values), 2) for value in values])
    return [each[0] for each, a, b in zip(kept, *columns, strict=True) if round(100 * abs(a - b)) >= 10]


def test_published_filter_on_a_table_made_by_hand() -> None:
    # z-scores of the five dialogues after the first step: 1.26 0.63 0 -0.63 -1.26 and 1.06 0.90 0.07 -0.93 -1.10
    first = np.array([1.0, 1.0, 0.8, 0.6, 0.4, 0.2, np.nan])
    second = np.array([1.0, 0.9, 0.85, 0.6, 0.3, 0.25, 0.5])
    assert published_filter(first, second).tolist() == [False, True, True, False, True, True, False]
    assert published_filter(second, first).tolist() == published_filter(first, second).tolist()


def test_a_difference_of_exactly_a_tenth_stays() -> None:
    # The first z-scores are -0.05 and -0.15, whose difference as floats is below 0.1.
    first = np.array([0.55, 0.09, 0.81, 0.2, 0.77, 0.99])
    second = np.array([0.49, 0.72, 0.4, 0.86, 0.69, 0.04])
    assert published_filter(first, second).tolist() == [True, True, True, True, False, True]


def test_published_filter_without_z_scores() -> None:
    same, other = np.array([0.5, 0.5, 0.5]), np.array([0.1, 0.2, 0.3])
    assert not published_filter(same, other).any()
    assert not published_filter(np.array([1.0]), np.array([0.5])).any()


@pytest.mark.parametrize("file", [SOM, T5])
def test_study_equals_scipy(shared: Path, file: str) -> None:
    found = study_bias(rows_in(shared, file))
    rows = found.rows
    kept = {}
    for first, second in combinations(MEASURES, 2):
        scores = ([row.values[first] for row in rows], [row.values[second] for row in rows])
        some = [n for n, pair in enumerate(zip(*scores, strict=True)) if None not in pair]
        kept["none", first, second] = some
        kept["mistakes", first, second] = [n for n in some if any(rows[n].mistakes)]
        kept["published", first, second] = literal_filter(*scores)
    for each in found.between:
        chosen = kept[each.filter, each.first, each.second]
        expected = scipy_stats.pearsonr(*([rows[n].values[name] for n in chosen] for name in (each.first, each.second)))
        assert each.r == pytest.approx(expected.statistic)
        assert each.ci == pytest.approx(tuple(expected.confidence_interval(0.95)))
        assert (each.n, each.unscored) == (len(chosen), len(rows) - len(chosen))
    for pair in found.pairs:
        chosen = kept[pair.filter, pair.first, pair.second]
        trait = [rows[n].traits[pair.trait] for n in chosen]
        one, other = ([rows[n].values[name] for n in chosen] for name in (pair.first, pair.second))
        expected_pair = compare_correlations(trait, one, other)
        assert pair.difference == pytest.approx(expected_pair.value)
        assert pair.ci == pytest.approx((expected_pair.low, expected_pair.high))
        assert pair.first_r == pytest.approx(scipy_stats.pearsonr(trait, one).statistic)
    for one in found.correlations:
        chosen_rows = [row for row in rows if row.values[one.measure] is not None]
        if one.filter == "mistakes":
            chosen_rows = [row for row in chosen_rows if any(row.mistakes)]
        if one.filter == "published":
            first, second = sorted((one.measure, str(one.partner)), key=MEASURES.index)
            chosen_rows = [rows[n] for n in kept["published", first, second]]
        expected = scipy_stats.pearsonr(
            [row.traits[one.trait] for row in chosen_rows], [row.values[one.measure] for row in chosen_rows]
        )
        assert one.r == pytest.approx(expected.statistic)
        assert one.ci == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_study_does_not_depend_on_order(shared: Path) -> None:
    rows = rows_in(shared, SOM)
    mixed = rows[:]
    random.Random(3).shuffle(mixed)
    assert study_bias(mixed) == study_bias(rows)


def test_too_few_dialogues() -> None:
    found = study_bias(made([{"JGA": n / 4, "GCA": n / 5} for n in range(LEAST - 1)]))
    assert all(each.r is None and each.ci is None for each in found.correlations)
    assert found.correlations[0].reason == "a correlation needs 5 dialogues, but only 4 of 4 pass the filter"
    assert [notice.code for notice in notices_of_study(found)] == ["few-dialogues"]
    assert found.no_correlation == found.correlations[0].reason
    assert study_bias(made([{"JGA": n / 4} for n in range(LEAST)])).correlations[0].r is not None


def test_constant_measure() -> None:
    # As close to 1 as a perfect GCA that is computed by division.
    found = study_bias(made([{"JGA": n / 9, "GCA": 1 - 1e-16 * n} for n in range(9)]))
    by_measure = {each.measure: each for each in found.correlations if each.filter == "none" and each.trait == "NU"}
    assert by_measure["JGA"].r is not None
    assert (by_measure["GCA"].r, by_measure["GCA"].reason) == (None, "GCA is the same in all 9 dialogues")
    assert all(pair.difference is None for pair in found.pairs)
    assert {each.outcome for each in found.verdicts} == {NO_VALUE}
    assert [notice.message for notice in notices_of_study(found)] == ["all dialogues have the same value of GCA"]


def test_perfect_tracker() -> None:
    found = study_bias(made([{"JGA": 1.0, "GCA": 1.0}] * 6, [(0, 0)] * 6))
    assert all(each.r is None for each in found.correlations)
    assert [notice.code for notice in notices_of_study(found)] == ["no-mistakes"]


def test_unscored_dialogues_are_left_out() -> None:
    values: list[dict[str, float | None]] = [
        {"JGA": n / 12, "GCA": None if n % 4 == 0 else 1 / (n + 1)} for n in range(12)
    ]
    found = study_bias(made(values))
    [gca] = [each for each in found.correlations if (each.trait, each.measure, each.filter) == ("TO", "GCA", "none")]
    assert (gca.n, gca.unscored) == (9, 3)


def test_one_measure_has_no_partner() -> None:
    found = study_bias(made([{"JGA": n / 9} for n in range(9)]))
    assert (found.pairs, found.between) == ((), ())
    assert {each.reason for each in found.correlations if each.filter == "published"} == {
        "the published filter needs two measures"
    }
    assert found.verdicts == []


def test_pooled_rows_of_one_dialogue_are_told() -> None:
    rows = made([{"JGA": n / 9} for n in range(9)])
    twice = [*rows, *(DialogueTraits("b", row.dialogue, row.mistakes, row.traits, row.values) for row in rows[:2])]
    [notice] = notices_of_study(study_bias(twice))
    assert (notice.code, notice.count, notice.where) == ("repeated-dialogues", 2, ("d000", "d001"))


def _outcomes(found: BiasStudy) -> dict[tuple[str, str], str]:
    return {(each.trait, each.filter): each.outcome for each in found.verdicts if each.rival == "FGA(lam=0.5)"}


def test_verdicts_on_published_files(shared: Path) -> None:
    t5, som = study_bias(rows_in(shared, T5)), study_bias(rows_in(shared, SOM))
    outcomes = _outcomes(t5)
    assert outcomes["NU", "none"] == FAILS
    assert outcomes["NU", "published"] == outcomes["NU", "mistakes"] == HOLDS
    assert outcomes["TO", "none"] == outcomes["TO", "published"] == UNDECIDED
    assert _outcomes(som)["NU1", "none"] == FAILS
    assert _outcomes(som)["NU", "published"] == HOLDS
    changed = {(each.trait, each.measure): (each.none, each.published) for each in t5.sign_changes}
    assert changed["NU", "FGA(lam=0.5)"] == pytest.approx((-0.264, 0.669), abs=5e-4)
    said = bias_summary(t5, None)
    assert said.verdict.startswith(
        "Whether GCA depends less than FGA(lam=0.5) on where mistakes are DEPENDS on the trait"
    )
    assert [line.split()[-1] for line in said.rungs if line.startswith("concentrated")] == ["more", "less", "less"]


def test_verdict_is_the_same_whichever_measure_comes_first(shared: Path) -> None:
    rows = rows_in(shared, SOM)
    turned = [
        DialogueTraits(r.system, r.dialogue, r.mistakes, r.traits, dict(reversed(r.values.items()))) for r in rows
    ]
    one = {(each.rival, each.trait, each.filter): each for each in study_bias(rows).verdicts}
    other = {(each.rival, each.trait, each.filter): each for each in study_bias(turned).verdicts}
    assert one.keys() == other.keys()
    for key, each in one.items():
        assert each.outcome == other[key].outcome
        assert each.as_tested == other[key].as_tested
        assert each.strength_ci == pytest.approx(other[key].strength_ci)


def _strength(r1: float, r2: float, r12: float, n: int) -> Interval:
    difference, total = zou_interval(r1, r2, r12, n), zou_interval(r1, -r2, -r12, n)
    limits = [difference.low, difference.high, total.low, total.high]
    assert None not in limits
    return strength_limits((limits[0], limits[1]), (limits[2], limits[3]))  # type: ignore[arg-type]


def test_the_published_correlations_by_strength() -> None:
    tail, uniform = _strength(0.08, -0.05, 0.69, 1344), _strength(0.59, 0.40, 0.69, 1344)
    assert tail is not None
    assert uniform is not None
    assert tail[0] < 0 < tail[1], "0.08 and -0.05 are about equally strong"
    assert uniform == pytest.approx((0.1543, 0.2266), abs=5e-5)


@pytest.mark.parametrize(("r1", "r2"), [(0.0, 0.0), (0.3, 0.3), (0.3, -0.3), (-0.5, -0.5)])
def test_strength_interval_keeps_its_level(r1: float, r2: float) -> None:
    r12 = 0.4 if r1 * r2 >= 0 else -0.4
    covariance = np.array([[1, r1, r2], [r1, 1, r12], [r2, r12, 1]])
    chance = np.random.default_rng(7)
    wrong = 0
    for _ in range(1000):
        found = np.corrcoef(chance.multivariate_normal(np.zeros(3), covariance, 60).T)
        limits = _strength(found[0, 1], found[0, 2], found[1, 2], 60)
        assert limits is not None
        wrong += limits[0] > 0 or limits[1] < 0
    assert wrong <= 65


def test_the_documented_findings(shared: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "bias.md").read_text("utf-8")
    words = {HOLDS: "holds", FAILS: "**does not hold**", UNDECIDED: "undecided"}
    for file in (SOM, T5, T5.replace("attraction", "rest")):
        found = study_bias(rows_in(shared, file)).verdicts
        for trait in ("TO", "NU"):
            told = [each for each in found if each.trait == trait and each.rival == "FGA(lam=0.5)"]
            cells = []
            for each in told:
                low, high = each.strength_ci or (0, 0)
                cells.append(f"{words[each.outcome]} ({low:.2f} to {high:.2f})".replace("-", "−"))
            assert f"| {trait} | {' | '.join(cells)} |" in page


MISTAKES = st.lists(st.integers(0, 9), min_size=1, max_size=30)


def test_the_table_of_all_published_predictions(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parents[2] / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    import bias_study

    page = (folder / "bias.md").read_text("utf-8")
    for title, words in bias_study.STUDIES.items():
        if not words[0].startswith("compat/mwzeval"):  # Larger files take longer.
            for row in bias_study.rows_of(title, bias_study.studied(shared / "data", words)):
                assert f"| {' | '.join(row)} |" in page


def test_published_examples(shared: Path) -> None:
    examples = json.loads((shared / "expected" / "tracking.json").read_text("utf-8"))["TO and NU"]
    assert len(examples) > 5
    for example in examples:
        found = traits_of(example["mistakes_per_turn"])
        for name in found.keys() & example.keys():
            assert found[name] == pytest.approx(example[name], abs=5e-7)


def literal(mistakes: list[int]) -> dict[str, float]:
    """Compute the formulas as printed."""
    n, m = len(mistakes), sum(mistakes)
    turns = [turn for turn, count in enumerate(mistakes) for _ in range(count)]
    if not m:
        return dict.fromkeys(TRAITS, 0.0)
    return {
        "TO": (sum(turns) / m - (n - 1) / 2) / n,
        "NU": sum(abs(count - m / n) for count in mistakes) / (m / n),
        "TO1": sum(turn - (n - 1) / 2 for turn in turns) / n,
        "NU1": sum((count - m / n) ** 2 for count in mistakes),
    }


@given(MISTAKES)
def test_as_printed(mistakes: list[int]) -> None:
    assert traits_of(mistakes) == pytest.approx(literal(mistakes), abs=1e-9)


def test_nothing_gives_nothing() -> None:
    assert set(traits_of([]).values()) == set(traits_of([0]).values()) == {0.0}


def test_mistakes_are_missed_wrong_and_over() -> None:
    gold = [{"a-b": "1"}, {"a-b": "1", "a-c": "2"}, {"a-b": "1", "a-c": "2"}, {"a-b": "1", "a-c": "2"}]
    pred = [{}, {"a-c": "3"}, {"a-c": "3"}, {"a-c": "3", "a-d": "4", "a-e": "5"}]
    result = score_tracker({"d": gold}, {"d": pred}, ["JGA"])
    assert mistakes_per_turn(result.measure_columns.main) == [(1, 1, 0, 2)]
