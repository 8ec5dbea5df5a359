"""Two systems share a letter if and only if they do not differ significantly."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from dialmeter.stats import letter_display


@pytest.mark.parametrize("seed", range(40))
def test_sharing_a_letter_means_not_differing(seed: int) -> None:
    rng = Random(seed)
    names = [f"s{number}" for number in range(rng.randrange(1, 9))]
    differing = {pair for pair in combinations(names, 2) if rng.random() < rng.choice([0.1, 0.5, 0.9])}
    letters = letter_display(names, sorted(differing))
    assert list(letters) == names
    for one, other in combinations(names, 2):
        assert bool(set(letters[one]) & set(letters[other])) is ((one, other) not in differing)
    groups = [{name for name in names if letter in letters[name]} for letter in set("".join(letters.values()))]
    assert not any(one < other for one, other in combinations(groups, 2)), "a letter that says nothing new"


def test_the_order_of_tests_does_not_matter() -> None:
    pairs = [("a", "c"), ("b", "d"), ("a", "d"), ("c", "e")]
    expected = letter_display("abcde", pairs)
    for seed in range(10):
        shuffled = Random(seed).sample(pairs, len(pairs))
        assert letter_display("abcde", [(two, one) for one, two in shuffled]) == expected


def test_the_best_system_has_the_first_letter() -> None:
    assert letter_display("xyz", [("x", "y"), ("x", "z"), ("y", "z")]) == {"x": "a", "y": "b", "z": "c"}
    assert letter_display("xyz", []) == {"x": "a", "y": "a", "z": "a"}
    assert letter_display([], []) == {}


def test_more_groups_than_letters() -> None:
    names = [f"s{number:02}" for number in range(60)]
    letters = letter_display(names, combinations(names, 2))
    assert letters["s00"] == "a"
    assert letters["s59"] == "(60)"
    assert len(set(letters.values())) == 60


@pytest.mark.parametrize("pair", [("a", "a"), ("a", "nobody")])
def test_a_pair_that_is_none(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="not two of the systems"):
        letter_display("ab", [pair])
