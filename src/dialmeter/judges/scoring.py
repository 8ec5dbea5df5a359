"""Asking judges for scores: each item once, in batches, whatever goes wrong with one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from ..errors import one_line
from .cases import Case
from .hashing import item_hash
from .judge import Item, Judge, identity_of
from .store import ScoreStore

Watch: TypeAlias = Callable[[str, int, int], None]
"""Is told the judge's name, how many items it has scored, and how many there are."""

_BATCH = 256
_PATIENCE = 10
_AGAIN = "/again"


class Failure(Struct, frozen=True):
    """A reply that a judge did not score, and why."""

    judge: str
    case: int
    reply: str
    why: str


class Pair(NamedTuple):
    """A judge's scores of the two replies of a case; None where it has none."""

    human: float | None
    adversarial: float | None


class Scored(Struct, frozen=True):
    """What judges said of cases: by judge, one pair per case in the order of the cases."""

    pairs: dict[str, list[Pair]]
    failures: list[Failure]


class _Unit(NamedTuple):
    """An item with the keys of its scores: two where a judge is asked twice, to see whether it says the same."""

    keys: tuple[str, ...]
    item: Item


def score_cases(
    cases: Sequence[Case], judges: Mapping[str, Judge], store: ScoreStore | None = None, watch: Watch | None = None
) -> Scored:
    """The scores of all judges on all cases.

    Replies that stand in several cases are scored once. Where the adversarial reply is the human one (the control), the
    judge is asked twice. Items with the same context come together, so that a judge can share work.

    Args:
        cases: the cases.
        judges: by the name under which they are reported.
        store: where scores are kept; without it a run that is interrupted starts anew.
        watch: is told how far it has come.
    """
    keys = [_keys(case) for case in cases]
    units = _units(cases, keys)
    pairs: dict[str, list[Pair]] = {}
    failures: list[Failure] = []
    for name, judge in judges.items():
        known = store.scores(identity_of(judge)) if store else {}
        interview = _Interview(judge, known)
        waiting = [unit for unit in units if not all(key in known for key in unit.keys)]
        done = len(units) - len(waiting)
        for batch in _batches(waiting, int(getattr(judge, "batch_size", _BATCH))):
            new = interview.ask(batch)
            if store and new:
                store.add(identity_of(judge), new)
            done += len(batch)
            if watch:
                watch(name, done, len(units))
        pairs[name] = [Pair(known.get(human), known.get(adversarial)) for human, adversarial in keys]
        failures += [
            Failure(name, number, reply, interview.reasons[key])
            for number, both in enumerate(keys)
            for reply, key in zip(("human", "adversarial"), both, strict=True)
            if key in interview.reasons
        ]
    return Scored(pairs, failures)


def _keys(case: Case) -> tuple[str, str]:
    human = item_hash(case.context, case.reply)
    same = case.reply == case.adversarial
    return human, human + _AGAIN if same else item_hash(case.context, case.adversarial)


def _units(cases: Sequence[Case], keys: Sequence[tuple[str, str]]) -> list[_Unit]:
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
        _Unit((key, key + _AGAIN) if key in twice else (key,), item)
        for group in groups.values()
        for key, item in group.items()
    ]


class _Interview:
    """One judge being asked: what it has said, and what it could not say."""

    def __init__(self, judge: Judge, known: dict[str, float]) -> None:
        self.judge = judge
        self.known = known
        self.reasons: dict[str, str] = {}
        self._in_a_row = 0

    def ask(self, batch: Sequence[_Unit]) -> dict[str, float]:
        """The scores of a batch that were not known before."""
        fresh: dict[str, float] = {}
        if self._in_a_row < _PATIENCE:
            fresh, why = _scores(self.judge, batch)
            if why:
                # One bad item must not take its batch with it: ask one by one, and so find the case to report.
                for unit in batch:
                    fresh.update(self._ask_alone(unit))
        missing = [key for unit in batch for key in unit.keys if key not in fresh and key not in self.reasons]
        self.reasons.update((key, f"not asked after {_PATIENCE} failures in a row") for key in missing)
        new = {key: score for key, score in fresh.items() if key not in self.known}
        self.known.update(new)
        return new

    def _ask_alone(self, unit: _Unit) -> dict[str, float]:
        if self._in_a_row >= _PATIENCE:
            return {}
        scores, why = _scores(self.judge, [unit])
        self._in_a_row = self._in_a_row + 1 if why else 0
        self.reasons.update((key, why) for key in unit.keys if why)
        return scores


def _batches(units: Sequence[_Unit], size: int) -> Iterator[list[_Unit]]:
    for start in range(0, len(units), max(1, size)):
        yield list(units[start : start + max(1, size)])


def _scores(judge: Judge, batch: Sequence[_Unit]) -> tuple[dict[str, float], str]:
    """The scores of a batch, or nothing and the reason."""
    keys = [key for unit in batch for key in unit.keys]
    items = [unit.item for unit in batch for _ in unit.keys]
    try:
        scores = [float(score) for score in judge.score(items)]
    except Exception as error:
        return {}, one_line(f"{type(error).__name__}: {error}", 300)
    if len(scores) != len(items):
        return {}, f"gave {len(scores)} scores for {len(items)} replies"
    strange = [score for score in scores if not isfinite(score)]
    if strange:
        return {}, f"gave {strange[0]} as a score"
    return dict(zip(keys, scores, strict=True)), ""
