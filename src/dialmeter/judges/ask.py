"""One run of asking: the scores of judges on cases.

Each distinct item is scored once. Batches do not depend on who asks, and one bad item does not take its batch with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from ..core.endpoint.cost import BudgetSpent
from ..errors import DialmeterError, UnreadableAnswer, one_line
from .cases import Case
from .judge import AnyItem, AnyJudge, identity_of, is_pairwise, load_weights
from .judged_items import JudgedItem, keys_of, pair_keys_of, units_by_judge
from .store import ScoreStore

_BATCH = 256
PATIENCE = 10
"""After this many failures in a row a judge is not asked any more."""

FAILED = "whose request failed"
OTHER_CONTEXT = "whose replies have different contexts, so that they cannot be compared"
UNREADABLE = "whose answer could not be read"
OVER_BUDGET = "not asked, because the budget is spent"
NOT_ASKED = f"not asked after {PATIENCE} failures in a row"


class Shard(Struct, frozen=True):
    """A batch of items for one judge.

    Attributes:
        judge: the name under which it is reported.
        number: the index of the shard among those of this judge.
        first: the index of its first item among all items.
        units: the items.
    """

    judge: str
    number: int
    first: int
    units: tuple[JudgedItem, ...]

    def __str__(self) -> str:
        return f"judge {self.judge}, replies {self.first + 1} to {self.first + len(self.units)}"


class SingleAnswer(Struct, frozen=True):
    """The answer to one item that was asked alone: its scores, or why there are none, in short and in full."""

    keys: tuple[str, ...]
    scores: dict[str, float]
    reason: str = ""
    why: str = ""


class ShardAnswer(Struct, frozen=True):
    """The answer of a judge to a shard.

    Attributes:
        judge: its name.
        number: of the shard.
        scores: by key, if the whole batch could be scored.
        alone: if not, the items one by one, as far as the judge was asked.
    """

    judge: str
    number: int
    scores: dict[str, float] = {}
    alone: tuple[SingleAnswer, ...] | None = None


class ScoringFailure(Struct, frozen=True):
    """A reply that a judge did not score, and why, in short and in full."""

    judge: str
    case: int
    reply: str
    reason: str
    why: str


class ScorePair(NamedTuple):
    """A judge's scores of the two replies of a case; None where it has none.

    Of a pairwise judge: what it says with the human reply first, and with the adversarial reply first.
    """

    human: float | None
    adversarial: float | None


class JudgeScores(Struct, frozen=True):
    """The scores of judges: by judge, one pair per case in the order of the cases."""

    pairs: dict[str, list[ScorePair]]
    failures: list[ScoringFailure]


Watch: TypeAlias = Callable[[str, int, int], None]
"""Reports progress: the judge's name, the number of items that it has scored, and the number of all items."""

Ask: TypeAlias = Callable[[Sequence[Shard]], Iterable[ShardAnswer]]
"""Answers shards, those of one judge in order."""


def score_cases(
    cases: Sequence[Case],
    judges: Mapping[str, AnyJudge],
    store: ScoreStore | None = None,
    watch: Watch | None = None,
    ask: Ask | None = None,
) -> JudgeScores:
    """The scores of all judges on all cases.

    A reply that occurs in several cases is scored once. Where the adversarial reply is the human one (the control), the
    judge is asked twice. Items with the same context are neighbours, so that a judge can share work.

    Args:
        cases: the cases.
        judges: by the name under which they are reported.
        store: where scores are kept; without it an interrupted run starts again.
        watch: reports progress.
        ask: answers shards; None to ask in this process.
    """
    keys = {
        name: [(pair_keys_of if is_pairwise(judge) else keys_of)(case) for case in cases]
        for name, judge in judges.items()
    }
    by_judge = score_units(units_by_judge(cases, judges), judges, store, watch, ask)
    pairs = {
        name: [ScorePair(found.known.get(human), found.known.get(adversarial)) for human, adversarial in keys[name]]
        for name, found in by_judge.items()
    }
    failures = [
        ScoringFailure(name, number, reply, *(found.reasons[key] if key else (OTHER_CONTEXT, OTHER_CONTEXT)))
        for name, found in by_judge.items()
        for number, both in enumerate(keys[name])
        for reply, key in zip(("human", "adversarial"), both, strict=True)
        if not key or key in found.reasons
    ]
    return JudgeScores(pairs, failures)


