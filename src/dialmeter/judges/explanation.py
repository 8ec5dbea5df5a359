"""Explain a judge's score: the contribution of each word of a reply, and the share of words that an attack changed.

The contributions are Shapley values by the weighted least squares of Kernel SHAP: Lundberg and Lee (2017), A Unified Approach to
Interpreting Model Predictions. A coalition is a set of tokens that are shown; the others are masked. The values are the
coefficients of the linear model that best fits the scores of all coalitions, where a coalition of k out of M tokens has the weight
(M − 1) / (C(M, k) · k · (M − k)). The values sum to the score of the whole reply minus the score of the fully masked reply. The
values are exact if all coalitions are scored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import comb, fsum, isfinite
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ..core.document import Count, Number
from ..errors import DialmeterError, UnreadableAnswer, one_line
from ..model import Move
from ..numeric import NDArray, np
from .cases import Case, case_id
from .judge import Judge

Shown: TypeAlias = "NDArray[np.bool_]"

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
    numbers = np.arange(1, 2**count - 1)
    rows = (numbers[:, None] >> np.arange(count)) & 1 > 0
    weights = np.array([_weight(count, int(size)) / comb(count, int(size)) for size in rows.sum(axis=1)])
    return rows.reshape(len(numbers), count), weights


def _draw_coalitions(count: int, budget: int, seed: int) -> tuple[Any, Any]:
    """All coalitions of the smallest and largest sizes within the budget, then random coalitions with their complements."""
    generator = np.random.default_rng(seed)
    sizes = list(range(1, count // 2 + 1))
    rows: list[Any] = []
    weights: list[float] = []
    # Each size comes with the size of the complements.
    while sizes and comb(count, sizes[0]) * (1 if 2 * sizes[0] == count else 2) <= budget - len(rows):
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


def _fit_values(rows: Any, weights: Any, targets: Any, total: float) -> Any:
    """Fit weighted least squares under the constraint that the values sum to the total: the last value is the remainder."""
    if rows.shape[1] == 1:
        return np.array([total])
    last = rows[:, -1].astype(np.float64)
    design = rows[:, :-1] - last[:, None]
    root = np.sqrt(weights)
    first = np.linalg.lstsq(design * root[:, None], (targets - last * total) * root, rcond=None)[0]
    values = np.append(first, total - first.sum())
    # Remove rounding errors: a token that changes nothing has the value 0.
    return np.where(np.abs(values) < _ROUNDING_ERROR * max(1.0, float(np.abs(targets).max(initial=0.0))), 0.0, values)


TEXT_MASK = "___"
"""The text that replaces a hidden word if a judge has no mask."""


class Explained(Struct, frozen=True):
    """The words of one reply, and the contribution of each word to its score. Higher is always better."""

    words: tuple[str, ...]
    values: tuple[float, ...]
    changed: tuple[bool, ...]
    score: float
    base: float
    scored: int
    exact: bool


class CaseExplained(Struct, frozen=True):
    """Shapley values of the words of both replies of a case."""

    case: str
    attack: str
    human: Explained
    adversarial: Explained


_WORDS: tuple[Literal["changed", "all"], ...] = ("changed", "all")
_STATISTICS: tuple[Literal["sum", "mean"], ...] = ("sum", "mean")


class Importance(Struct, frozen=True, kw_only=True):
    """The weight of the words of adversarial replies relative to human replies.

    The values of an attack are first scaled to 0..1 by their minimum and maximum. ``sum`` grows with the length of a reply,
    ``mean`` is per word. ``changed`` counts only words in which the two replies differ.

    Attributes:
        value: adversarial divided by human; null if the divisor is zero.
        n: number of cases.
    """

    measure: Literal["importance"] = "importance"
    judge: str
    value: Number
    n: Count
    attack: str
    words: Literal["changed", "all"]
    how: Literal["sum", "mean"]
    human: Number
    adversarial: Number


def explain_case(case: Case, judge: Judge, *, base: Base = "masked", budget: int = 512, seed: int = 0) -> CaseExplained:
    """Explain both replies of a case.

    Raises:
        DialmeterError: the judge cannot score a masked reply.
    """
    sides = []
    shared_places = common_places(case.reply.split(), case.adversarial.split())
    for (context, text), shared in zip(case.items, shared_places, strict=True):
        shapley = explain_reply(judge, context, text, base=base, budget=budget, seed=seed)
        words = tuple(text.split())
        values = word_values(pieces_of(judge, text), shapley.values)
        changed = tuple(place not in shared for place in range(len(words)))
        sides.append(Explained(words, values, changed, shapley.score, shapley.base, shapley.scored, shapley.exact))
    return CaseExplained(case_id(case), case.attack, *sides)


def explain_reply(
    judge: Judge, context: Sequence[Move], reply: str, *, base: Base = "masked", budget: int = 512, seed: int = 0
) -> Shapley:
    """The Shapley values of the judge's tokens of a reply. The context is not masked."""
    pieces = pieces_of(judge, reply)
    mask = str(getattr(judge, "mask", TEXT_MASK))
    masked = [piece[: len(piece) - len(piece.lstrip())] + mask for piece in pieces]
    sign = 1.0 if judge.higher_is_better else -1.0

    def score(shown: Any) -> list[float]:
        texts = [
            "".join(piece if is_shown else hidden for piece, hidden, is_shown in zip(pieces, masked, row, strict=True))
            for row in shown
        ]
        try:
            scores = [sign * float(each) for each in judge.score([(context, text) for text in texts])]
        except DialmeterError as error:
            kind = UnreadableAnswer if isinstance(error, UnreadableAnswer) else DialmeterError
            raise kind(f"{judge.name}: {one_line(str(error), 200)}") from None
        except Exception as error:
            raise DialmeterError(f"{judge.name}: {one_line(f'{type(error).__name__}: {error}', 200)}") from None
        if len(scores) != len(texts) or not all(map(isfinite, scores)):
            raise UnreadableAnswer(f"{judge.name}: gave no score for a masked reply")
        return scores

    return shapley_values(score, len(pieces), base=base, budget=budget, seed=seed)


