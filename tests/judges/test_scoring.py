"""Scoring with judges: each item is scored once and stored on disk, by any number of askers, and failures are reported."""

from __future__ import annotations

import importlib
import os
import pickle
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError, UnreadableAnswer
from dialmeter.judges.ask import PATIENCE, Asker, Shard, ShardAnswer, score_cases
from dialmeter.judges.builtin.surface import Chance, Length
from dialmeter.judges.external_judges import CommandJudge
from dialmeter.judges.judge import Call, Item, Judge, identity_of, load_judge
from dialmeter.judges.judge_recipe import Recipe, RecipeAsker
from dialmeter.judges.scorer import score_judge

from .made import Oracle, case, cases, write_cases


class Counting(Length):
    """Records the batches of items that it scores."""

    name = "counting"

    def __init__(self, batch_size: int = 8) -> None:
        self.batch_size = batch_size
        self.batches: list[list[Item]] = []

    @property
    def asked(self) -> list[str]:
        return [reply for batch in self.batches for _, reply in batch]

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        self.batches.append(list(items))
        return super().score(items)


def test_each_reply_is_scored_once_and_items_of_one_context_are_adjacent() -> None:
    judge = Counting()
    score_cases(cases(), {"counting": judge})
    assert len(judge.asked) == len(set(judge.asked)) == 12 + 7 * 12
    contexts = [context[0].text for batch in judge.batches for context, _ in batch]
    assert len([1 for one, two in pairwise(contexts) if one != two]) == 11


def test_the_control_is_asked_twice() -> None:
    control = [case("identical", number, reply="yes", adversarial="yes") for number in range(5)]
    found = score_cases(control, {"chance": Chance(), "length": Length()})
    assert all(pair.human != pair.adversarial for pair in found.pairs["chance"])
    assert all(pair.human == pair.adversarial for pair in found.pairs["length"])


def test_stored_scores_are_not_computed_again(tmp_path: Path) -> None:
    first, second, store = Counting(), Counting(), tmp_path / "scores"
    before = score_cases(cases(), {"counting": first}, store)
    assert score_cases(cases(), {"counting": second}, store) == before
    assert not second.asked
    third = Counting()
    score_cases([*cases(), case("new", 1)], {"counting": third}, store)
    assert third.asked == [case("new", 1).adversarial]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_an_incomplete_line_is_removed_and_its_batch_scored_again(cut: int, tmp_path: Path) -> None:
    before = score_cases(cases(), {"counting": Counting()}, tmp_path)
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-cut])
    again = Counting()
    assert score_cases(cases(), {"counting": again}, tmp_path) == before
    assert 0 < len(again.asked) <= again.batch_size


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


CLASS = """
class Mine:
    name, higher_is_better, scale, facets = "mine", True, None, None
    def __init__(self, weight="1"):
        self.weight = float(weight)
    def score(self, items):
        return [{sign} self.weight * len(reply) for _, reply in items]
"""
PROGRAM = "import json, sys\nfor line in sys.stdin:\n    print({sign} len(json.loads(line)['reply']))\n"


def imported(path: Path, sign: str, monkeypatch: pytest.MonkeyPatch) -> Judge:
    path.write_text(CLASS.format(sign=sign), "utf-8")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(path.parent)
    sys.modules.pop(path.stem, None)
    importlib.invalidate_caches()
    return load_judge(f"{path.stem}:Mine")[1]


def program(path: Path, sign: str) -> Judge:
    path.write_text(PROGRAM.format(sign=sign), "utf-8")
    judge = CommandJudge(shlex.join([sys.executable, str(path)]))
    judge.name = "mine"
    return judge


