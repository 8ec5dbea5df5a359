"""Judges that use only the surface of a reply: constant, random, length, overlap with the context, distinct words.

Judges of whole dialogues: the mean or the worst score of the system's replies, and simple features. A judge of dialogues has
``level = "dialogue"``. Each of its items holds all moves of a dialogue and an empty reply.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice, pairwise
from math import fsum
from statistics import fmean
from typing import Any

from ...english import UNSPACED
from ...model import SYSTEM, Move
from ..cases import item_hash
from ..judge import (
    AnyItem,
    Item,
    JudgeDefaults,
    identity_of,
    load_weights,
    make_judge,
    name_with_parameters,
    parse_call,
)

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_MARKS = "".join(sign for sign in map(chr, range(0x300, 0x1800)) if unicodedata.category(sign).startswith("M"))
"""Signs that belong to the letter before them, such as vowels of Hindi and Thai."""
_LETTER = re.compile(f"[{UNSPACED}][{_MARKS}]*")
_WORD = f"(?:[^\\W{UNSPACED}][{_MARKS}]*)+"
_ANY_TOKEN = re.compile(f"((?:{_LETTER.pattern})+)|{_WORD}(?:['’]{_WORD})*|[^\\w\\s]")


def tokens(text: str, letters: int = 1) -> list[str]:
    """Split a text into words and punctuation marks in lower case.

    Args:
        text: the text.
        letters: a script without blanks between words is split into sequences of this number of letters, which overlap.

    Example:
        >>> tokens("Don't go, Ann!"), tokens("好的，3晚", 2)
        (["don't", 'go', ',', 'ann', '!'], ['好的', '，', '3', '晚'])
    """
    if text.isascii():
        return _TOKEN.findall(text.lower())
    found: list[str] = []
    for match in _ANY_TOKEN.finditer(text.lower()):
        run = _LETTER.findall(match[0]) if match[1] else [match[0]]
        found += ("".join(run[start : start + letters]) for start in range(max(1, len(run) - letters + 1)))
    return found


def words(text: str, letters: int = 1) -> list[str]:
    """Split a text into words, without punctuation marks; see ``tokens``.

    Example:
        >>> words("Go, Ann!"), words("好的，三晚", 2), words("कोई फर्क")
        (['go', 'ann'], ['好的', '三晚'], ['कोई', 'फर्क'])
    """
    return [token for token in tokens(text, letters) if token[0].isalnum() or token[0] == "_"]


class Constant(JudgeDefaults):
    """Gives every reply the same score: the floor and the ceiling of error rates.

    Example:
        >>> Constant().score([((), "yes"), ((), "no")])
        [0.0, 0.0]
    """

    name = "constant"
    scale = (0.0, 0.0)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [0.0] * len(items)


class Length(JudgeDefaults):
    """Counts the words of the reply, or its letters in a script without blanks between words. A case that it gets right can be solved by length alone.

    Example:
        >>> Length().score([((), "yes, of course")])
        [3.0]
    """

    name = "length"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(len(words(reply))) for _, reply in items]


class Chance(JudgeDefaults):
    """Gives each reply a random number between 0 and 1.

    The number is a digest of the seed and the item, so it does not depend on order and batches. If an item is scored
    again, it gets another number, as from a judge that is only noise.

    Example:
        >>> judge = Chance(seed=3)
        >>> first, second = judge.score([((), "yes"), ((), "yes")])
        >>> first != second, Chance(seed=3).score([((), "yes")]) == [first]
        (True, True)
    """

    stays = True
    scale = (0.0, 1.0)

    def __init__(self, seed: int = 0) -> None:
        self.name = name_with_parameters("random", seed=(seed, 0))
        self._seed = seed
        self._times_scored: Counter[str] = Counter()

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        scores = []
        for key in (item_hash(*item) for item in items):
            digest = hashlib.sha256(f"{self._seed}/{key}/{self._times_scored[key]}".encode()).digest()
            self._times_scored[key] += 1
            scores.append(int.from_bytes(digest[:7], "big") / 2**56)
        return scores


class ContextOverlap(JudgeDefaults):
    """The share of the reply's distinct words that also occur in the context; 0 for a reply without words.

    In a script without blanks between words, such as Chinese, pairs of letters count as words.

    Example:
        >>> from dialmeter.model import Move
        >>> ContextOverlap().score([((Move("user", "a cheap hotel"),), "which hotel?")])
        [0.5]
    """

    name = "overlap"
    scale = (0.0, 1.0)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        scores = []
        for context, reply in items:
            context_words = {word for move in context for word in words(move.text, 2)}
            own = set(words(reply, 2))
            scores.append(len(own & context_words) / len(own) if own else 0.0)
        return scores


class Distinct(JudgeDefaults):
    """The share of distinct tokens and token pairs in the reply: the mean of distinct-1 and distinct-2.

    Example:
        >>> Distinct().score([((), "very very good")])
        [0.8333333333333333]
    """

    name = "distinct"
    scale = (0.0, 1.0)
    facets = frozenset({"naturalness", "interest"})

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [distinct_share(tokens(reply)) for _, reply in items]


def distinct_share(tokens: Sequence[str]) -> float:
    """The mean of distinct-1 and distinct-2; 0 if there are no tokens.

    Example:
        >>> distinct_share(["a", "a"])
        0.75
    """
    pairs = list(pairwise(tokens))
    shares = [len(set(each)) / len(each) for each in (tokens, pairs) if each]
    return fsum(shares) / len(shares) if shares else 0.0


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
    """A judge of dialogues that combines the scores of a judge of the system's replies: their mean.

    Args:
        judge: the judge of replies, as text.
        dialogues: training dialogues of the judge.
        place: parameters of language models, such as ``endpoint``.

    Example:
        >>> judge = OverReplies("length")
        >>> judge.name, judge.score([((Move("user", "hi"), Move("system", "a b"), Move("user", "c"), Move("system", "d")), "")])
        ('dialogue-mean(judge=length)', [1.5])
    """

    level = "dialogue"
    kind = "dialogue-mean"

    def __init__(self, judge: str, dialogues: Any = None, place: Mapping[str, Any] | None = None) -> None:
        call = parse_call(judge)
        self.inner = make_judge(call, {"dialogues": dialogues or [], "place": place or {}})
        self.name = f"{self.kind}(judge={call.alias or self.inner.name})"
        self.higher_is_better = self.inner.higher_is_better
        self.scale = self.inner.scale
        self.facets = self.inner.facets
        self.neural = bool(getattr(self.inner, "neural", False))
        self.stays = bool(getattr(self.inner, "stays", False))
        # A judge that waits for a server gets as many dialogues as its requests under way can use.
        self.batch_size = max(8, getattr(self.inner, "batch_size", 8) // 4) if self.stays else 8

    def _combine(self, scores: Sequence[float]) -> float:
        return fmean(scores)

    @property
    def identity(self) -> str:
        """Everything that the scores depend on."""
        return f"{self.kind}({identity_of(self.inner)})"

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
        scores = map(float, self.inner.score([item for part in parts for item in part]))
        return [self._combine(list(islice(scores, len(part)))) for part in parts]


class LowestOfReplies(OverReplies):
    """A judge of dialogues that returns the worst score of the system's replies.

    Example:
        >>> LowestOfReplies("length").score([((Move("user", "hi"), Move("system", "a b"), Move("system", "d")), "")])
        [1.0]
    """

    kind = "dialogue-min"

    def _combine(self, scores: Sequence[float]) -> float:
        return min(scores) if self.higher_is_better else max(scores)


def _rated_texts(moves: Sequence[Move]) -> list[str]:
    speaker = rated_speaker(moves)
    return [move.text for move in moves if move.speaker == speaker]


_COUNTS: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(words(text)),
    "turns": lambda text: 1,
    "questions": lambda text: text.count("?"),
}


class DialogueLength(JudgeDefaults):
    """Counts the words, turns or questions of the system in a dialogue.

    Example:
        >>> moves = (Move("user", "hi"), Move("system", "Hello, how are you?"), Move("user", "fine"), Move("system", "Good."))
        >>> [DialogueLength(count).score([(moves, "")])[0] for count in ("words", "turns", "questions")]
        [5.0, 2.0, 1.0]
    """

    level = "dialogue"

    def __init__(self, count: str = "words") -> None:
        if count not in _COUNTS:
            raise ValueError(f"count must be words, turns or questions, not {count!r}")
        self.name = name_with_parameters("dialogue-length", count=(count, "words"))
        self._count = _COUNTS[count]

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(sum(map(self._count, _rated_texts(moves)))) for moves, _ in items]


class DialogueDistinct(JudgeDefaults):
    """The share of distinct tokens and token pairs in all moves of the system: the mean of distinct-1 and distinct-2.

    Example:
        >>> DialogueDistinct().score([((Move("user", "hi"), Move("system", "very very"), Move("system", "good")), "")])
        [0.8333333333333333]
    """

    level = "dialogue"
    name = "dialogue-distinct"
    scale = (0.0, 1.0)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        texts = (_rated_texts(moves) for moves, _ in items)
        return [distinct_share([token for text in each for token in tokens(text)]) for each in texts]
