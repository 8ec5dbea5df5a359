"""Scores of judges on cases: each item once, in batches, whoever asks, whatever goes wrong with one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from .asking import NOT_ASKED, PATIENCE, Answer, Asker
from .cases import Case
from .judge import Judge, identity_of
from .store import ScoreStore
from .units import Shard, Unit, keys_of, shards_of, units_of

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
