"""Askers of judges: any number of askers gives the same result as one asker that asks everything in order."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError, UnreadableAnswer
from dialmeter.judges.ask import PATIENCE, Asker, Shard, ShardAnswer, score_cases
from dialmeter.judges.builtin.surface import Length
from dialmeter.judges.judge import Call, Item
from dialmeter.judges.judge_recipe import Recipe, RecipeAsker
from dialmeter.judges.scorer import score_judge

from .made import Oracle, case, cases


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


def test_failures_are_counted_across_batches() -> None:
    judge = Moody(frozenset(REPLIES), 4)
    found = score_cases(MANY, {"moody": judge})
    reasons = [failure.why for failure in found.failures]
    assert reasons.count("RuntimeError: not this one") == PATIENCE
    assert reasons.count(f"not asked after {PATIENCE} failures in a row") == len(REPLIES) - PATIENCE


def test_a_successful_batch_resets_the_count_of_failures() -> None:
    bad = {*REPLIES[:6], *REPLIES[12:18]}
    found = score_cases(MANY, {"moody": Moody(frozenset(bad), 6)})
    assert {failure.why for failure in found.failures} == {"RuntimeError: not this one"}
    assert len(found.failures) == 12


def test_batches_do_not_depend_on_stored_scores() -> None:
    asked: list[list[str]] = []

    class Listening(Length):
        batch_size = 8

        def score(self, items: Sequence[Item]) -> Sequence[float]:
            asked.append([reply for _, reply in items])
            return super().score(items)

    def all_but_the_second(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        ask = Asker(lambda _: Listening()).ask
        return (ask(shard) for shard in shards if shard.number != 1)

    from dialmeter.judges.ask import ScoreStore

    class Kept(ScoreStore):
        def __init__(self) -> None:
            self.all: dict[str, float] = {}

        def scores(self, identity: str) -> dict[str, float]:
            return dict(self.all)

        def add(self, identity: str, scores: object) -> None:
            self.all.update(scores)  # type: ignore[call-overload]

    store = Kept()
    score_cases(cases(), {"listening": Listening()}, store, ask=all_but_the_second)
    first = list(asked)
    asked.clear()
    score_cases(cases(), {"listening": Listening()}, store)
    [again] = asked
    assert len(again) == 8
    assert not any(reply in again for batch in first for reply in batch)


def test_recipes_are_sent_to_workers() -> None:
    recipes = {"one": Recipe(Call("length")), "two": Recipe(Call("ngram-fluency"))}
    panel = RecipeAsker(recipes, [["a room for two"]])
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
    assert len(pickle.dumps(RecipeAsker({"one": Recipe(Call("length"))}, talk))) < 1000
    assert len(pickle.dumps(RecipeAsker({"two": Recipe(Call("ngram-coherence"))}, talk))) > 1000


def test_paths_of_recipes_become_absolute(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("program.py", "w", encoding="utf-8") as file:
        file.write("")
    command = Recipe(command=("python", "program.py")).rooted(Length())
    assert command.command == ("python", f"{tmp_path}/program.py")
    assert command.files == [f"{tmp_path}/program.py"]
    call = Recipe(Call("pang-c", {"model": "program.py", "dtype": "float32"})).rooted(Length()).call
    assert call is not None
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

        def score_each(self, items: Any) -> Any:
            Each.calls += 1
            return answers(len(items))

    result = score_judge(cases(("speaker",), 3), {"each": Each()})
    assert Each.calls == 1
    assert [each.reason for each in result.accounts["each"].reasons] == reasons
