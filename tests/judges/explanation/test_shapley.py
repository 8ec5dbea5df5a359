"""Shapley values: their laws, and agreement with the shap library."""

from __future__ import annotations

import warnings
from itertools import combinations, permutations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.judges.builtin.ngram import NgramFluency
from dialmeter.judges.builtin.surface import ContextOverlap, Distinct
from dialmeter.judges.explanation import TEXT_MASK, explain_reply, pieces_of, shapley_values
from dialmeter.judges.judge import Judge

from ..tiny import CONTEXT, TEXTS, gpt2

REPLY = "the bridge inn is cheap, the inn has free parking, yes"


def by_definition(values: dict[tuple[int, ...], float], count: int) -> list[float]:
    """What a token adds, over all orders in which tokens can come."""
    found = []
    for token in range(count):
        rest = [each for each in range(count) if each != token]
        total = 0.0
        for size in range(count):
            weight = factorial(size) * factorial(count - size - 1) / factorial(count)
            for others in combinations(rest, size):
                total += weight * (values[tuple(sorted((*others, token)))] - values[others])
        found.append(total)
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10_000))
def test_all_coalitions_give_the_definition(count: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    subsets = [each for size in range(count + 1) for each in combinations(range(count), size)]
    values = {each: float(generator.normal()) for each in subsets}
    found = shapley_values(lambda shown: [values[tuple(np.flatnonzero(row).tolist())] for row in shown], count)
    assert found.exact
    assert list(found.values) == pytest.approx(by_definition(values, count), abs=1e-8)
    assert sum(found.values) == pytest.approx(found.score - found.base, abs=1e-8)


def test_a_base_of_zero_shifts_all_alike() -> None:
    def score(shown: Any) -> list[float]:
        return [0.7 + float(row[0]) - 0.5 * float(row[1] and row[2]) for row in shown]

    masked, zero = shapley_values(score, 3), shapley_values(score, 3, base="zero")
    assert np.subtract(zero.values, masked.values).tolist() == pytest.approx([0.7 / 3] * 3)
    assert sum(zero.values) == pytest.approx(zero.score)
    assert (masked.base, zero.base) == (0.7, 0.0)


def test_a_reply_without_tokens_and_one_with_one() -> None:
    assert shapley_values(lambda shown: [3.0] * len(shown), 0).values == ()
    assert shapley_values(lambda shown: [2.0 * row.sum() for row in shown], 1).values == (2.0,)


@pytest.mark.parametrize("count", [13, 14, 20, 40])
def test_sampling_is_exact_for_an_additive_score_and_keeps_to_its_budget(count: int) -> None:
    weights = np.random.default_rng(1).normal(size=count)
    asked: list[int] = []

    def score(shown: Any) -> list[float]:
        asked.append(len(shown))
        return (shown @ weights + 2.0).tolist()  # type: ignore[no-any-return]

    found = shapley_values(score, count, budget=300, seed=3)
    assert not found.exact
    assert sum(asked) <= 300
    assert list(found.values) == pytest.approx(weights.tolist(), abs=1e-8)


def test_sampling_converges_with_the_budget_and_repeats_with_the_seed() -> None:
    """Pairs of a coalition and its complement are exact for two tokens that work together, so that it takes three."""

    def score(shown: Any) -> list[float]:
        return [
            float(row[0] * row[1] * row[2] + row[3] * row[4] * row[5] - row[6] * row[7] * row[8])
            for row in shown.astype(int)
        ]

    exact = [1 / 3] * 6 + [-1 / 3] * 3 + [0.0] * 4
    errors = {
        budget: np.abs(np.subtract(shapley_values(score, 13, budget=budget, seed=5).values, exact)).max()
        for budget in (60, 1000, 8192)
    }
    assert errors[8192] < 1e-8
    assert errors[1000] < errors[60]
    assert shapley_values(score, 13, seed=5) == shapley_values(score, 13, seed=5)
    assert shapley_values(score, 13, seed=5) != shapley_values(score, 13, seed=6)


def test_the_definition_used_here_is_the_mean_over_orders() -> None:
    """The oracle of the first test against the other way to say the same."""
    values = {(): 0.0, (0,): 1.0, (1,): 3.0, (0, 1): 10.0}
    orders = [
        [values[tuple(sorted(order[: at + 1]))] - values[tuple(sorted(order[:at]))] for at in np.argsort(order)]
        for order in map(list, permutations(range(2)))
    ]
    assert by_definition(values, 2) == pytest.approx(np.mean(orders, axis=0).tolist())


def judge_named(name: str, folder: Path) -> Judge:
    if name == "pang-f":
        from dialmeter.judges.adapters.published import PangF

        return PangF(str(gpt2(folder)))
    return {"overlap": ContextOverlap(), "distinct": Distinct(), "ngram": NgramFluency([TEXTS])}[name]


@pytest.mark.parametrize("name", ["overlap", "distinct", "ngram", "pang-f"])
def test_the_library_agrees(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shap = pytest.importorskip("shap")
    judge = judge_named(name, tmp_path)
    reply = "the inn has free" if name == "pang-f" else REPLY
    pieces, mask = pieces_of(judge, reply), getattr(judge, "mask", TEXT_MASK)
    assert 4 <= len(pieces) <= 12

    def score(shown: Any) -> Any:
        texts = [
            "".join(
                piece if there else piece[: len(piece) - len(piece.lstrip())] + mask
                for piece, there in zip(pieces, row, strict=True)
            )
            for row in shown
        ]
        return np.array(judge.score([(CONTEXT, text) for text in texts]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explainer = shap.KernelExplainer(score, np.zeros((1, len(pieces))))
        expected = explainer.shap_values(np.ones(len(pieces)), nsamples=2 ** len(pieces), l1_reg=0, silent=True)
    found = explain_reply(judge, CONTEXT, reply)
    assert found.exact
    assert list(found.values) == pytest.approx(expected.tolist(), abs=1e-6)
    assert found.base == pytest.approx(float(explainer.expected_value), abs=1e-6)
