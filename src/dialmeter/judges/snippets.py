"""Snippets of conversations: a reply with everything that was said before it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..model import Conversation, Move

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
