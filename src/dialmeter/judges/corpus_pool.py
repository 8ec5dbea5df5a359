"""The input of attacks: snippets (a reply with its context), and a pool, which is a sample of the corpus."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import log
from random import Random

from msgspec import Struct

from ..model import Conversation, Move
from .language import Language
from .language.words import word_list


class Snippet(Struct, frozen=True):
    """A reply in its context.

    Attributes:
        dialogue: the id of the dialogue.
        turn: the index of the reply among the moves of the dialogue.
        context: the moves with text before the reply; at least one.
        reply: the move that an attack changes.
        later: the moves with text after the reply.
    """

    dialogue: str
    turn: int
    context: tuple[Move, ...]
    reply: Move
    later: tuple[Move, ...]


def snippets(talk: Conversation) -> Iterator[Snippet]:
    """The snippets of a conversation: one for each move with text, except the first.

    Moves are reduced to speaker and text, because a judge sees nothing else.

    Example:
        >>> talk = Conversation("d1", (Move("a", "Hi."), Move("b", " "), Move("b", "Hello."), Move("a", "Bye.")))
        >>> [(each.turn, len(each.context), each.reply.text) for each in snippets(talk)]
        [(2, 1, 'Hello.'), (3, 2, 'Bye.')]
    """
    spoken = [(turn, Move(move.speaker, move.text)) for turn, move in enumerate(talk.moves) if move.text.strip()]
    moves = tuple(move for _, move in spoken)
    for place, (turn, reply) in enumerate(spoken):
        if place:
            yield Snippet(talk.id, turn, moves[:place], reply, moves[place + 1 :])


DIALOGUES = 200
"""The number of dialogues in a pool. The seed selects them. It is large enough for variety, and independent of the requested attacks."""

_AROUND = " .,!?;:"
_NUMBERS = frozenset({"DATE", "TIME", "MONEY", "CARDINAL", "ORDINAL", "PERCENT", "QUANTITY"})
_CODE = re.compile(r"\d{4}|\d[A-Z]|[A-Z]\d")
_BARE = frozenset({"one", "first", "a", "an", "the", "second", "zero", "today", "tonight", "tomorrow", "now"})


class Pool(Struct, frozen=True):
    """A sample of a corpus.

    Attributes:
        utterances: the id of the dialogue, and the move.
        entities: type → (text, count), most frequent first.
        words: word → count.
        neighbours: bigram (two words with a space between them) → count.
    """

    utterances: tuple[tuple[str, Move], ...] = ()
    entities: dict[str, tuple[tuple[str, int], ...]] = {}
    words: dict[str, int] = {}
    neighbours: dict[str, int] = {}

    def fit(self, before: str, word: str, after: str) -> float:
        """Score of a word between two others: the mean of two log-probabilities of a bigram model that is smoothed by word counts.

        Example:
            >>> pool = Pool(words={"book": 3, "a": 9, "table": 5}, neighbours={"a table": 5})
            >>> pool.fit("a", "table", "") > pool.fit("a", "book", "")
            True
        """
        size = sum(self.words.values()) or 1
        alone = (self.words.get(word, 0) + 0.1) / size
        left = (self.neighbours.get(f"{before} {word}", 0) + alone) / (self.words.get(before, 0) + 1)
        right = (self.neighbours.get(f"{word} {after}", 0) + (self.words.get(after, 0) + 0.1) / size) / (
            self.words.get(word, 0) + 1
        )
        return (log(left) + log(right)) / 2

    def knows(self, before: str, word: str, after: str) -> bool:
        """True if a word occurs in the corpus after ``before`` or in front of ``after``."""
        return f"{before} {word}" in self.neighbours or f"{word} {after}" in self.neighbours

    def entity(self, label: str, random: Random, unlike: Iterable[str]) -> str | None:
        """A random entity of a type, weighted by frequency, that shares no word with the given texts."""
        avoid = {word for text in unlike for word in word_list(text)}
        candidates = [(text, count) for text, count in self.entities.get(label, ()) if not avoid & set(word_list(text))]
        if not candidates:
            return None
        return random.choices([text for text, _ in candidates], [count for _, count in candidates])[0]


def seeded(*parts: object) -> Random:
    """A random generator for one choice, seeded with words and numbers. It does not depend on hash seeds or on earlier choices.

    Example:
        >>> seeded(7, "pronoun", "d1", 3).randrange(1000) == seeded(7, "pronoun", "d1", 3).randrange(1000)
        True
    """
    return Random(digest(*parts))


def digest(*parts: object) -> int:
    """A number derived from words and numbers."""
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def ordered(talks: Iterable[Conversation], seed: int) -> list[Conversation]:
    """Dialogues in the order that the seed decides."""
    return sorted(talks, key=lambda talk: (digest(seed, talk.id), talk.id))


def make_pool(talks: Iterable[Conversation], language: Language, seed: int) -> Pool:
    """Draw the pool of a corpus. It has entities only if a pipeline is installed."""
    sample = ordered(talks, seed)[:DIALOGUES]
    utterances = [
        (talk.id, Move(move.speaker, move.text)) for talk in sample for move in talk.moves if move.text.strip()
    ]
    counts: dict[str, Counter[str]] = {}
    if not language.is_light:
        language.prepare(move.text for _, move in utterances)
        for _, move in utterances:
            for entity in language.analysis(move.text).entities:
                name = entity.of(move.text).strip(_AROUND)
                if usable(name) and typical(name, entity.label):
                    counts.setdefault(entity.label, Counter())[name] += 1
    entities = {
        label: tuple(sorted(counts[label].items(), key=lambda item: (-item[1], item[0]))) for label in sorted(counts)
    }
    words: Counter[str] = Counter()
    neighbours: Counter[str] = Counter()
    for _, move in utterances:
        spoken = word_list(move.text)
        words.update(spoken)
        neighbours.update(f"{one} {other}" for one, other in pairwise(spoken))
    return Pool(tuple(utterances), entities, dict(sorted(words.items())), dict(sorted(neighbours.items())))


def usable(name: str) -> bool:
    """True if an entity can be swapped: it has at most six words, and is not only number words, articles or punctuation.

    Example:
        >>> usable("Kettle Lane"), usable("one"), usable("?!")
        (True, False, False)
    """
    words = word_list(name)
    return bool(words) and len(words) <= 6 and not set(words) <= _BARE and "\n" not in name


def typical(name: str, label: str) -> bool:
    """True if an entity looks like its type: taggers mistake codes and prices for names.

    Example:
        >>> typical("Kettle Lane", "FAC"), typical("17:45", "ORG"), typical("friday", "DATE"), typical("two", "CARDINAL")
        (True, False, True, False)
    """
    if label == "CARDINAL":
        return name.isdecimal() and len(name) <= 2
    return not _CODE.search(name) if label in _NUMBERS else not any(map(str.isdigit, name))
