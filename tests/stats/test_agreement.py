"""Krippendorff's alpha: published worked examples, the definition by hand, and its laws."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.stats.agreement import krippendorff_alpha

# Four observers, twelve units, from Krippendorff's "Computing Krippendorff's Alpha-Reliability", section D.
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_published_example_with_missing_values(level, alpha):
    found = krippendorff_alpha(FOUR, level)
    assert found.value == pytest.approx(alpha, abs=0.0006)
    assert (found.n, found.unscored) == (11, 1)


def test_published_two_observers():
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([a, b]).value == pytest.approx(0.095, abs=0.0006)


def test_published_example_of_names():
    a = ["a", "a", "b", "b", "d", "c", "c", "c", "e", "d", "d", "a"]
    b = ["b", "a", "b", "b", "b", "c", "c", "c", "e", "d", "d", "d"]
    assert krippendorff_alpha([[*map(ord, a)], [*map(ord, b)]]).value == pytest.approx(0.692, abs=0.0006)


def by_hand(ratings, difference):
    """Compute alpha directly: mean over all pairs within units, and mean over all pairs of values."""
    units = [[v for v in unit if v is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = [v for unit in units for v in unit]
    observed = sum(difference(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2))
    expected = sum(difference(a, b) for a, b in permutations(values, 2)) / (len(values) - 1)
    return None if expected == 0 else 1 - observed / expected


tables = st.lists(st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=8, max_size=8), min_size=2, max_size=4)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_alpha_is_its_definition(ratings):
    kept = [v for unit in zip(*ratings, strict=True) if sum(v is not None for v in unit) > 1 for v in unit]
    values = [v for v in kept if v is not None]

    def rank_gap(a, b):
        low, high = min(a, b), max(a, b)
        ends = values.count(low) + values.count(high)
        return (sum(low <= v <= high for v in values) - ends / 2) ** 2 if low != high else 0

    differences = {
        "nominal": lambda a, b: float(a != b),
        "ordinal": rank_gap,
        "interval": lambda a, b: (a - b) ** 2,
    }
    for level, difference in differences.items():
        found, expected = krippendorff_alpha(ratings, level).value, by_hand(ratings, difference)
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_rater_and_unit_order():
    generator = np.random.default_rng(1)
    ratings = generator.normal(size=(3, 200))
    ratings[generator.random((3, 200)) < 0.2] = np.nan
    mixed = ratings[[2, 0, 1]][:, generator.permutation(200)]
    assert krippendorff_alpha(ratings, "interval") == krippendorff_alpha(mixed, "interval")


def test_perfect_and_chance_agreement():
    assert krippendorff_alpha([[1, 2, 3], [1, 2, 3]], "ordinal").value == 1
    chance = np.random.default_rng(1).integers(0, 5, size=(2, 20_000))
    assert krippendorff_alpha(chance).value == pytest.approx(0, abs=0.03)


def test_reason_for_no_value():
    assert "the same" in krippendorff_alpha([[1, 1], [1, 1]]).reason
    assert "two raters" in krippendorff_alpha([[1, None], [None, 2]]).reason


def test_raters_of_different_units_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        krippendorff_alpha([[1, 2], [1]])
