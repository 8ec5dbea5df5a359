"""Score cases with judges, and store the scores on disk.

Each distinct item is scored once. Batches do not depend on the process that asks the judge. If one item fails, the other items of
its batch are still scored.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby, tee, zip_longest
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from ..core.account import Account
from ..core.batch import Waiting
from ..core.endpoint import BudgetSpent
from ..core.output import Store
from ..errors import DialmeterError, NoAnswer, NotApplicable, UnreadableAnswer, one_line
from ..progress import track
from .cases import Case
from .judge import AnyJudge, batches_of, identity_of, is_pairwise, load_weights
from .judged_items import JudgedItem, keys_of, pair_keys_of, units_by_judge


def stored_scores(folder: str | Path | None, identity: str) -> Store[float]:
    """The stored scores of a judge by item, in one file of a folder with a line per batch; None to keep them only in memory.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     stored_scores(folder, "length").add({"a1": 3.0, "b2": 4.0})
        ...     stored_scores(folder, "length").values
        {'a1': 3.0, 'b2': 4.0}
    """
    name = f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.jsonl"
    head = msgspec.json.encode({"judge": identity}) + b"\n"
    return Store(None if folder is None else Path(folder, name), float, "a line of scores", head)


_BATCH = 256
PATIENCE = 10
"""After this many consecutive failures, a judge is not asked any more."""

FAILED = "whose request failed"
OTHER_CONTEXT = "whose replies cannot be compared, because their contexts differ"
NO_SCORE = "without a score in the file"
UNREADABLE = "whose answer could not be read"
UNSUITABLE = "in a language that the judge does not support"
OVER_BUDGET = "not asked, because the budget is spent"
NO_ANSWER = "for which the server gave no answer"
UNFINISHED = {OVER_BUDGET: "the budget is spent", NO_ANSWER: "the server gave no answer"}
"""Reasons that a later run may not meet, so the run can be continued, as they are written in its message."""
WAITING = "in a batch that waits for its answers"
NOT_ASKED = f"not asked after {PATIENCE} failures in a row"


def unfinished(accounts: Mapping[str, Account]) -> list[str]:
    """Lines about units of judges that are unscored because the budget is spent, or because its server failed after some answers."""
    return [
        f"{judge}: {each.count} of {account.asked} {account.unit}s are unscored, because {UNFINISHED[each.reason]}"
        for judge, account in accounts.items()
        for each in account.reasons
        if each.reason == OVER_BUDGET or (each.reason in UNFINISHED and account.scored)
    ]


class Shard(Struct, frozen=True):
    """A batch of items for one judge.

    Attributes:
        judge: the judge's name in reports.
        number: the index of the shard among the shards of this judge.
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
    """The answer to one item: its scores by key, or a short reason and the full reason why it has none."""

    scores: dict[str, float]
    reason: str = ""
    detail: str = ""


class ShardAnswer(Struct, frozen=True):
    """The answers of a judge to the first items of a shard; a judge that fails too often is not asked about the others."""

    judge: str
    number: int
    answers: tuple[SingleAnswer, ...] = ()


class ScoringFailure(Struct, frozen=True):
    """A reply that a judge did not score, with a short reason (``reason``) and the full reason (``detail``)."""

    judge: str
    case: int
    reply: str
    reason: str
    detail: str


class ScorePair(NamedTuple):
    """A judge's scores of the two replies of a case; None for an unscored reply.

    For a pairwise judge: its answers with the human reply first, and with the adversarial reply first.
    """

    human: float | None
    adversarial: float | None


class JudgeScores(Struct, frozen=True):
    """The scores of judges: for each judge, one pair per case in the order of the cases."""

    pairs: dict[str, list[ScorePair]]
    failures: list[ScoringFailure]


Ask: TypeAlias = Callable[[Sequence[Shard]], Iterable[ShardAnswer]]
"""Answers shards. The answers of one judge come in order."""


def score_cases(
    cases: Sequence[Case],
    judges: Mapping[str, AnyJudge],
    store: str | Path | None = None,
    ask: Ask | None = None,
) -> JudgeScores:
    """The scores of all judges on all cases.

    A reply that occurs in several cases is scored once. If the adversarial reply equals the human reply (the control), the
    judge is asked twice. Items with the same context are adjacent: a judge can then share work between them.

    Args:
        cases: the cases.
        judges: judges by their name in reports.
        store: a folder that keeps scores; without it, an interrupted run starts again.
        ask: answers shards; None to ask the judges in this process.
    """
    keys = {
        name: [(pair_keys_of if is_pairwise(judge) else keys_of)(case) for case in cases]
        for name, judge in judges.items()
    }
    by_judge = score_units(units_by_judge(cases, judges), judges, store, ask)
    pairs = {
        name: [ScorePair(units.scores.get(human), units.scores.get(adversarial)) for human, adversarial in keys[name]]
        for name, units in by_judge.items()
    }
    failures = [
        ScoringFailure(name, number, reply, *(units.reasons[key] if key else (OTHER_CONTEXT, OTHER_CONTEXT)))
        for name, units in by_judge.items()
        for number, both in enumerate(keys[name])
        for reply, key in zip(("human", "adversarial"), both, strict=True)
        if not key or key in units.reasons
    ]
    return JudgeScores(pairs, failures)


