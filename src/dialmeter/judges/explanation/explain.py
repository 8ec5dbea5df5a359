"""Which words of a reply change a judge's score, and how much of that comes from the attack."""

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
"""Replaces a hidden word if a judge has no mask."""


class Explained(Struct, frozen=True):
    """The words of one reply and the contribution of each to its score; more is always better."""

    words: tuple[str, ...]
    values: tuple[float, ...]
    changed: tuple[bool, ...]
    score: float
    base: float
    scored: int
    exact: bool


class CaseExplained(Struct, frozen=True):
    """Both replies of a case."""

    case: int
    attack: str
    human: Explained
    adversarial: Explained


class Importance(Struct, frozen=True):
    """How much weight a judge puts on the words of adversarial replies, relative to those of human replies.

    Values of an attack are brought to 0..1 by their minimum and maximum first. ``sum`` grows with the length of a reply,
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
    """The words of both replies of a case.

    Raises:
        DialmeterError: the judge cannot score a masked reply.
    """
    sides = []
    for (context, text), shared in zip(case.items, common(case.reply.split(), case.adversarial.split()), strict=True):
        found = explain_reply(judge, context, text, base=base, budget=budget, seed=seed)
        words = tuple(text.split())
        values = merged(pieces_of(judge, text), found.values)
        changed = tuple(place not in shared for place in range(len(words)))
        sides.append(Explained(words, values, changed, found.score, found.base, found.scored, found.exact))
    return CaseExplained(number, case.attack, *sides)


def explain_reply(
    judge: Judge, context: Sequence[Move], reply: str, *, base: Base = "masked", budget: int = 512, seed: int = 0
) -> Shapley:
    """The Shapley values of a reply's tokens, as the judge splits it; the context is not changed."""
    pieces = pieces_of(judge, reply)
    mask = str(getattr(judge, "mask", TEXT_MASK))
    masked = [piece[: len(piece) - len(piece.lstrip())] + mask for piece in pieces]
    sign = 1.0 if judge.higher_is_better else -1.0

    def score(shown: Any) -> list[float]:
        texts = [
            "".join(piece if there else hidden for piece, hidden, there in zip(pieces, masked, row, strict=True))
            for row in shown
        ]
        try:
            found = [sign * float(each) for each in judge.score([(context, text) for text in texts])]
        except DialmeterError as error:
            kind = UnreadableAnswer if isinstance(error, UnreadableAnswer) else DialmeterError
            raise kind(f"{judge.name}: {one_line(str(error), 200)}") from None
        except Exception as error:
            raise DialmeterError(f"{judge.name}: {one_line(f'{type(error).__name__}: {error}', 200)}") from None
        if len(found) != len(texts) or not all(map(isfinite, found)):
            raise UnreadableAnswer(f"{judge.name}: gave no score for a masked reply")
        return found

    return shapley_values(score, len(pieces), base=base, budget=budget, seed=seed)


def pieces_of(judge: Judge, text: str) -> list[str]:
    """The text, split into the judge's tokens, or into words; blanks belong to the next word.

    Example:
        >>> from dialmeter.judges.builtin.surface import Length
        >>> pieces_of(Length(), "yes,  of course ")
        ['yes,', '  of', ' course ']
    """
    cut = getattr(judge, "pieces", None)
    found: list[str] = cut(text) if cut else re.findall(r"(?<!\s)\s*\S+(?:\s+$)?", text)
    return found


def merged(pieces: Sequence[str], values: Sequence[float]) -> tuple[float, ...]:
    """The values of words, each the sum over its pieces; a piece that contains a blank belongs to its last word.

    Example:
        >>> merged(["un", "known", " word", "s"], [1.0, 2.0, 3.0, 4.0])
        (3.0, 7.0)
    """
    text = "".join(pieces)
    ends = [found.end() for found in re.finditer(r"\S+", text)]
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


def common(one: Sequence[str], other: Sequence[str]) -> tuple[set[int], set[int]]:
    """The places of a longest common subsequence in both.

    Example:
        >>> common("i do not know".split(), "i know it".split())
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
    """The relative importance of adversarial words, per attack: over changed words and all, as sums and per word."""
    found = []
    for attack in dict.fromkeys(each.attack for each in explained):
        own = [each for each in explained if each.attack == attack]
        every = [value for each in own for side in (each.human, each.adversarial) for value in side.values]
        low, high = min(every, default=0.0), max(every, default=0.0)
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
            for how, (one, two) in (("sum", sums), ("mean", means)):
                ratio = two / one if one and two is not None else None
                found.append(Importance(attack, words, how, one, two, ratio, len(own)))
    return found