@pytest.mark.parametrize("kind", ["class", "program"])
def test_a_changed_judge_is_asked_again(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cases(("speaker", "repetition"), 6)
    path = tmp_path / f"mine_{kind}.py"
    before, after, again = (
        score_judge(
            made, [imported(path, sign, monkeypatch) if kind == "class" else program(path, sign)], store=tmp_path
        )
        for sign in ("+", "-", "+")
    )
    cells = [each["mine", "speaker"] for each in (before, after, again)]
    assert [cell.value for cell in cells] == [1.0, 0.0, 1.0]
    assert cells[0].signature != cells[1].signature
    assert cells[0].signature == cells[2].signature


def factory(bonus: float) -> Judge:
    class Mine(Oracle):
        def score(self, items: Sequence[Item]) -> Sequence[float]:
            return [each + bonus for each in super().score(items)]

    return Mine()


class Weighted(Oracle):
    def __init__(self, weight: object) -> None:
        self._weight = weight


class OtherScale(Weighted):
    sign = 0.5


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (Weighted(1.0), Weighted(1.0), Weighted(2.0)),
        (Weighted({"a", "b"}), Weighted({"b", "a"}), Weighted({"a"})),
        (Weighted([Weighted(1)]), Weighted([Weighted(1)]), Weighted([Weighted(2)])),
        (Weighted(Oracle().score), Weighted(Oracle().score), Weighted(Oracle)),
        (Weighted(1.0), Weighted(1.0), OtherScale(1.0)),
        (factory(1.0), factory(1.0), factory(2.0)),
    ],
)
def test_parameters_are_part_of_the_identity(one: Judge, same: Judge, other: Judge) -> None:
    assert identity_of(one) == identity_of(same) != identity_of(other)


def test_a_file_among_the_parameters(tmp_path: Path) -> None:
    weights = tmp_path / "weights.txt"
    found = []
    for text in ("1", "2"):
        weights.write_text(text, "utf-8")
        commands = ([sys.executable, "-c", "", str(weights)], [sys.executable, "-c", "", f"--weights={weights}"])
        found.append(
            [identity_of(Weighted(str(weights))), *(CommandJudge(shlex.join(each)).identity for each in commands)]
        )
    assert all(before != after for before, after in zip(*found, strict=True))
    assert str(tmp_path) not in "".join(map(str, found))


class Moody(Length):
    """Fails on chosen replies."""

    name = "moody"

    def __init__(self, bad: frozenset[str], batch_size: int) -> None:
        self.bad = bad
        self.batch_size = batch_size

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        if any(reply in self.bad for _, reply in items):
            raise RuntimeError("not this one")
        return super().score(items)


MANY = [case("speaker", number, reply=f"yes {number}", adversarial=f"no {number}") for number in range(30)]
REPLIES = [text for each in MANY for text in (each.reply, each.adversarial)]


