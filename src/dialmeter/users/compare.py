"""Several users on the same goals: differences to the first with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ..core.comparability import not_comparable
from ..core.pairing import FEWEST, Versus, corrected, why_not
from ..errors import DialmeterError
from ..model import Notice, dialogue_key
from ..resampling import Resampling
from .estimates import MEASURES, column
from .outcome import COMBINED
from .result import UserResult

if TYPE_CHECKING:
    import numpy as np

    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

SHOWN = 5


class Compared(Struct, frozen=True):
    """All that was compared."""

    results: Mapping[str, UserResult]
    versus: list[Versus]
    notices: list[Notice]


class Common(Struct, frozen=True):
    """Dialogues that all users had with the same goal, and notices on the others."""

    keys: frozenset[str]
    notices: list[Notice]


def common_goals(results: Mapping[str, UserResult]) -> Common:
    """The dialogues, by key, that all results have with equal goals.

    Raises:
        DialmeterError: there is none.
    """
    goals = {
        name: {dialogue_key(dialogue): digest for dialogue, digest in result.book.goals.items()}
        for name, result in results.items()
    }
    everywhere = set.intersection(*(set(found) for found in goals.values()))
    equal = frozenset(key for key in everywhere if len({found[key] for found in goals.values()}) == 1)
    if not equal:
        raise DialmeterError(f"{' and '.join(results)} have no dialogue with the same name and the same goal")
    alone = sorted(set.union(*(set(found) for found in goals.values())) - everywhere)
    other = sorted(everywhere - equal)
    unscored = (("alone", alone, "that not all files have"), ("other-goal", other, "with different goals"))
    return Common(
        equal,
        [
            Notice(code, len(keys), f"{len(keys)} dialogues {what} are unscored", tuple(keys[:SHOWN]))
            for code, keys, what in unscored
            if keys
        ],
    )


def compare(results: Mapping[str, UserResult], how: Resampling, domain: str = COMBINED) -> Compared:
    """Compares users with the first, on the same goals.

    Args:
        results: by name; of the same dialogues, scored in the same way.
        how: confidence, resamples and seed.
        domain: one domain, or all together.

    Raises:
        DialmeterError: not the same dialogues and goals, or scored in different ways.
    """
    names = list(results)
    first = results[names[0]]
    for name in names[1:]:
        unlike = not_comparable("user", first.signature, results[name].signature)
        if unlike:
            raise DialmeterError(f"{names[0]} and {name} are not comparable: {unlike}")
    found = [each for name in names[1:] for each in _versus(names[0], name, results, how, domain)]
    count = first.dialogues
    few = Notice("few-dialogues", count, f"{count} dialogues are too few for a paired test; no p values are given")
    return Compared(results, corrected(found), [few] if count < FEWEST else [])


def _versus(base: str, name: str, results: Mapping[str, UserResult], how: Resampling, domain: str) -> list[Versus]:
    from ..stats import paired_bootstrap, paired_randomisation, ratio

    before, after = (_matrix(results[each], domain) for each in (base, name))
    formulas = {measure: ratio(2 * place, 2 * place + 1) for place, measure in enumerate(MEASURES)}
    few = results[base].dialogues < FEWEST
    spans, tests = {}, {}
    if results[base].dialogues > 1:
        spans = paired_bootstrap(
            before, after, formulas, confidence=how.confidence, resamples=how.resamples, seed=how.seed
        )
    if not few:
        tests = paired_randomisation(before, after, formulas, mid_p=True, resamples=how.resamples, seed=how.seed)
    found = []
    for place, measure in enumerate(MEASURES):
        span, test = spans.get(measure), tests.get(measure)
        values = [_mean(each[:, 2 * place], each[:, 2 * place + 1]) for each in (before, after)]
        wins, ties, losses = _tally(before, after, place)
        low, high = (span.low, span.high) if span else (None, None)
        found.append(
            Versus(
                measure=measure,
                system=name,
                base=base,
                difference=values[1] - values[0] if values[0] is not None and values[1] is not None else None,
                ci=(low, high) if low is not None and high is not None else None,
                p=test.p if test else None,
                p_holm=None,
                wins=wins,
                ties=ties,
                losses=losses,
                reason="too few dialogues" if few else why_not(test, span),
            )
        )
    return found


def _matrix(result: UserResult, domain: str) -> FloatArray:
    """Two columns per measure, value and whether there is one; a row per dialogue, sorted by its key."""
    import numpy as np

    order = sorted(result.book.rows, key=dialogue_key)
    matrix: FloatArray = np.zeros((len(order), 2 * len(MEASURES)))
    for place, measure in enumerate(MEASURES):
        values = column(result.book.rows, measure, domain)
        for row, name in enumerate(order):
            if name in values:
                matrix[row, 2 * place : 2 * place + 2] = values[name], 1
    return matrix


def _mean(values: FloatArray, counts: FloatArray) -> float | None:
    total = float(counts.sum())
    return float(values.sum()) / total if total else None


def _tally(before: FloatArray, after: FloatArray, place: int) -> tuple[int, int, int]:
    """In how many dialogues the second user is better, equal, worse; without a value on both sides they are equal."""
    both = (before[:, 2 * place + 1] > 0) & (after[:, 2 * place + 1] > 0)
    apart = (after[:, 2 * place] - before[:, 2 * place])[both]
    wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
    return wins, len(before) - wins - losses, losses
