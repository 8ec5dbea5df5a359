"""Explanations: words, ratios, and the command."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError
from dialmeter.judges.builtin.ngram import NgramFluency
from dialmeter.judges.builtin.surface import ContextOverlap, Distinct, Length
from dialmeter.judges.explanation import (
    TEXT_MASK,
    CaseExplained,
    Explained,
    common_places,
    explain_case,
    explain_reply,
    importance,
    pieces_of,
    shapley_values,
    word_values,
)
from dialmeter.judges.judge import Item, Judge

from ...cli.invoke import Cli, files_in
from ..made import case, cases, write_cases
from ..tiny import CONTEXT, TEXTS, gpt2


class Liking(Length):
    """Likes one word, dislikes another, and takes the mask for nothing."""

    name = "liking"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [2.0 * reply.split().count("good") - reply.split().count("bad") for _, reply in items]


def test_words_get_their_contribution() -> None:
    found = explain_case(case("speaker", 1, reply="all is good", adversarial="all is bad now"), Liking())
    assert found.human.values == pytest.approx([0, 0, 2], abs=1e-9)
    assert found.adversarial.values == pytest.approx([0, 0, -1, 0], abs=1e-9)
    assert (found.human.changed, found.adversarial.changed) == ((False, False, True), (False, False, True, True))


def test_a_judge_that_likes_low_scores_is_turned_round() -> None:
    judge = Liking()
    judge.higher_is_better = False
    assert explain_reply(judge, CONTEXT, "good").values == (-2.0,)


def test_long_replies_are_sampled_within_the_budget() -> None:
    found = explain_reply(Liking(), CONTEXT, "very " * 19 + "good", budget=100)
    assert not found.exact
    assert found.scored <= 100
    assert found.values[-1] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("pieces", "values"), [(["a", " b"], (1.0, 2.0)), (["a b"], (1.0,)), ([" ", "ab", "c "], (6.0,)), ([], ())]
)
def test_pieces_are_merged_to_words(pieces: list[str], values: tuple[float, ...]) -> None:
    found = word_values(pieces, [float(number) for number in range(1, len(pieces) + 1)])
    assert sum(found) == pytest.approx(sum(range(1, len(pieces) + 1)))
    assert tuple(value for value in found if value) == values


def test_the_longest_common_subsequence() -> None:
    assert common_places([], ["a"]) == (set(), set())
    left, right = common_places(list("abcde"), list("badce"))
    assert ["abcde"[place] for place in sorted(left)] == ["badce"[place] for place in sorted(right)]
    assert len(left) == 3


def explained(human: Sequence[float], adversarial: Sequence[float], changed: Sequence[bool]) -> CaseExplained:
    last = tuple(place == len(human) - 1 for place in range(len(human)))
    return CaseExplained(
        "0",
        "made",
        Explained(("w",) * len(human), tuple(human), last, 0.0, 0.0, 4, True),
        Explained(("w",) * len(adversarial), tuple(adversarial), tuple(changed), 0.0, 0.0, 4, True),
    )


def test_importance_by_hand() -> None:
    """Values lie between −1 and 3, so that each is moved by 1 and divided by 4."""
    found = importance("liking", [explained([1.0, 3.0], [-1.0, 1.0, 3.0], [False, True, True])])
    cells = {(each.words, each.how): each for each in found}
    assert (cells["changed", "sum"].human, cells["changed", "sum"].adversarial) == (1.0, 1.5)
    assert cells["changed", "sum"].value == 1.5
    assert cells["changed", "mean"].value == 0.75
    assert cells["all", "sum"].value == pytest.approx(1.5 / 1.5)
    assert cells["all", "mean"].value == pytest.approx(0.5 / 0.75)


def test_no_ratio_if_no_human_word_changed() -> None:
    found = importance("liking", [explained([], [1.0, 2.0], [True, True])])
    assert {each.value for each in found} == {None}


def test_a_judge_that_fails_on_masks() -> None:
    class Picky(Liking):
        def score(self, items: Sequence[Item]) -> Sequence[float]:
            if any("___" in reply for _, reply in items):
                raise ValueError("what is this?")
            return super().score(items)

    with pytest.raises(DialmeterError, match=r"liking: ValueError: what is this\?"):
        explain_reply(Picky(), CONTEXT, "all is good")


def test_the_command(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "cases.jsonl"
    write_cases(file, cases(("speaker", "repetition"), 3))
    words = ["judge", "explain", file, "--judge", "overlap"]
    found = cli.json(*words, "--quiet")
    assert found["counts"] == {"cases": 6, "explained": 6}
    side = found["cases"][0]["human"]
    assert sum(side["values"]) == pytest.approx(side["score"] - side["base"])
    assert {score["attack"] for score in found["scores"]} == {"speaker", "repetition"}
    text = cli(*words, "--attack", "speaker", "--limit", "2", "--out", tmp_path / "run", "--quiet", "-v")
    assert "sum over changed words" in text.out
    assert "[speaker] *" in text.out
    cli("report", tmp_path / "run", "--charts", tmp_path / "charts", "--quiet")
    drawn = sorted(files_in(tmp_path / "charts"))
    assert drawn[:2] == ["importance.csv", "importance.svg"]
    assert len(drawn) == 4
    assert cli(*words, "-f", "csv", "--quiet").out.startswith("attack,cases,sum over changed words")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--judge", "overlap", "--attack", "none"], "no case of attack 'none'; known: speaker"),
        (["--judge", "overlap", "--judge", "length"], "give exactly one judge to explain"),
        (["-j", "mine=cmd(run=no-such-program)"], "no case could be explained: 2 whose request failed"),
    ],
)
def test_bad_options(words: list[str], complaint: str, tmp_path: Path, cli: Cli) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",), 2))
    assert cli.refused("judge", "explain", tmp_path / "cases.jsonl", *words, "--quiet").startswith(complaint)


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