def score_units(
    units: Mapping[str, Sequence[JudgedItem]],
    judges: Mapping[str, AnyJudge],
    store: str | Path | None = None,
    ask: Ask | None = None,
) -> dict[str, UnitScores]:
    """The scores of all judges on distinct items, by judge; see :func:`score_cases`.

    Raises:
        Waiting: requests of judges wait in batches for their answers.
    """
    # The attributes of a judge may change while it scores, so its identity is taken before. A batch keeps its answers itself.
    stores = {
        name: stored_scores(None if batches_of([judge]) else store, identity_of(judge))
        for name, judge in judges.items()
    }
    by_judge = {name: UnitScores(dict(each.values)) for name, each in stores.items()}
    shards = {
        (name, shard.number): shard
        for name, judge in judges.items()
        for shard in make_shards(name, judge, units[name], by_judge[name].scores)
    }
    in_order = list(shards.values())
    total = sum(len(units[name]) for name in judges)
    done, asked = total - sum(len(shard.units) for shard in in_order), ""

    def state(_: int) -> tuple[float, int, str]:
        return done / total, done, f" of {total:,}, {asked}"

    answers = (ask or Asker(judges.__getitem__).ask_all)(in_order)
    for answer in track(answers, "scoring", state) if len(in_order) > len(judges) else answers:
        name, shard_units = answer.judge, shards[answer.judge, answer.number].units
        stores[name].add(by_judge[name].add(answer, shard_units))
        done, asked = done + len(shard_units), one_line(name, 40)
    send_batches(judges)
    return by_judge


def send_batches(judges: Mapping[str, AnyJudge]) -> None:
    """Write the requests that wait in the batches of judges.

    Raises:
        Waiting: there are such requests.
    """
    if lines := [line for batch in batches_of(judges.values()) if (line := batch.send())]:
        raise Waiting(f"{'; '.join(lines)}; then the same command continues")


def make_shards(name: str, judge: AnyJudge, units: Sequence[JudgedItem], scored: Container[str]) -> Iterator[Shard]:
    """Split items into batches. Yield the unscored items of each batch that has any.

    Scored items are removed after the split into batches. The last digit of a neural network's score may depend on the other items of
    its batch, so a resumed run uses the same batches as an uninterrupted run.
    """
    size = max(1, int(getattr(judge, "batch_size", _BATCH)))
    number = 0
    for first in range(0, len(units), size):
        new = tuple(unit for unit in units[first : first + size] if not all(key in scored for key in unit.keys))
        if new:
            yield Shard(name, number, first, new)
            number += 1


class Asker:
    """Asks judges, and stops asking a judge that fails too many times in a row.

    Args:
        find: returns the judge of a name, always the same object for the same name.
    """

    def __init__(self, find: Callable[[str], AnyJudge]) -> None:
        self._find = find
        self._last: dict[str, tuple[int, int]] = {}

    def ask_all(self, shards: Iterable[Shard]) -> Iterator[ShardAnswer]:
        """Ask about shards in order. A judge with ``ask_batches`` gets the next shard before it has answered all of the last one."""
        for name, group in groupby(shards, lambda shard: shard.judge):
            own, ahead = tee(group)
            results = _ask_batches(self._find(name), (shard.units for shard in ahead))
            for shard in own:
                yield self.ask(shard, results)

    def ask(self, shard: Shard, results: Iterator[Sequence[Any]] | None = None) -> ShardAnswer:
        """Ask a judge about a shard, or take the next of its results if it was already asked.

        Failures are counted across shards only if the shards are consecutive. So no asker gives up earlier than one that
        asks all shards in order, and the answers of several askers can be merged into the answers of that one.

        Raises:
            DialmeterError: the judge's weights cannot be loaded.
        """
        judge = self._find(shard.judge)
        last, failures = self._last.get(shard.judge, (-1, 0))
        if failures >= PATIENCE and shard.number > last:
            return ShardAnswer(shard.judge, shard.number)
        if shard.number != last + 1:
            failures = 0
        with suppress(Waiting):  # the judge is asked all the same, so that one batch has all requests
            load_weights(judge)
        with _one_thread(judge):
            answer, failures = _ask_judge(judge, shard, failures, results or _ask_batches(judge, [shard.units]))
        self._last[shard.judge] = shard.number, failures
        return answer