@given(
    bad=st.lists(st.booleans(), min_size=60, max_size=60),
    size=st.integers(1, 12),
    askers=st.integers(1, 4),
    who=st.randoms(use_true_random=False),
)
def test_several_askers_give_the_same_result_as_one(bad: list[bool], size: int, askers: int, who: object) -> None:
    choose = who.randrange  # type: ignore[attr-defined]
    judge = Moody(frozenset(text for text, fails in zip(REPLIES, bad, strict=True) if fails), size)

    def several(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        all_askers = [Asker(lambda _: judge) for _ in range(askers)]
        return (all_askers[choose(askers)].ask(shard) for shard in shards)

    assert score_cases(MANY, {"moody": judge}, ask=several) == score_cases(MANY, {"moody": judge})


def test_failures_are_counted_across_batches_until_one_succeeds() -> None:
    found = score_cases(MANY, {"moody": Moody(frozenset(REPLIES), 4)})
    reasons = [failure.detail for failure in found.failures]
    assert reasons.count("RuntimeError: not this one") == PATIENCE
    assert reasons.count(f"not asked after {PATIENCE} failures in a row") == len(REPLIES) - PATIENCE
    found = score_cases(MANY, {"moody": Moody(frozenset({*REPLIES[:6], *REPLIES[12:18]}), 6)})
    assert [failure.detail for failure in found.failures] == ["RuntimeError: not this one"] * 12


def test_batches_do_not_depend_on_stored_scores(tmp_path: Path) -> None:
    first, second, store = Counting(), Counting(), tmp_path

    def all_but_the_second(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        ask = Asker(lambda _: first).ask
        return (ask(shard) for shard in shards if shard.number != 1)

    score_cases(cases(), {"counting": first}, store, ask=all_but_the_second)
    score_cases(cases(), {"counting": second}, store)
    assert len(second.batches) == 1
    assert len(second.asked) == 8
    assert not {*first.asked} & {*second.asked}


def test_recipes_are_sent_to_workers() -> None:
    recipes = {"one": Recipe(Call("length")), "two": Recipe(Call("ngram-fluency"))}
    panel = RecipeAsker(recipes, {"dialogues": [["a room for two"]]})
    found: list[ShardAnswer] = []

    def ask(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        there = pickle.loads(pickle.dumps(panel))
        for shard in shards:
            found.append(there.ask(shard))
            yield found[-1]

    judges = {name: recipe.make({"dialogues": [["a room for two"]]}) for name, recipe in recipes.items()}
    assert score_cases(cases(), judges, ask=ask) == score_cases(cases(), judges)
    assert {answer.judge for answer in found} == {"one", "two"}


def test_talk_is_sent_only_to_judges_that_learn() -> None:
    talk = [["something long " * 1000]]
    assert len(pickle.dumps(RecipeAsker({"one": Recipe(Call("length"))}, {"dialogues": talk}))) < 1000
    assert len(pickle.dumps(RecipeAsker({"two": Recipe(Call("ngram-coherence"))}, {"dialogues": talk}))) > 1000


def test_paths_of_recipes_become_absolute(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("program.py", "w", encoding="utf-8") as file:
        file.write("")
    command = Recipe(Call("cmd", {"run": "python program.py"})).rooted(Length())
    assert command.call.given == {"run": f"python {tmp_path}/program.py"}
    assert command.files == [f"{tmp_path}/program.py"]
    call = Recipe(Call("pang-c", {"model": "program.py", "dtype": "float32"})).rooted(Length()).call
    assert call.given == {"model": f"{tmp_path}/program.py", "dtype": "float32"}


def test_networks_run_in_one_thread() -> None:
    torch = pytest.importorskip("torch")
    seen: list[int] = []

    class Network(Length):
        neural = True

        def score(self, items: Sequence[Item]) -> Sequence[float]:
            seen.append(torch.get_num_threads())
            return super().score(items)

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        score_cases(cases(), {"network": Network()})
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert set(seen) == {1}


def test_a_worker_with_another_judge_of_the_same_name_is_an_error() -> None:
    recipe = Recipe(Call("ngram-fluency"))
    sent = recipe.rooted(recipe.make({"dialogues": [["a room"]]}))
    sent.make({"dialogues": [["a room"]]})
    with pytest.raises(DialmeterError, match="judge ngram-fluency: a worker has other weights or another version"):
        sent.make({"dialogues": [["a boat"]]})


def test_a_long_lived_worker_reloads_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    for number in (1, 2):
        source = f"def same(context, reply):\n    return {number}\nsame.higher_is_better = True\n"
        (tmp_path / "worker_lives_on.py").write_text(source)
        sent = Recipe(Call("worker_lives_on:same")).rooted(Length())
        assert sent.make({}).score([((), "yes")]) == [number]
    sys.modules.pop("worker_lives_on")


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        (lambda n: [1.0] * n, []),
        (lambda n: [float("nan"), *[1.0] * (n - 1)], ["whose answer could not be read"]),
        (lambda n: [UnreadableAnswer("what?"), *[1.0] * (n - 1)], ["whose answer could not be read"]),
        (lambda n: [1.0], ["whose answer could not be read"]),
        (lambda n: 1 / 0, ["whose request failed"]),
    ],
)
def test_a_judge_that_gives_a_score_or_an_error_for_each_item(answers: Any, reasons: list[str]) -> None:
    class Each(Oracle):
        calls = 0

        def ask_batches(self, batches: Any) -> Any:
            for items in batches:
                Each.calls += 1
                yield answers(len(items))

    result = score_judge(cases(("speaker",), 3), {"each": Each()})
    assert Each.calls == 1
    assert [each.reason for each in result.accounts["each"].reasons] == reasons
