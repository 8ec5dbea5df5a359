"""A judge as a reward: each reply is scored once, the sign is right, and the card names the attack that a bandit finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from runpy import run_path

import pytest

from dialmeter import DialmeterError
from dialmeter.judges.judge import Item
from dialmeter.judges.train.reward import Reward
from dialmeter.model import Move

from .made import cases, write_cases

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "reward_hacking.py"


class Counting:
    """Counts words, lower is better; says what it was asked, and does not score an empty reply."""

    name = "counting"
    higher_is_better = False
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        self.asked.append([reply for _, reply in items])
        return [float(len(reply.split())) if reply else float("nan") for _, reply in items]


def test_each_reply_is_scored_once_and_in_batches(tmp_path: Path) -> None:
    judge = Counting()
    reward = Reward(judge, store=tmp_path / "scores")
    assert reward.many([(["hi"], "a b"), (["hi"], "a"), (["hi"], "a b")]) == [-2.0, -1.0, -2.0]
    assert judge.asked == [["a b", "a"]]
    assert reward([Move("user", "hi")], "a b") == -2.0
    assert len(judge.asked) == 1
    other = Counting()
    assert Reward(other, store=tmp_path / "scores")(["hi"], "a") == -1.0
    assert other.asked == []


def test_a_reply_without_a_score() -> None:
    reward = Reward(Counting())
    with pytest.raises(DialmeterError, match="counting did not score a reply: gave nan"):
        reward.many([(["hi"], "a b"), (["hi"], "")])
    assert reward(["hi"], "a b") == -2.0


def test_the_card(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    write_cases(file, cases())
    card = Reward("length", file).card
    rows = {each.attack: each for each in card.attacks}
    assert rows["speaker"].n == 12
    # Every attack adds a word; a reward of length prefers that, and one of brevity does not.
    assert rows["speaker"].error == 1.0
    turned = Reward(Counting(), file, threshold="fixed=0.5").card
    assert turned.turned
    assert {each.rewarded for each in turned.attacks} == {0.0}
    assert Reward("length", file, threshold="fixed=0.5").card.exploitable() == sorted({each.attack for each in cases()})
    with pytest.raises(DialmeterError, match="the card needs cases"):
        _ = Reward("length").card


def test_the_card_names_the_attack_that_a_bandit_finds() -> None:
    script = run_path(str(SCRIPT))
    known, new = script["town"](40, 1)
    assert not {case.source.dialogue for case in known} & {case.source.dialogue for case in new}
    reward = Reward("overlap", known)
    found = script["play"](reward, new, 600, 1)
    assert found.choice in reward.card.exploitable()
    assert found.shares[found.choice] > 0.7 > found.shares["human"]


def test_a_trained_head_is_not_hacked_by_attacks_that_it_knows(tmp_path: Path) -> None:
    script = run_path(str(SCRIPT))
    known, new = script["town"](40, 1)
    script["write_weights"](tmp_path, script["train_robust"](known))
    reward = Reward(f"robust(folder={tmp_path})", known)
    assert reward.card.exploitable() == []
    assert script["play"](reward, new, 600, 1).choice == "human"