def _ask_judge(
    judge: AnyJudge, shard: Shard, failures: int, results: Iterator[Sequence[Any]]
) -> tuple[ShardAnswer, int]:
    """Ask about all items at once. If an item has no score and the judge gives no errors by item, ask about each item alone."""
    together = _answers(judge, shard.units, results)
    alone = not hasattr(judge, "ask_batches") and any(answer.reason not in ("", WAITING) for answer in together)
    answers: list[SingleAnswer] = []
    for unit, answer in zip(shard.units, together, strict=True):
        if failures >= PATIENCE and alone:
            break
        answers += _answers(judge, [unit], _ask_batches(judge, [[unit]])) if alone else [answer]
        failures = consecutive_failures(failures, answers[-1].reason)
    return ShardAnswer(shard.judge, shard.number, tuple(answers)), failures


def _ask_batches(judge: Any, batches: Iterable[Sequence[JudgedItem]]) -> Iterator[Sequence[Any]]:
    """Return an iterator over the judge's results of each batch; it asks when it is advanced."""
    items = ([unit.item for unit in units for _ in unit.keys] for units in batches)
    if hasattr(judge, "ask_batches"):
        return iter(judge.ask_batches(items))
    return map(judge.compare if is_pairwise(judge) else judge.score, items)


def _answers(judge: AnyJudge, units: Sequence[JudgedItem], results: Iterator[Sequence[Any]]) -> list[SingleAnswer]:
    """Return one answer per item from the judge's next results; an error of the whole request is the error of each item."""
    each_score = iter(_scores(judge, sum(len(unit.keys) for unit in units), results))
    answers = []
    for unit in units:
        scores = {key: next(each_score) for key in unit.keys}
        errors = [each for each in scores.values() if isinstance(each, DialmeterError)]
        if errors:
            answers.append(SingleAnswer({}, _reason(errors[0]), one_line(str(errors[0]), 300)))
        else:
            answers.append(SingleAnswer(scores))
    return answers


def _scores(judge: Any, count: int, results: Iterator[Sequence[Any]]) -> list[Any]:
    """One score per item, or an error for an item without a score."""
    error: DialmeterError
    try:
        scores = [score if isinstance(score, DialmeterError) else float(score) for score in next(results)]
    except DialmeterError as raised:
        error = raised
    except Exception as raised:
        error = DialmeterError(f"{type(raised).__name__}: {raised}")
    else:
        if len(scores) == count:
            return [_check_score(judge, score) for score in scores]
        error = UnreadableAnswer(f"gave {len(scores)} scores for {count} replies")
    return [error] * count


def _check_score(judge: Any, score: float | DialmeterError) -> float | DialmeterError:
    """Return a valid score unchanged, and an error for an invalid score."""
    if isinstance(score, DialmeterError):
        return score
    if not isfinite(score):
        return UnreadableAnswer(f"gave {score} as a score")
    if is_pairwise(judge) and not -1 <= score <= 1:
        return UnreadableAnswer(f"gave {score:g} for a pair, which is not between -1 and 1")
    return score


def consecutive_failures(failures: int, reason: str) -> int:
    """Number of consecutive failures after one more item. A spent budget, an unsuitable text or a batch that waits is not a failure of
    the judge.

    Example:
        >>> consecutive_failures(3, FAILED), consecutive_failures(3, ""), consecutive_failures(3, OVER_BUDGET)
        (4, 0, 3)
    """
    if reason in (OVER_BUDGET, UNSUITABLE, WAITING):
        return failures
    return failures + 1 if reason else 0


def _reason(error: DialmeterError) -> str:
    by_kind = {
        BudgetSpent: OVER_BUDGET,
        NoAnswer: NO_ANSWER,
        Waiting: WAITING,
        NotApplicable: UNSUITABLE,
        UnreadableAnswer: UNREADABLE,
    }
    return next((reason for kind, reason in by_kind.items() if isinstance(error, kind)), FAILED)


@contextmanager
def _one_thread(judge: AnyJudge) -> Iterator[None]:
    """Use one thread for neural networks: sums over several threads differ in the last digit, and workers would compete for cores."""
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
    """The scores and failures of one judge, as if one asker had asked all shards in order.

    Attributes:
        scores: by key.
        reasons: the short and the full reason why a key has no score.
    """

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores
        self.reasons: dict[str, tuple[str, str]] = {}
        self._failures = 0

    def add(self, answer: ShardAnswer, units: Sequence[JudgedItem]) -> dict[str, float]:
        """Add the answers to these items up to the last tolerated failure. Return the new scores.

        The asker may have tolerated more failures, because it did not see all shards.
        """
        new: dict[str, float] = {}
        for unit, single in zip_longest(units, answer.answers):
            reason = (single.reason, single.detail) if single else (NOT_ASKED, NOT_ASKED)
            if self._failures >= PATIENCE:
                reason = (NOT_ASKED, NOT_ASKED)
            elif single:
                self._failures = consecutive_failures(self._failures, single.reason)
                new |= {key: score for key, score in single.scores.items() if key not in self.scores}
            if reason[0]:
                self.reasons |= dict.fromkeys(unit.keys, reason)
        self.scores.update(new)
        return new
