"""Work for shards. The module imports little, because each worker process imports it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from dialmeter.core.engine import note
from dialmeter.errors import InputError


def squared(number: int) -> int:
    return number * number


def killed_once(task: tuple[str, int]) -> int:
    """Kill the process at the first attempt on number 2, as the kernel does."""
    mark, number = task
    if number == 2 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return squared(number)


def killed_always(number: int) -> int:
    note(f"dialogue d{number}")
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return squared(number)


def refusing(number: int) -> int:
    if number in (3, 5):
        raise InputError("not a number that I like", file="f.jsonl", dialogue=f"d{number}", turn=1)
    return squared(number)


def broken(number: int) -> int:
    return 1 // (number - 1)
