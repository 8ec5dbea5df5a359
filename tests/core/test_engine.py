"""Shards in processes: the same results in the same order, even if workers die."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.core.engine import Done, Lost, map_shards
from dialmeter.errors import DialmeterError, InputError, MissingExtra

from .shard_work import broken, killed_always, killed_once, refusing, squared


@given(st.lists(st.integers(-99, 99)))
def test_one_worker_runs_in_this_process(numbers: list[int]) -> None:
    assert list(map_shards(squared, numbers)) == [Done(number * number) for number in numbers]


@pytest.mark.parametrize("workers", [2, 3, 50])
def test_any_number_of_workers(workers: int) -> None:
    assert list(map_shards(squared, range(20), workers)) == [Done(number * number) for number in range(20)]


def test_killed_worker_is_replaced(tmp_path: Path) -> None:
    tasks = [(str(tmp_path / "mark"), number) for number in range(6)]
    assert list(map_shards(killed_once, tasks, 2)) == [Done(number * number) for number in range(6)]
    assert (tmp_path / "mark").exists()


def test_lost_shard_among_others() -> None:
    outcomes = list(map_shards(killed_always, range(6), 2))
    lost = outcomes.pop(2)
    assert isinstance(lost, Lost)
    assert lost.reason == "2 workers died while processing it, the last one by signal 9"
    assert lost.at == "dialogue d2"
    assert outcomes == [Done(number * number) for number in range(6) if number != 2]


@pytest.mark.parametrize("workers", [1, 2])
def test_bad_input_in_first_shard(workers: int) -> None:
    done = []
    with pytest.raises(InputError) as caught:
        done.extend(map_shards(refusing, range(8), workers))
    assert str(caught.value) == "f.jsonl: dialogue d3, turn 1: not a number that I like"


def test_bug_is_internal_error() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(map_shards(broken, range(4), 2))


def test_no_process_after_early_stop() -> None:
    import multiprocessing

    outcomes = map_shards(squared, range(100), 2)
    assert next(outcomes) == Done(0)
    outcomes.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    "error",
    [
        DialmeterError("plain"),
        InputError("bad", file="f", line=3, dialogue="d", turn=2, slot="s"),
        MissingExtra("a chart", "charts"),
    ],
)
def test_errors_keep_their_message_between_processes(error: DialmeterError) -> None:
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


class GrowingShards(Sequence[int]):
    """Shards that are created when a worker is free, from the number of finished ones."""

    def __init__(self) -> None:
        self.finished = 0

    def __len__(self) -> int:
        return 40  # more than the limit of shards ahead of the oldest

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...
    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        return self.finished


@pytest.mark.parametrize("workers", [1, 2])
def test_lazy_shards(workers: int) -> None:
    shards = GrowingShards()
    outcomes = []
    for outcome in map_shards(squared, shards, workers):
        outcomes.append(outcome)
        shards.finished += 1
    assert len(outcomes) == 40
    assert outcomes[0] == Done(0)
    assert outcomes[-1] != Done(0)
