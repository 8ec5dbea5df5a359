"""Attack: the reply repeats the words of the other speaker."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language.words import content_words, word_list
from . import Attack, Kit, NoCase, Variant

_SHORTEST = 4


def _last_turn(snippet: Snippet, kit: Kit) -> str:
    last = snippet.context[-1]
    if last.speaker == snippet.reply.speaker:
        raise NoCase("the turn before is the speaker's own")
    if len(word_list(last.text)) < _SHORTEST or not content_words(last.text):
        raise NoCase("the turn before is too short to be odd if it is repeated")
    return last.text


def _last_turn_first(snippet: Snippet, kit: Kit) -> str:
    return f"{_last_turn(snippet, kit).strip()} {snippet.reply.text}"


def _whole_context(snippet: Snippet, kit: Kit) -> str:
    _last_turn(snippet, kit)
    if len(snippet.context) < 2:
        raise NoCase("fewer than two turns before")
    return " ".join(move.text.strip() for move in snippet.context[-4:])


ATTACK = Attack(
    name="context-echo",
    facet="coherence",
    expected="lower",
    help="Repeats the context in place of the reply, or before it.",
    variants=(
        Variant("last-turn", _last_turn, "The turn before, as the reply."),
        Variant("last-turn-first", _last_turn_first, "The turn before, then the reply."),
        Variant("last-turns", _whole_context, "Up to four turns before, as the reply."),
    ),
)
