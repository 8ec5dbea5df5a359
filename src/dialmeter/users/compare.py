"""Several users on the same goals: differences to the first with intervals and paired tests."""

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
    """Dialogues that all users had with the same goal, and notices on the others."""

    keys: frozenset[str]
    notices: list[Notice]


def common_goals(results: Mapping[str, UserResult]) -> Common:
    """The dialogues, by key, that all results have with equal goals.

    Raises:
        DialmeterError: there is none.
    """
    goals = {
        name: {dialogue_key(dialogue): digest for dialogue, digest in result.score_table.goals.items()}
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


def compare(results: Mapping[str, UserResult], how: Resampling, domain: str = COMBINED) -> UserComparison:
    """Compares users with the first, on the same goals.

    Args:
        results: by name; of the same dialogues, scored in the same way.
        how: confidence, resamples and seed.
        domain: one domain, or all together.

    Raises:
        DialmeterError: not the same dialogues and goals, or scored in different ways.
    """
    from ..stats import ratio

    names = list(results)
    first = results[names[0]]
    for name in names[1:]:
        unlike = not_comparable("user", first.signature, results[name].signature)
        if unlike:
            raise DialmeterError(f"{names[0]} and {name} are not comparable: {unlike}")
    base, *others = [_sample(name, result, domain) for name, result in results.items()]
    formulas = {measure: ratio(2 * place, 2 * place + 1) for place, measure in enumerate(MEASURES)}
    found, notices = compare_pairs([(base, other) for other in others], formulas, how)
    return UserComparison(results=results, versus=found, notices=notices)


def _sample(name: str, result: UserResult, domain: str) -> PairedSample:
    """Two columns per measure: the value, and whether there is one; a row per dialogue, sorted by key."""
    import numpy as np

    order = sorted(result.score_table.rows, key=dialogue_key)
    matrix = np.zeros((len(order), 2 * len(MEASURES)))
    totals: dict[str, float | None] = {}
    by_dialogue: dict[str, list[float | None]] = {}
    for place, measure in enumerate(MEASURES):
        values = column(result.score_table.rows, measure, domain)
        by_dialogue[measure] = [values.get(dialogue) for dialogue in order]
        for row, value in enumerate(by_dialogue[measure]):
            if value is not None:
                matrix[row, 2 * place : 2 * place + 2] = value, 1
        total, count = matrix[:, 2 * place].sum(), matrix[:, 2 * place + 1].sum()
        totals[measure] = float(total) / float(count) if count else None
    return PairedSample(name, matrix, totals, by_dialogue)