def score_units(
    units: Mapping[str, Sequence[JudgedItem]],
    judges: Mapping[str, AnyJudge],
    store: ScoreStore | None = None,
    watch: Watch | None = None,
    ask: Ask | None = None,
) -> dict[str, UnitScores]:
    """The scores of all judges on distinct items, both by judge; see :func:`score_cases`."""
    by_judge = {name: UnitScores(store.scores(identity_of(judge)) if store else {}) for name, judge in judges.items()}
    shards = {
        (name, shard.number): shard
        for name, judge in judges.items()
        for shard in shards_of(name, judge, units[name], by_judge[name].known)
    }
    left = dict.fromkeys(judges, 0)
    for (name, _), shard in shards.items():
        left[name] += len(shard.units)
    asked = list(shards.values())
    for answer in ask(asked) if ask else map(Asker(judges.__getitem__).ask, asked):
        name, units_asked = answer.judge, shards[answer.judge, answer.number].units
        new = by_judge[name].take(answer, units_asked)
        if store and new:
            store.add(identity_of(judges[name]), new)
        left[name] -= len(units_asked)
        if watch:
            watch(name, len(units[name]) - left[name], len(units[name]))
    return by_judge


def shards_of(name: str, judge: AnyJudge, units: Sequence[JudgedItem], known: Container[str]) -> Iterator[Shard]:
    """The batches that have an item without a score.

    Batches are cut before known items are removed, because the last digit of a network's score may depend on the other items of
    its batch: a resumed run asks in the same batches as an undisturbed one.
    """
    size = max(1, int(getattr(judge, "batch_size", _BATCH)))
    number = 0
    for first in range(0, len(units), size):
        new = tuple(unit for unit in units[first : first + size] if not all(key in known for key in unit.keys))
        if new:
            yield Shard(name, number, first, new)
            number += 1


class Asker:
    """Asks judges, and stops asking a judge that fails again and again.

    Args:
        find: gives the judge of a name; the same one each time.
    """

    def __init__(self, find: Callable[[str], AnyJudge]) -> None:
        self._find = find
        self._last: dict[str, tuple[int, int]] = {}

    def ask(self, shard: Shard) -> ShardAnswer:
        """The answer to a shard.

        Failures are counted across shards only if the shards are neighbours. So no asker gives up earlier than one that
        asks all shards in order, and the answers of several askers can be merged into those of that one.

        Raises:
            DialmeterError: the judge's weights cannot be loaded.
        """
        judge = self._find(shard.judge)
        last, failures = self._last.get(shard.judge, (-1, 0))
        if failures >= PATIENCE and shard.number > last:
            return ShardAnswer(shard.judge, shard.number, alone=())
        if shard.number != last + 1:
            failures = 0
        load_weights(judge)
        with _one_thread(judge):
            answer, failures = _asked(judge, shard, failures)
        self._last[shard.judge] = shard.number, failures
        return answer


def _asked(judge: AnyJudge, shard: Shard, failures: int) -> tuple[ShardAnswer, int]:
    """Asks about all items at once. If one has no score, a judge that does not say which one is asked about each item alone."""
    gives_errors = hasattr(judge, "compare_each" if is_pairwise(judge) else "score_each")
    together = _answers(judge, shard.units)
    if not any(answer.reason for answer in together):
        scores = {key: score for answer in together for key, score in answer.scores.items()}
        return ShardAnswer(shard.judge, shard.number, scores), 0
    alone: list[SingleAnswer] = []
    for unit, answer in zip(shard.units, together, strict=True):
        if failures >= PATIENCE and not gives_errors:
            break
        alone += [answer] if gives_errors else _answers(judge, [unit])
        failures = in_a_row(failures, alone[-1].reason)
    return ShardAnswer(shard.judge, shard.number, alone=tuple(alone)), failures