def pieces_of(judge: Judge, text: str) -> list[str]:
    """Split a text into the judge's tokens, or into words. White space belongs to the next word.

    Example:
        >>> from dialmeter.judges.builtin.surface import Length
        >>> pieces_of(Length(), "yes,  of course ")
        ['yes,', '  of', ' course ']
    """
    split = getattr(judge, "pieces", None)
    pieces: list[str] = split(text) if split else re.findall(r"(?<!\s)\s*\S+(?:\s+$)?", text)
    return pieces


def word_values(pieces: Sequence[str], values: Sequence[float]) -> tuple[float, ...]:
    """The value of each word: the sum over its pieces. A piece that contains white space belongs to its last word.

    Example:
        >>> word_values(["un", "known", " word", "s"], [1.0, 2.0, 3.0, 4.0])
        (3.0, 7.0)
    """
    text = "".join(pieces)
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    sums = [0.0] * len(ends)
    edges = [0]
    for piece in pieces:
        edges.append(edges[-1] + len(piece))
    for (start, end), value in zip(pairwise(edges), values, strict=True):
        last = start + len(text[start:end].rstrip())
        place = next((number for number, limit in enumerate(ends) if limit >= last), len(ends) - 1)
        if sums:
            sums[place] += value
    return tuple(sums)


def common_places(one: Sequence[str], other: Sequence[str]) -> tuple[set[int], set[int]]:
    """The indices of a longest common subsequence in both sequences.

    Example:
        >>> common_places("i do not know".split(), "i know it".split())
        ({0, 3}, {0, 1})
    """
    length = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for row in range(len(one) - 1, -1, -1):
        for column in range(len(other) - 1, -1, -1):
            same = one[row] == other[column]
            length[row][column] = (
                1 + length[row + 1][column + 1] if same else max(length[row + 1][column], length[row][column + 1])
            )
    row = column = 0
    left: set[int] = set()
    right: set[int] = set()
    while row < len(one) and column < len(other):
        if one[row] == other[column]:
            left.add(row)
            right.add(column)
            row, column = row + 1, column + 1
        elif length[row + 1][column] >= length[row][column + 1]:
            row += 1
        else:
            column += 1
    return left, right


def importance(judge: str, explained: Sequence[CaseExplained]) -> list[Importance]:
    """The relative importance of adversarial words by attack: for changed words and for all words, as sums and per word."""
    rows = []
    for attack in dict.fromkeys(each.attack for each in explained):
        own = [each for each in explained if each.attack == attack]
        sides = [[each.human for each in own], [each.adversarial for each in own]]
        values = [value for side in sides for reply in side for value in reply.values]
        low, high = min(values, default=0.0), max(values, default=0.0)
        for words in _WORDS:
            scaled = [
                [
                    (value - low) / (high - low) if high > low else 0.0
                    for reply in side
                    for value, changed in zip(reply.values, reply.changed, strict=True)
                    if changed or words == "all"
                ]
                for side in sides
            ]
            for how in _STATISTICS:
                human, adversarial = (
                    fsum(each) if how == "sum" else fsum(each) / len(each) if each else None for each in scaled
                )
                ratio = adversarial / human if human and adversarial is not None else None
                rows.append(
                    Importance(
                        judge=judge, value=ratio, n=len(own), attack=attack, words=words, how=how, human=human,
                        adversarial=adversarial,
                    )
                )  # fmt: skip
    return rows
