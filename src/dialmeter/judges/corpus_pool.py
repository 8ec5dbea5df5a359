"""Snippets of conversations: a reply with everything that was said before it."""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from msgspec import Struct

from ..model import Conversation, Move
from .language import Language
from .language.words import word_list

LONGEST_REPLY = 2000


class Snippet(Struct, frozen=True):
    """A reply in its context.

    Attributes:
        dialogue: where it comes from.
        turn: the place of the reply among the moves of the dialogue.
        context: the moves before, those without text left out; at least one.
        reply: the move that an attack changes.
        later: the moves after.
    """

    dialogue: str
    turn: int
    context: tuple[Move, ...]
    reply: Move
    later: tuple[Move, ...]


def snippets(talk: Conversation) -> Iterator[Snippet]:
    """Every snippet of a conversation: each move with text that has another before it.

    Only speaker and text are kept, for these are what a judge sees.

    Example:
        >>> talk = Conversation("d1", (Move("a", "Hi."), Move("b", " "), Move("b", "Hello."), Move("a", "Bye.")))
        >>> [(each.turn, len(each.context), each.reply.text) for each in snippets(talk)]
        [(2, 1, 'Hello.'), (3, 2, 'Bye.')]
    """
    spoken = [(turn, Move(move.speaker, move.text)) for turn, move in enumerate(talk.moves) if move.text.strip()]
    moves = tuple(move for _, move in spoken)
    for place, (turn, reply) in enumerate(spoken):
        if place and len(reply.text) <= LONGEST_REPLY:
            yield Snippet(talk.id, turn, moves[:place], reply, moves[place + 1 :])


DIALOGUES = 200
"""A pool looks at this many dialogues, drawn by the seed: enough for variety, and the same whatever attacks are asked for."""

_AROUND = " .,!?;:"
_NUMBERS = frozenset({"DATE", "TIME", "MONEY", "CARDINAL", "ORDINAL", "PERCENT", "QUANTITY"})
_CODE = re.compile(r"\d{4}|\d[A-Z]|[A-Z]\d")
_BARE = frozenset({"one", "first", "a", "an", "the", "second", "zero", "today", "tonight", "tomorrow", "now"})


class Pool(Struct, frozen=True):
    """A sample of a corpus.

    Attributes:
        utterances: dialogue and move.
        entities: type → (text, how often), most frequent first.
    """

    utterances: tuple[tuple[str, Move], ...] = ()
    entities: dict[str, tuple[tuple[str, int], ...]] = {}

    def entity(self, label: str, random: Random, unlike: Iterable[str]) -> str | None:
        """An entity of a type, the frequent ones more often, that shares no word with texts to stay away from."""
        avoid = {word for text in unlike for word in word_list(text)}
        fit = [(text, count) for text, count in self.entities.get(label, ()) if not avoid & set(word_list(text))]
        if not fit:
            return None
        return random.choices([text for text, _ in fit], [count for _, count in fit])[0]


def seeded(*parts: object) -> Random:
    """A generator for one choice, told apart by words and numbers; it does not depend on hash seeds or on order.

    Example:
        >>> seeded(7, "pronoun", "d1", 3).randrange(1000) == seeded(7, "pronoun", "d1", 3).randrange(1000)
        True
    """
    return Random(digest(*parts))


def digest(*parts: object) -> int:
    """A number that stands for words and numbers."""
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def ordered(talks: Iterable[Conversation], seed: int) -> list[Conversation]:
    """Dialogues in the order in which they are looked at, which the seed decides."""
    return sorted(talks, key=lambda talk: (digest(seed, talk.id), talk.id))


def make_pool(talks: Iterable[Conversation], language: Language, seed: int) -> Pool:
    """A pool of a corpus; with a pipeline it has entities too."""
    chosen = heapq.nsmallest(DIALOGUES, talks, key=lambda talk: (digest(seed, talk.id), talk.id))
    said = [(talk.id, Move(move.speaker, move.text)) for talk in chosen for move in talk.moves if move.text.strip()]
    counts: dict[str, Counter[str]] = {}
    if not language.is_light:
        language.prepare(move.text for _, move in said)
        for _, move in said:
            for entity in language.analysis(move.text).entities:
                name = entity.of(move.text).strip(_AROUND)
                if usable(name) and typical(name, entity.label):
                    counts.setdefault(entity.label, Counter())[name] += 1
    entities = {
        label: tuple(sorted(counts[label].items(), key=lambda item: (-item[1], item[0]))) for label in sorted(counts)
    }
    return Pool(tuple(said), entities)


def usable(name: str) -> bool:
    """Is an entity worth swapping? Not where it is a bare number word, a sign, or longer than a name is.

    Example:
        >>> usable("Kettle Lane"), usable("one"), usable("?!")
        (True, False, False)
    """
    words = word_list(name)
    return bool(words) and len(words) <= 6 and not set(words) <= _BARE and "\n" not in name


def typical(name: str, label: str) -> bool:
    """Does an entity look like its type? Taggers take codes and prices for names; these would make no clear change.

    Example:
        >>> typical("Kettle Lane", "FAC"), typical("17:45", "ORG"), typical("friday", "DATE"), typical("two", "CARDINAL")
        (True, False, True, False)
    """
    if label == "CARDINAL":
        return name.isdecimal() and len(name) <= 2
    return not _CODE.search(name) if label in _NUMBERS else not any(map(str.isdigit, name))
