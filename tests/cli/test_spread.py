"""Work that is not read from the input goes to processes where several are in use, and is never lost."""

from __future__ import annotations

import multiprocessing
import os

from dialmeter.cli.work import spread


def where(task: int) -> tuple[int, bool]:
    return task, multiprocessing.parent_process() is None


def dying(task: int) -> int:
    if task == 2 and multiprocessing.parent_process() is not None:
        os._exit(9)
    return task


def test_one_worker_spreads_nothing():
    assert spread({"workers": 1}, []) is None
    assert spread({"workers": None}, []) is None


def test_two_workers_do_the_work_elsewhere_and_in_order():
    mapped = spread({"workers": 2}, [])
    assert mapped is not None
    assert list(mapped(where, [3, 1, 2])) == [(3, False), (1, False), (2, False)]


def test_what_workers_die_at_is_done_here():
    mapped = spread({"workers": 2}, [])
    assert mapped is not None
    assert list(mapped(dying, [1, 2, 3])) == [1, 2, 3]
