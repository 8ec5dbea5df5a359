"""Shapley values of the tokens of a reply, by the weighted least squares of Kernel SHAP.

Lundberg and Lee (2017), A Unified Approach to Interpreting Model Predictions. A coalition is a set of tokens that are
shown; the others are masked. The values are the coefficients of the linear model that best fits the scores of all coalitions,
where a coalition of k out of M tokens has the weight (M − 1) / (C(M, k) · k · (M − k)). The values sum to the score of the whole
reply minus the score of the fully masked reply. The values are exact if all coalitions are scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Shown: TypeAlias = NDArray[np.bool_]

Base: TypeAlias = Literal["masked", "zero"]
EXACT = 12
"""The largest number of tokens for which all coalitions are scored."""


class Shapley(Struct, frozen=True):
    """The contribution of each token to the score.

    Attributes:
        values: one per token; they sum to ``score - base``.
        base: the score of the reply with every token masked, or 0.
        score: the score of the reply.
        scored: the number of coalitions that were scored.
        exact: True if all coalitions were scored.
    """

    values: tuple[float, ...]
    base: float
    score: float
    scored: int
    exact: bool


_ROUNDING_ERROR = 1e-12


def shapley_values(
    score: Callable[[Shown], Sequence[float]], count: int, *, base: Base = "masked", budget: int = 512, seed: int = 0
) -> Shapley:
    """The Shapley values of tokens.

    Args:
        score: a function that scores coalitions, which are the rows of a matrix: True for a token that is shown.
        count: the number of tokens.
        base: the zero point of the values: the score with everything ``masked``, or ``zero``, as in the paper on attacks.
            With ``zero``, each value is larger by the masked score divided by the number of tokens.
        budget: the largest number of coalitions to score if there are too many to score all.
        seed: the seed of the drawn coalitions.

    Example:
        >>> shapley = shapley_values(lambda shown: [1 + 2 * row[0] + 3 * row[0] * row[1] for row in shown], 2)
        >>> [round(value, 9) for value in shapley.values], shapley.base, shapley.score, shapley.exact
        ([3.5, 1.5], 1.0, 6.0, True)
    """
    import numpy as np

    exact = count <= EXACT
    rows, weights = _all_coalitions(count) if exact else _draw_coalitions(count, max(budget - 2, 2 * count), seed)
    ends = np.array([[False] * count, [True] * count]) if count else np.zeros((1, 0), dtype=bool)
    scores = np.asarray(score(np.concatenate([ends, rows]) if count else ends), dtype=np.float64)
    empty, whole = float(scores[0]), float(scores[min(1, len(scores) - 1)])
    values = _fit_values(rows, weights, scores[2:] - empty, whole - empty) if count else np.zeros(0)
    # Another base changes only the score of the empty coalition. All tokens share this change equally.
    shift = empty / count if base == "zero" and count else 0.0
    start = empty if base == "masked" else 0.0
    return Shapley(tuple(float(value) + shift for value in values), start, whole, len(scores), exact)


def _weight(count: int, size: int) -> float:
    """The total weight of all coalitions of one size, up to a constant factor."""
    return (count - 1) / (size * (count - size))


def _all_coalitions(count: int) -> tuple[Any, Any]:
    import numpy as np

    numbers = np.arange(1, 2**count - 1)
    rows = (numbers[:, None] >> np.arange(count)) & 1 > 0
    weights = np.array([_weight(count, int(size)) / comb(count, int(size)) for size in rows.sum(axis=1)])
    return rows.reshape(len(numbers), count), weights


def _draw_coalitions(count: int, budget: int, seed: int) -> tuple[Any, Any]:
    """All coalitions of the smallest and largest sizes within the budget, then random coalitions with their complements."""
    import numpy as np

    generator = np.random.default_rng(seed)
    sizes = list(range(1, count // 2 + 1))
    rows: list[Any] = []
    weights: list[float] = []
    while sizes and _coalitions(count, sizes[0]) <= budget - len(rows):
        size = sizes.pop(0)
        for shown in combinations(range(count), size):
            if 2 * size == count and shown[0]:
                continue  # The complement, which contains the first token, is already there.
            row = np.zeros(count, dtype=bool)
            row[list(shown)] = True
            rows += [row, ~row]
        weights += [_weight(count, size) / comb(count, size)] * (len(rows) - len(weights))
    if sizes and budget - len(rows) >= 2:
        shares = np.array([_weight(count, size) * (1 if 2 * size == count else 2) for size in sizes])
        pairs = (budget - len(rows)) // 2
        for size in generator.choice(sizes, size=pairs, p=shares / shares.sum()):
            row = np.zeros(count, dtype=bool)
            row[generator.permutation(count)[:size]] = True
            rows += [row, ~row]
        weights += [float(shares.sum()) / (2 * pairs)] * (2 * pairs)
    return np.array(rows), np.array(weights)


def _coalitions(count: int, size: int) -> int:
    """The number of coalitions of a size, with their complements."""
    return comb(count, size) if 2 * size == count else 2 * comb(count, size)


def _fit_values(rows: Any, weights: Any, targets: Any, total: float) -> Any:
    """Fit weighted least squares under the constraint that the values sum to the total: the last value is the remainder."""
    import numpy as np

    if rows.shape[1] == 1:
        return np.array([total])
    last = rows[:, -1].astype(np.float64)
    design = rows[:, :-1] - last[:, None]
    root = np.sqrt(weights)
    first = np.linalg.lstsq(design * root[:, None], (targets - last * total) * root, rcond=None)[0]
    values = np.append(first, total - first.sum())
    # Remove rounding errors: a token that changes nothing has the value 0.
    return np.where(np.abs(values) < _ROUNDING_ERROR * max(1.0, float(np.abs(targets).max(initial=0.0))), 0.0, values)