def _answers(judge: AnyJudge, units: Sequence[JudgedItem]) -> list[SingleAnswer]:
    """The answers to items that are asked at once; an error of the whole request is the error of each item."""
    found = iter(_scores(judge, [unit.item for unit in units for _ in unit.keys]))
    answers = []
    for unit in units:
        scores = {key: next(found) for key in unit.keys}
        errors = [each for each in scores.values() if isinstance(each, DialmeterError)]
        if errors:
            answers.append(SingleAnswer(unit.keys, {}, _reason(errors[0]), one_line(str(errors[0]), 300)))
        else:
            answers.append(SingleAnswer(unit.keys, scores))
    return answers


def _scores(judge: Any, items: Sequence[AnyItem]) -> list[Any]:
    """One score per item, or the error where there is none."""
    whole, each = ("compare", "compare_each") if is_pairwise(judge) else ("score", "score_each")
    ask = getattr(judge, each, None) or getattr(judge, whole)
    error: DialmeterError
    try:
        found = [score if isinstance(score, DialmeterError) else float(score) for score in ask(items)]
    except DialmeterError as raised:
        error = raised
    except Exception as raised:
        error = DialmeterError(f"{type(raised).__name__}: {raised}")
    else:
        if len(found) == len(items):
            return [_checked(judge, score) for score in found]
        error = UnreadableAnswer(f"gave {len(found)} scores for {len(items)} replies")
    return [error] * len(items)


def _checked(judge: Any, score: float | DialmeterError) -> float | DialmeterError:
    """The score, or what is wrong with it."""
    if isinstance(score, DialmeterError):
        return score
    if not isfinite(score):
        return UnreadableAnswer(f"gave {score} as a score")
    if is_pairwise(judge) and not -1 <= score <= 1:
        return UnreadableAnswer(f"gave {score:g} for a pair, which is not between -1 and 1")
    return score


def in_a_row(failures: int, reason: str) -> int:
    """How many failures in a row there are after an item; a budget that is spent is no failure of the judge.

    Example:
        >>> in_a_row(3, FAILED), in_a_row(3, ""), in_a_row(3, OVER_BUDGET)
        (4, 0, 3)
    """
    if reason == OVER_BUDGET:
        return failures
    return failures + 1 if reason else 0


def _reason(error: DialmeterError) -> str:
    if isinstance(error, BudgetSpent):
        return OVER_BUDGET
    return UNREADABLE if isinstance(error, UnreadableAnswer) else FAILED


@contextmanager
def _one_thread(judge: AnyJudge) -> Iterator[None]:
    """One thread for networks: sums over several threads differ in the last digit, and workers would compete for cores."""
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


class UnitScores:
    """The scores and failures of one judge, as if one asker had asked all shards in order."""

    def __init__(self, known: dict[str, float]) -> None:
        self.known = known
        self.reasons: dict[str, tuple[str, str]] = {}
        self._in_a_row = 0

    def take(self, answer: ShardAnswer, units: Sequence[JudgedItem]) -> dict[str, float]:
        """Adds the answer to these items, and gives the scores that are new."""
        fresh = self._believed(answer)
        missing = [key for unit in units for key in unit.keys if key not in fresh and key not in self.reasons]
        self.reasons.update((key, (NOT_ASKED, NOT_ASKED)) for key in missing)
        new = {key: score for key, score in fresh.items() if key not in self.known}
        self.known.update(new)
        return new

    def _believed(self, answer: ShardAnswer) -> dict[str, float]:
        """The scores up to the last failure that is tolerated; another asker may have tolerated more."""
        if self._in_a_row >= PATIENCE:
            return {}
        if answer.alone is None:
            self._in_a_row = 0
            return answer.scores
        fresh: dict[str, float] = {}
        for single in answer.alone:
            if self._in_a_row >= PATIENCE:
                break
            self._in_a_row = in_a_row(self._in_a_row, single.reason)
            self.reasons.update((key, (single.reason, single.why)) for key in single.keys if single.reason)
            fresh.update(single.scores)
        return fresh
