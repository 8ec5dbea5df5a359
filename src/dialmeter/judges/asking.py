"""Asking judges about batches, in whatever process; one bad item does not take its batch with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite

from msgspec import Struct

from ..errors import DialmeterError, UnreadableAnswer, one_line
from .judge import Judge, load_weights
from .units import Shard, Unit

PATIENCE = 10
"""After so many failures in a row a judge is not asked any more."""

FAILED = "whose request failed"
UNREADABLE = "whose answer could not be read"
NOT_ASKED = f"not asked after {PATIENCE} failures in a row"


class Tried(Struct, frozen=True):
    """A unit about which a judge was asked alone: its scores, or why there are none, in short and in full."""

    keys: tuple[str, ...]
    scores: dict[str, float]
    reason: str = ""
    why: str = ""


class Answer(Struct, frozen=True):
    """What a judge said of a shard.

    Attributes:
        judge: its name.
        number: of the shard.
        scores: by key, where the batch went well.
        alone: where it did not, the units one by one, as far as the judge was asked.
    """

    judge: str
    number: int
    scores: dict[str, float] = {}
    alone: tuple[Tried, ...] | None = None


class Asker:
    """Asks judges, and loses patience with one that fails again and again.

    Args:
        find: gives the judge of a name; the same one each time.
    """

    def __init__(self, find: Callable[[str], Judge]) -> None:
        self._find = find
        self._last: dict[str, tuple[int, int]] = {}

    def ask(self, shard: Shard) -> Answer:
        """The answer to a shard.

        Failures are counted on from one shard to the next only where nothing lies between them. So nobody loses patience earlier
        than someone who asks all shards in order, and what is heard from several askers can be put together to what that one hears.

        Raises:
            DialmeterError: the judge's weights cannot be loaded.
        """
        judge = self._find(shard.judge)
        last, failures = self._last.get(shard.judge, (-1, 0))
        if failures >= PATIENCE and shard.number > last:
            return Answer(shard.judge, shard.number, alone=())
        if shard.number != last + 1:
            failures = 0
        load_weights(judge)
        with _one_thread(judge):
            answer, failures = _asked(judge, shard, failures)
        self._last[shard.judge] = shard.number, failures
        return answer


def _asked(judge: Judge, shard: Shard, failures: int) -> tuple[Answer, int]:
    scores, reason, _ = _scores(judge, shard.units)
    if not reason:
        return Answer(shard.judge, shard.number, scores), 0
    alone: list[Tried] = []
    for unit in shard.units:
        if failures >= PATIENCE:
            break
        scores, reason, why = _scores(judge, [unit])
        alone.append(Tried(unit.keys, scores, reason, why))
        failures = failures + 1 if reason else 0
    return Answer(shard.judge, shard.number, alone=tuple(alone)), failures


def _scores(judge: Judge, batch: Sequence[Unit]) -> tuple[dict[str, float], str, str]:
    """The scores of a batch; or nothing, the reason, and the reason in full."""
    keys = [key for unit in batch for key in unit.keys]
    items = [unit.item for unit in batch for _ in unit.keys]
    try:
        scores = [float(score) for score in judge.score(items)]
    except DialmeterError as error:
        return {}, UNREADABLE if isinstance(error, UnreadableAnswer) else FAILED, one_line(str(error), 300)
    except Exception as error:
        return {}, FAILED, one_line(f"{type(error).__name__}: {error}", 300)
    if len(scores) != len(items):
        return {}, UNREADABLE, f"gave {len(scores)} scores for {len(items)} replies"
    strange = [score for score in scores if not isfinite(score)]
    if strange:
        return {}, UNREADABLE, f"gave {strange[0]} as a score"
    return dict(zip(keys, scores, strict=True)), "", ""


@contextmanager
def _one_thread(judge: Judge) -> Iterator[None]:
    """One thread for networks: sums over several threads differ in the last digit, and workers would take each other's cores."""
    if "torch" not in sys.modules and not getattr(judge, "neural", False):
        yield
        return
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
