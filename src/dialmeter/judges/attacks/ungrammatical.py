"""Attack: the reply becomes ungrammatical."""

from __future__ import annotations

import re

from ..corpus_pool import Snippet
from ..language.edits import edited
from . import Attack, Kit, NoCase, Variant

_SMALL = re.compile(
    r"(?i)\b(?:a|an|the|is|are|was|were|am|be|to|of|for|in|on|at|with|do|does|did|have|has|will|would|can|could)\b ?"
)
_FEWEST = 4


def _words(text: str) -> list[str]:
    words = text.split()
    if len(set(words)) < _FEWEST:
        raise NoCase("too few words")
    return words


def _shuffled(snippet: Snippet, kit: Kit) -> str:
    words = _words(snippet.reply.text)
    return " ".join(kit.random.sample(words, len(words)))


def _without_small_words(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    matches = list(_SMALL.finditer(text))
    if len(matches) < 2:
        raise NoCase("fewer than two small words to drop")
    shorter = edited(text, [(match.start(), match.end(), "") for match in matches])
    if len(shorter.split()) < 2:
        raise NoCase("too few words")
    return shorter


def _neighbours(snippet: Snippet, kit: Kit) -> str:
    words = _words(snippet.reply.text)
    return " ".join(word for pair in zip(words[1::2], words[::2], strict=False) for word in pair) + (
        f" {words[-1]}" if len(words) % 2 else ""
    )


ATTACK = Attack(
    name="ungrammatical",
    facet="naturalness",
    expected="lower",
    help="Breaks the grammar of the reply: changes the order of words, or removes small words.",
    variants=(
        Variant("shuffled", _shuffled, "All words in random order."),
        Variant("without-small-words", _without_small_words, "Articles, prepositions and auxiliaries are removed."),
        Variant("neighbours", _neighbours, "Each pair of neighbours changes places."),
    ),
)
