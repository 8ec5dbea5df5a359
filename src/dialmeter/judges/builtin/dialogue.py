"""Judges of whole dialogues: the mean or the lowest score of the system's replies, and simple features.

A judge of dialogues has ``level = "dialogue"``. Its items are all moves of a dialogue and an empty reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from ...model import SYSTEM, Move
from ..judge import AnyItem, Item, called, identity_of, load_weights, make_judge, parse_call
from .surface import distinct_share, tokens, words


def rated_speaker(moves: Sequence[Move]) -> str:
    """Whose moves are judged: the system's, or those of the second speaker where nobody is called system.

    Example:
        >>> rated_speaker([Move("Ann", "hi"), Move("Bob", "hello")]), rated_speaker([Move("system", "hi")])
        ('Bob', 'system')
    """
    names = list(dict.fromkeys(move.speaker for move in moves))
    return SYSTEM if SYSTEM in names or not names else names[min(1, len(names) - 1)]


def replies(moves: Sequence[Move]) -> list[Item]:
    """The judged replies of a dialogue, each with the moves before it; a reply that opens the dialogue is skipped.

    Example:
        >>> [reply for _, reply in replies([Move("user", "hi"), Move("system", "hello"), Move("user", "bye")])]
        ['hello']
    """
    who = rated_speaker(moves)
    return [(tuple(moves[:place]), move.text) for place, move in enumerate(moves) if place and move.speaker == who]


class OverReplies:
    """A judge of dialogues made of a judge of replies."""

    level = "dialogue"

    def __init__(self, name: str, judge: str, talk: Any = None) -> None:
        call = parse_call(judge)
        self.inner = make_judge(call, {"talk": talk or []})
        self.name = f"{name}(judge={call.alias or self.inner.name})"
        self.identity = f"{name}({identity_of(self.inner)})"
        self.higher_is_better = self.inner.higher_is_better
        self.scale = self.inner.scale
        self.facets = self.inner.facets
        self.neural = bool(getattr(self.inner, "neural", False))
        self.stays = bool(getattr(self.inner, "stays", False))
        self.batch_size = 8
        worst: Callable[[Sequence[float]], float] = min if self.higher_is_better else max
        self._combine = worst if name == "dialogue-min" else fmean

    def load_weights(self) -> None:
        load_weights(self.inner)

    def batches(self, items: Sequence[AnyItem]) -> list[list[Item]]:
        """The replies that the inner judge is asked about at once, if these dialogues are judged."""
        parts = [replies(item[0]) for item in items]
        firsts = range(0, len(parts), self.batch_size)
        return [[item for part in parts[first : first + self.batch_size] for item in part] for first in firsts]

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        parts = [replies(moves) for moves, _ in items]
        if not all(parts):
            raise ValueError("the dialogue has no reply of the system that follows another turn")
        scores = [float(score) for score in self.inner.score([item for part in parts for item in part])]
        found, at = [], 0
        for part in parts:
            found.append(self._combine(scores[at : at + len(part)]))
            at += len(part)
        return found


def mean_over_replies(judge: str, talk: Any = None) -> OverReplies:
    """The mean score of the system's replies under a judge of replies.

    Example:
        >>> judge = mean_over_replies("length")
        >>> judge.name, judge.score([((Move("user", "hi"), Move("system", "a b"), Move("user", "c"), Move("system", "d")), "")])
        ('dialogue-mean(judge=length)', [1.5])
    """
    return OverReplies("dialogue-mean", judge, talk)


def lowest_of_replies(judge: str, talk: Any = None) -> OverReplies:
    """The worst score among the system's replies under a judge of replies.

    Example:
        >>> lowest_of_replies("length").score([((Move("user", "hi"), Move("system", "a b"), Move("system", "d")), "")])
        [1.0]
    """
    return OverReplies("dialogue-min", judge, talk)


def _said(moves: Sequence[Move]) -> list[Move]:
    who = rated_speaker(moves)
    return [move for move in moves if move.speaker == who]


class DialogueLength:
    """Counts what the system says in a dialogue: words, turns or questions.

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
            raise ValueError(f"count is words, turns or questions, not {count!r}")
        self.name = called("dialogue-length", count=(count, "words"))
        self._count = count

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(self._of(_said(moves))) for moves, _ in items]

    def _of(self, said: Sequence[Move]) -> int:
        if self._count == "turns":
            return len(said)
        return sum(move.text.count("?") if self._count == "questions" else len(words(move.text)) for move in said)


class DialogueDistinct:
    """Distinct tokens and pairs of tokens in all that the system says: the mean of distinct-1 and distinct-2.

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
        return [distinct_share([token for move in _said(moves) for token in tokens(move.text)]) for moves, _ in items]
