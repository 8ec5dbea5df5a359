"""What is asked of a judge: distinct items, and how they are cut into batches that do not depend on who asks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from ..errors import DialmeterError, UnreadableAnswer, one_line
from .cases import Case, item_hash
from .judge import Item, Judge, identity_of, load_weights
from .store import ScoreStore

_BATCH = 256
_AGAIN = "/again"


class Unit(NamedTuple):
    """An item with the keys of its scores: two where a judge is asked twice, to see whether it says the same."""

    keys: tuple[str, ...]
    item: Item


class Shard(Struct, frozen=True):
    """A batch of items for one judge.

    Attributes:
        judge: the name under which it is reported.
        number: the shard's place among those that this judge is asked.
        first: the place of its first item among all items.
        units: what is asked.
    """

    judge: str
    number: int
    first: int
    units: tuple[Unit, ...]

    def __str__(self) -> str:
        return f"judge {self.judge}, replies {self.first + 1} to {self.first + len(self.units)}"


def keys_of(case: Case) -> tuple[str, str]:
    """The keys of the human and of the adversarial reply."""
    human = item_hash(case.context, case.reply)
    same = case.reply == case.adversarial
    return human, human + _AGAIN if same else item_hash(case.context, case.adversarial)


def units_of(cases: Sequence[Case], keys: Sequence[tuple[str, str]]) -> list[Unit]:
    """Distinct items, those of one context together."""
    groups: dict[str, dict[str, Item]] = {}
    twice: set[str] = set()
    for case, (human, adversarial) in zip(cases, keys, strict=True):
        group = groups.setdefault(item_hash(case.context, ""), {})
        group.setdefault(human, (case.context, case.reply))
        if adversarial.endswith(_AGAIN):
            twice.add(human)
        else:
            group.setdefault(adversarial, (case.context, case.adversarial))
    return [
        Unit((key, key + _AGAIN) if key in twice else (key,), item)
        for group in groups.values()
        for key, item in group.items()
    ]


def shards_of(name: str, judge: Judge, units: Sequence[Unit], known: Container[str]) -> Iterator[Shard]:
    """The batches of which not all is known.

    They are cut first and what is known is left out then, because a network's score may depend, in its last digit, on what stands
    in the batch: so a run that goes on asks in the same batches as one that was not disturbed.
    """
    size = max(1, int(getattr(judge, "batch_size", _BATCH)))
    number = 0
    for first in range(0, len(units), size):
        new = tuple(unit for unit in units[first : first + size] if not all(key in known for key in unit.keys))
        if new:
            yield Shard(name, number, first, new)
            number += 1


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


Watch: TypeAlias = Callable[[str, int, int], None]
"""Is told the judge's name, how many items it has scored, and how many there are."""

Ask: TypeAlias = Callable[[Sequence[Shard]], Iterable[Answer]]
"""Has shards answered, those of one judge in order."""


class Failure(Struct, frozen=True):
    """A reply that a judge did not score, and why, in short and in full."""

    judge: str
    case: int
    reply: str
    reason: str
    why: str


class Pair(NamedTuple):
    """A judge's scores of the two replies of a case; None where it has none."""

    human: float | None
    adversarial: float | None


class Scored(Struct, frozen=True):
    """What judges said of cases: by judge, one pair per case in the order of the cases."""

    pairs: dict[str, list[Pair]]
    failures: list[Failure]


def score_cases(
    cases: Sequence[Case],
    judges: Mapping[str, Judge],
    store: ScoreStore | None = None,
    watch: Watch | None = None,
    ask: Ask | None = None,
) -> Scored:
    """The scores of all judges on all cases.

    Replies that stand in several cases are scored once. Where the adversarial reply is the human one (the control), the
    judge is asked twice. Items with the same context come together, so that a judge can share work.

    Args:
        cases: the cases.
        judges: by the name under which they are reported.
        store: where scores are kept; without it a run that is interrupted starts anew.
        watch: is told how far it has come.
        ask: has shards answered; in this process where it is None.
    """
    keys = [keys_of(case) for case in cases]
    units = units_of(cases, keys)
    heard = {name: _Heard(store.scores(identity_of(judge)) if store else {}) for name, judge in judges.items()}
    shards = {
        (name, shard.number): shard
        for name, judge in judges.items()
        for shard in shards_of(name, judge, units, heard[name].known)
    }
    left = dict.fromkeys(judges, 0)
    for (name, _), shard in shards.items():
        left[name] += len(shard.units)
    asked = list(shards.values())
    for answer in ask(asked) if ask else map(Asker(judges.__getitem__).ask, asked):
        name, units_asked = answer.judge, shards[answer.judge, answer.number].units
        new = heard[name].take(answer, units_asked)
        if store and new:
            store.add(identity_of(judges[name]), new)
        left[name] -= len(units_asked)
        if watch:
            watch(name, len(units) - left[name], len(units))
    pairs = {
        name: [Pair(found.known.get(human), found.known.get(adversarial)) for human, adversarial in keys]
        for name, found in heard.items()
    }
    failures = [
        Failure(name, number, reply, *found.reasons[key])
        for name, found in heard.items()
        for number, both in enumerate(keys)
        for reply, key in zip(("human", "adversarial"), both, strict=True)
        if key in found.reasons
    ]
    return Scored(pairs, failures)


class _Heard:
    """What a judge has said, and what it could not say: as if one had asked all shards in order."""

    def __init__(self, known: dict[str, float]) -> None:
        self.known = known
        self.reasons: dict[str, tuple[str, str]] = {}
        self._in_a_row = 0

    def take(self, answer: Answer, units: Sequence[Unit]) -> dict[str, float]:
        """The scores of an answer, to the question about these units, that were not known before."""
        fresh = self._believed(answer)
        missing = [key for unit in units for key in unit.keys if key not in fresh and key not in self.reasons]
        self.reasons.update((key, (NOT_ASKED, NOT_ASKED)) for key in missing)
        new = {key: score for key, score in fresh.items() if key not in self.known}
        self.known.update(new)
        return new

    def _believed(self, answer: Answer) -> dict[str, float]:
        """The scores up to the failure at which patience ends; another asker may have had more of it."""
        if self._in_a_row >= PATIENCE:
            return {}
        if answer.alone is None:
            self._in_a_row = 0
            return answer.scores
        fresh: dict[str, float] = {}
        for tried in answer.alone:
            if self._in_a_row >= PATIENCE:
                break
            self._in_a_row = self._in_a_row + 1 if tried.reason else 0
            self.reasons.update((key, (tried.reason, tried.why)) for key in tried.keys if tried.reason)
            fresh.update(tried.scores)
        return fresh
