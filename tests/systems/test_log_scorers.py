"""Tests of logs with several scorers: one scorer decides in the whole log, whatever the order of keys and the missing values."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from dialmeter import score_system
from dialmeter.errors import InputError
from dialmeter.model import TaskGoal, Trajectory
from dialmeter.users.items.log_items import dialogue_items

from ..cli.invoke import Cli

GRADES = {"exact": "I", "model_graded": "C"}
BOTH = "the log has rewards of 2 scorers: exact, model_graded; choose one, for example with --scorer exact"


def sample(number: int, scores: dict[str, Any]) -> dict[str, Any]:
    values = {name: {"value": value} for name, value in scores.items()}
    return {"id": number, "epoch": 1, "messages": [], "scores": values}


def inspect_log(path: Path, *scores: dict[str, Any]) -> Path:
    samples = [sample(number, each) for number, each in enumerate(scores)]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}))
    return path


def mixed(seed: int) -> list[dict[str, Any]]:
    """The scores of ten samples, with keys in a random order, some of them null or absent."""
    draw = random.Random(seed)
    listed = []
    for _ in range(10):
        names = draw.sample(sorted(GRADES), 2)
        listed.append({name: draw.choice([GRADES[name], GRADES[name], None]) for name in names[: draw.choice([1, 2])]})
    return [{"exact": "I"}, {"model_graded": "C"}, *listed]


@pytest.mark.parametrize("seed", range(5))
def test_one_scorer_decides_in_the_whole_log(seed: int, tmp_path: Path) -> None:
    path = inspect_log(tmp_path / "log.json", *mixed(seed))
    with pytest.raises(InputError, match=BOTH):
        score_system(path)
    for scorer, value in (("exact", 0.0), ("model_graded", 1.0)):
        result = score_system(path, scorer=scorer)
        assert result.value == value
        assert f"|scorer:{scorer}|" in result.signature
        scored = sum(each.get(scorer) is not None for each in mixed(seed))
        assert (result.account.scored, result.account.asked) == (scored, 12)


def test_the_order_of_keys_changes_nothing(tmp_path: Path, cli: Cli) -> None:
    turned = [GRADES if number % 2 else dict(reversed(GRADES.items())) for number in range(10)]
    outputs = []
    for scores in (turned, turned[::-1]):
        path = inspect_log(tmp_path / "log.json", *scores)
        assert cli("system", "score", path, "-q", code=2).err.strip() == f"dialmeter: {path}: {BOTH}"
        document = cli.json("system", "score", path, "--scorer", "exact", "-q")
        outputs.append(document["scores"])
        assert "rewards of several scorers; to score it, choose one with --scorer" in cli("system", "check", path).err
    assert outputs[0] == outputs[1]


def test_a_single_scorer_needs_no_name_and_is_signed(tmp_path: Path, cli: Cli) -> None:
    path = inspect_log(tmp_path / "log.json", {"exact": "C"}, {"exact": "I", "model_graded": None}, {})
    [score] = cli.json("system", "score", path, "-q")["scores"]
    assert (score["value"], score["signature"].split("|")[1]) == (0.5, "scorer:exact")


def test_unknown_scorers_and_samples_without_the_scorer(tmp_path: Path, cli: Cli) -> None:
    path = inspect_log(tmp_path / "log.json", {"exact": "C"}, {"model_graded": "C"}, {})
    done = cli("system", "score", path, "--scorer", "exact")
    assert "2 unscored: 1 without a reward of exact (1:1); 1 without a reward (2:1)" in done.out
    assert "log.json: there is no scorer 'exat'" in cli("system", "score", path, "--scorer", "exat", "-q", code=2).err


def test_logs_with_different_scorers_are_not_compared(tmp_path: Path, cli: Cli) -> None:
    one = inspect_log(tmp_path / "one.json", *[{"exact": "C"}] * 3)
    two = inspect_log(tmp_path / "two.json", *[{"model_graded": "C"}] * 3)
    done = cli("system", "compare", one, two, "-q", code=2)
    assert "NOT COMPARABLE: one and two differ: scorer: exact ≠ model_graded" in done.err


def test_items_of_users_take_no_outcome_from_an_arbitrary_scorer() -> None:
    def talk(rewards: dict[str, float]) -> Trajectory:
        return Trajectory(id="a:0", task="a", rewards=rewards, goal=TaskGoal("Cancel X100."))

    assert [items.success for _, items in dialogue_items([talk({"exact": 1.0})])] == [True]
    assert [items.success for _, items in dialogue_items([talk({"exact": 1.0, "model_graded": 0.0})])] == [None]
