"""Judges of whole dialogues: the mean or the worst score of the system's replies, and simple features.

A judge of dialogues has ``level = "dialogue"``. Each of its items holds all moves of a dialogue and an empty reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from ...model import SYSTEM, Move
from ..judge import AnyItem, Item, identity_of, load_weights, make_judge, name_with_parameters, parse_call
from .surface import distinct_share, spaced, tokens, words


def rated_speaker(moves: Sequence[Move]) -> str:
    """The speaker whose moves are judged: the system, or the second speaker if no speaker is called system.

    Example:
        >>> rated_speaker([Move("Ann", "hi"), Move("Bob", "hello")]), rated_speaker([Move("system", "hi")])
        ('Bob', 'system')
    """
    names = list(dict.fromkeys(move.speaker for move in moves))
    return SYSTEM if SYSTEM in names or not names else names[min(1, len(names) - 1)]


def replies(moves: Sequence[Move]) -> list[Item]:
    """The judged replies of a dialogue, each with the moves before it. The first move of the dialogue is skipped.

    Example:
        >>> [reply for _, reply in replies([Move("user", "hi"), Move("system", "hello"), Move("user", "bye")])]
        ['hello']
    """
    speaker = rated_speaker(moves)
    return [(tuple(moves[:place]), move.text) for place, move in enumerate(moves) if place and move.speaker == speaker]


class OverReplies:
    """A judge of dialogues that combines the scores of a judge of replies."""

    level = "dialogue"

    def __init__(self, name: str, judge: str, talk: Any = None) -> None:
        call = parse_call(judge)
        self.inner = make_judge(call, {"talk": talk or []})
        self.name = f"{name}(judge={call.alias or self.inner.name})"
        self._kind = name
        self.higher_is_better = self.inner.higher_is_better
        self.scale = self.inner.scale
        self.facets = self.inner.facets
        self.neural = bool(getattr(self.inner, "neural", False))
        self.stays = bool(getattr(self.inner, "stays", False))
        # A judge that waits for a server gets as many dialogues as its requests under way can use.
        self.batch_size = max(8, getattr(self.inner, "batch_size", 8) // 4) if self.stays else 8
        worst: Callable[[Sequence[float]], float] = min if self.higher_is_better else max
        self._combine = worst if name == "dialogue-min" else fmean

    @property
    def identity(self) -> str:
        """Everything that the scores depend on."""
        return f"{self._kind}({identity_of(self.inner)})"

    def load_weights(self) -> None:
        load_weights(self.inner)

    def batches(self, items: Sequence[AnyItem]) -> list[list[Item]]:
        """The batches of replies that the inner judge scores for these dialogues."""
        parts = [replies(item[0]) for item in items]
        firsts = range(0, len(parts), self.batch_size)
        return [[item for part in parts[first : first + self.batch_size] for item in part] for first in firsts]

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        parts = [replies(moves) for moves, _ in items]
        if not all(parts):
            raise ValueError("the dialogue has no reply of the system after another turn")
        scores = [float(score) for score in self.inner.score([item for part in parts for item in part])]
        combined, start = [], 0
        for part in parts:
            combined.append(self._combine(scores[start : start + len(part)]))
            start += len(part)
        return combined


def mean_over_replies(judge: str, talk: Any = None) -> OverReplies:
    """A judge that returns the mean score of the system's replies.

    Example:
        >>> judge = mean_over_replies("length")
        >>> judge.name, judge.score([((Move("user", "hi"), Move("system", "a b"), Move("user", "c"), Move("system", "d")), "")])
        ('dialogue-mean(judge=length)', [1.5])
    """
    return OverReplies("dialogue-mean", judge, talk)


def lowest_of_replies(judge: str, talk: Any = None) -> OverReplies:
    """A judge that returns the worst score of the system's replies.

    Example:
        >>> lowest_of_replies("length").score([((Move("user", "hi"), Move("system", "a b"), Move("system", "d")), "")])
        [1.0]
    """
    return OverReplies("dialogue-min", judge, talk)


def _rated_moves(moves: Sequence[Move]) -> list[Move]:
    speaker = rated_speaker(moves)
    return [move for move in moves if move.speaker == speaker]


class DialogueLength:
    """Counts the words, turns or questions of the system in a dialogue.

    Example:
        >>> talk = (Move("user", "hi"), Move("system", "Hello, how are you?"), Move("user", "fine"), Move("system", "Good."))
        >>> [DialogueLength(count).score([(talk, "")])[0] for count in ("words", "turns", "questions")]
        [5.0, 2.0, 1.0]
    """

    level = "dialogue"
    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def __init__(self, count: str = "words") -> None:
        if count not in ("words", "turns", "questions"):
            raise ValueError(f"count must be words, turns or questions, not {count!r}")
        self.name = name_with_parameters("dialogue-length", count=(count, "words"))
        self._count = count

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(self._length(_rated_moves(moves))) for moves, _ in items]

    def _length(self, moves: Sequence[Move]) -> int:
        if self._count == "turns":
            return len(moves)
        return sum(move.text.count("?") if self._count == "questions" else len(words(move.text)) for move in moves)


class DialogueDistinct:
    """The share of distinct tokens and token pairs in all moves of the system: the mean of distinct-1 and distinct-2.

    Example:
        >>> DialogueDistinct().score([((Move("user", "hi"), Move("system", "very very"), Move("system", "good")), "")])
        [0.8333333333333333]
    """

    level = "dialogue"
    name = "dialogue-distinct"
    higher_is_better = True
    scale: tuple[float, float] | None = (0.0, 1.0)
    facets: frozenset[str] | None = None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [
            distinct_share([token for move in _rated_moves(moves) for token in tokens(spaced(move.text))])
            for moves, _ in items
        ]
