"""Scoring with judges: each item is scored once and stored on disk, and failures are reported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.judges.ask import ScoreStore, score_cases
from dialmeter.judges.builtin.surface import Chance, Length
from dialmeter.judges.judge import Item
from dialmeter.judges.scorer import score_judge

from .made import case, cases, write_cases


class Counting(Length):
    """Records the replies that it scores."""

    name = "counting"
    batch_size = 8

    def __init__(self) -> None:
        self.asked: list[str] = []

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        self.asked += [reply for _, reply in items]
        return super().score(items)


def test_each_reply_is_scored_once_for_all_attacks() -> None:
    judge = Counting()
    score_cases(cases(), {"counting": judge})
    assert len(judge.asked) == len(set(judge.asked)) == 12 + 7 * 12


def test_items_of_one_context_are_adjacent() -> None:
    asked: list[str] = []

    class Contexts(Length):
        def score(self, items: Sequence[Item]) -> Sequence[float]:
            asked.extend(context[0].text for context, _ in items)
            return super().score(items)

    score_cases(cases(), {"contexts": Contexts()})
    assert len([1 for one, two in pairwise(asked) if one != two]) == 11


def test_the_control_is_asked_twice() -> None:
    control = [case("identical", number, reply="yes", adversarial="yes") for number in range(5)]
    found = score_cases(control, {"chance": Chance(), "length": Length()})
    assert all(pair.human != pair.adversarial for pair in found.pairs["chance"])
    assert all(pair.human == pair.adversarial for pair in found.pairs["length"])


def test_stored_scores_are_not_computed_again(tmp_path: Path) -> None:
    first, second, store = Counting(), Counting(), ScoreStore(tmp_path / "scores")
    before = score_cases(cases(), {"counting": first}, store)
    assert score_cases(cases(), {"counting": second}, store) == before
    assert not second.asked
    third = Counting()
    score_cases([*cases(), case("new", 1)], {"counting": third}, store)
    assert third.asked == [case("new", 1).adversarial]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_an_incomplete_line_is_removed_and_its_batch_scored_again(cut: int, tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    before = score_cases(cases(), {"counting": Counting()}, store)
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-cut])
    again = Counting()
    assert score_cases(cases(), {"counting": again}, store) == before
    assert 0 < len(again.asked) <= Counting.batch_size


def test_a_store_that_is_something_else(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.add("length", {"a": 1.0})
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes() + b"[1, 2]\n")
    with pytest.raises(InputError, match="line 3: not a line of scores"):
        store.scores("length")


def test_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DialmeterError, match="cannot be written"):
        ScoreStore(tmp_path / "file").add("length", {"a": 1.0})


KILLED = """
import os, signal, sys
from dialmeter.judges.builtin.surface import Length
from dialmeter.judges.scorer import score_judge

class Dying(Length):
    name, batch_size, asked = "dying", 8, 0
    def score(self, items):
        Dying.asked += 1
        if Dying.asked == 4 and sys.argv[3] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().score(items)

score_judge(sys.argv[1], [Dying()], store=sys.argv[2])
print(Dying.asked)
"""


def test_a_kill_loses_at_most_one_batch(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", cases())
    words = [sys.executable, "-c", KILLED, str(tmp_path / "cases.jsonl"), str(tmp_path / "store")]
    killed = subprocess.run([*words, "die"], env=os.environ, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    done = subprocess.run([*words, "live"], env=os.environ, capture_output=True, check=True)
    assert int(done.stdout) == 96 // 8 - 3


class Stumbling(Length):
    """Fails in a chosen way on replies that have a mark."""

    name = "stumbling"

    def __init__(self, way: str) -> None:
        self.way = way

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        bad = any("[speaker]" in reply and "room 3" in context[0].text for context, reply in items)
        scores = list(super().score(items))
        if bad and self.way == "raises":
            raise RuntimeError("no more memory")
        if bad and self.way == "counts":
            return scores[:-1]
        return [float(self.way)] * len(items) if bad else scores


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("raises", "RuntimeError: no more memory"),
        ("counts", "gave 0 scores for 1 replies"),
        ("nan", "gave nan as a score"),
        ("inf", "gave inf as a score"),
    ],
)
def test_a_judge_that_stumbles_is_reported_with_the_case_and_the_others_go_on(way: str, why: str) -> None:
    result = score_judge(cases(), [Stumbling(way), Length()])
    [notice] = [notice for notice in result.notices if notice.code == "judge-failed"]
    assert (notice.count, notice.message) == (1, f"stumbling did not score 1 of 168 replies: {why}")
    assert notice.where[0].startswith("d3:2:speaker:")
    cell = result["stumbling", "speaker"]
    assert (cell.n, cell.unscored) == (11, 1)
    assert result["length", "speaker"].n == 12
    assert result["stumbling", "pronoun"].n == 12


def test_a_judge_that_always_fails_is_not_asked_any_more() -> None:
    class Broken(Length):
        name, asked = "broken", 0

        def score(self, items: Sequence[Item]) -> Sequence[float]:
            Broken.asked += 1
            raise RuntimeError("no")

    result = score_judge(cases(), [Broken()])
    assert Broken.asked == 11
    assert result["broken", "speaker"].reason == "no case was scored: RuntimeError: no"
    assert result.counts["failures"] == 168
