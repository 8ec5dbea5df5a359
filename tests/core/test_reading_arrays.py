"""Several threads of a server read the arrays of runs concurrently."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dialmeter.core.open_runs import read_arrays


class Unfinished:
    """An object in a reference cycle, whose finaliser lets another thread run."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(0)


@pytest.fixture
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def read(path: Path, frames: int) -> int:
    """Read at a given depth of the stack. Threads that parse at the same depth would not disturb each other."""
    return read(path, frames - 1) if frames else len(read_arrays(path))


@pytest.mark.usefixtures("_thresholds")
def test_garbage_collection_in_headers(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(path, **{f"a{number}": np.zeros(3) for number in range(30)})

    def read_often(frames: int) -> None:
        chance = random.Random(frames)
        for _ in range(150):
            gc.set_threshold(chance.randint(20, 400), 1000, 1000)
            for _ in range(3):
                Unfinished()
            assert read(path, frames) == 30

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(read_often, (0, 3, 7)))
