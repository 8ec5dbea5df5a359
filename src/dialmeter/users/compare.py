"""Comparison of users on the same goals: differences to the first user, with confidence intervals and paired tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from ..core.comparability import not_comparable
from ..core.comparison import PairedSample, Resampling, SystemComparison, compare_pairs
from ..errors import DialmeterError
from ..model import Notice, dialogue_key
from .outcome import COMBINED
from .result import SHOWN, UserResult
from .score_table import MEASURES, column

UserComparison: TypeAlias = SystemComparison[UserResult]


class Common(Struct, frozen=True):
    """Keys of the dialogues that all results have with the same goal, and notices about the others."""

    keys: frozenset[str]
    notices: list[Notice]


def common_goals(results: Mapping[str, UserResult]) -> Common:
    """Find the dialogues, by key, that all results have with equal goals.

    Raises:
        DialmeterError: there is no such dialogue.
    """
    goals = {
        name: {dialogue_key(dialogue): digest for dialogue, digest in result.score_table.goals.items()}
        for name, result in results.items()
    }
    shared = set.intersection(*(set(digests) for digests in goals.values()))
    equal = frozenset(key for key in shared if len({digests[key] for digests in goals.values()}) == 1)
    if not equal:
        raise DialmeterError(f"{' and '.join(results)} have no dialogue with the same name and the same goal")
    alone = sorted(set.union(*(set(digests) for digests in goals.values())) - shared)
    other = sorted(shared - equal)
    unscored = (("alone", alone, "that not all files have"), ("other-goal", other, "with different goals"))
    return Common(
        equal,
        [
            Notice(code, len(keys), f"{len(keys)} dialogues {description} are unscored", tuple(keys[:SHOWN]))
            for code, keys, description in unscored
            if keys
        ],
    )


def compare(results: Mapping[str, UserResult], resampling: Resampling, domain: str = COMBINED) -> UserComparison:
    """Compare users with the first one, on the same goals.

    Args:
        results: user name → result. All results are of the same dialogues, scored with the same settings.
        resampling: confidence, resamples and seed.
        domain: the name of a domain, or ``combined`` for all domains together.

    Raises:
        DialmeterError: the dialogues, goals or settings are not the same.
    """
    from ..stats import ratio

    names = list(results)
    first = results[names[0]]
    for name in names[1:]:
        mismatch = not_comparable("user", first.signature, results[name].signature)
        if mismatch:
            raise DialmeterError(f"{names[0]} and {name} are not comparable: {mismatch}")
    base, *others = [_sample(name, result, domain) for name, result in results.items()]
    formulas = {measure: ratio(2 * index, 2 * index + 1) for index, measure in enumerate(MEASURES)}
    differences, notices = compare_pairs([(base, other) for other in others], formulas, resampling)
    return UserComparison(results=results, versus=differences, notices=notices)


def _sample(name: str, result: UserResult, domain: str) -> PairedSample:
    """Return a sample with one row per dialogue, sorted by key, and two columns per measure: the value, and 1 if it exists."""
    import numpy as np

    order = sorted(result.score_table.rows, key=dialogue_key)
    matrix = np.zeros((len(order), 2 * len(MEASURES)))
    totals: dict[str, float | None] = {}
    by_dialogue: dict[str, list[float | None]] = {}
    for index, measure in enumerate(MEASURES):
        values = column(result.score_table.rows, measure, domain)
        by_dialogue[measure] = [values.get(dialogue) for dialogue in order]
        for row, value in enumerate(by_dialogue[measure]):
            if value is not None:
                matrix[row, 2 * index : 2 * index + 2] = value, 1
        total, count = matrix[:, 2 * index].sum(), matrix[:, 2 * index + 1].sum()
        totals[measure] = float(total) / float(count) if count else None
    signatures = {score.measure: score.signature for score in result.scores if score.group["domain"] == domain}
    return PairedSample(name, matrix, totals, by_dialogue, signatures)
