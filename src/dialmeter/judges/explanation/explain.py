"""Explain a judge's score: the contribution of each word of a reply, and the share of words that an attack changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import fsum, isfinite
from typing import Any

from msgspec import Struct

from ...errors import DialmeterError, UnreadableAnswer, one_line
from ...model import Move
from ..cases import Case
from ..judge import Judge
from .shapley import Base, Shapley, shapley_values

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
    """The explanations of both replies of a case."""

    case: int
    attack: str
    human: Explained
    adversarial: Explained


class Importance(Struct, frozen=True):
    """The importance of the words of adversarial replies for a judge, relative to the words of human replies.

    The values of an attack are first scaled to 0..1 by their minimum and maximum. ``sum`` grows with the length of a reply,
    ``mean`` is per word. ``changed`` counts only words in which the two replies differ.
    """

    attack: str
    words: str
    how: str
    human: float | None
    adversarial: float | None
    ratio: float | None
    cases: int


def explain_case(
    case: Case, number: int, judge: Judge, *, base: Base = "masked", budget: int = 512, seed: int = 0
) -> CaseExplained:
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
    return CaseExplained(number, case.attack, *sides)


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


def importance(explained: Sequence[CaseExplained]) -> list[Importance]:
    """The relative importance of adversarial words by attack: for changed words and for all words, as sums and per word."""
    rows = []
    for attack in dict.fromkeys(each.attack for each in explained):
        own = [each for each in explained if each.attack == attack]
        values = [value for each in own for side in (each.human, each.adversarial) for value in side.values]
        low, high = min(values, default=0.0), max(values, default=0.0)
        for words in ("changed", "all"):
            human, adversarial = (
                [
                    (value - low) / (high - low) if high > low else 0.0
                    for reply in replies
                    for value, changed in zip(reply.values, reply.changed, strict=True)
                    if changed or words == "all"
                ]
                for replies in ([each.human for each in own], [each.adversarial for each in own])
            )
            sums = (fsum(human), fsum(adversarial))
            means = (
                sums[0] / len(human) if human else None,
                sums[1] / len(adversarial) if adversarial else None,
            )
            for statistic, (of_human, of_adversarial) in (("sum", sums), ("mean", means)):
                ratio = of_adversarial / of_human if of_human and of_adversarial is not None else None
                rows.append(Importance(attack, words, statistic, of_human, of_adversarial, ratio, len(own)))
    return rows
