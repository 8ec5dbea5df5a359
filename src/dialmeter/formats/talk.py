"""Utterances for the turns of a tracker from the moves of both speakers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from ..model import SYSTEM, USER, Turn
from .parts import as_list, as_mapping, as_text


def with_talk(turns: Sequence[Turn], talk: Any) -> list[Turn]:
    """The turns, each with what the system and then the user said, where the turn itself has no words.

    Args:
        turns: in order; the i-th belongs to the i-th move of the user.
        talk: the moves of both speakers as the line has them, or None.

    Example:
        >>> talk = [{"speaker": "user", "text": "hi"}, {"speaker": "system", "text": "yes?"}, {"speaker": "user", "text": "bye"}]
        >>> [(turn.system, turn.user) for turn in with_talk([Turn(0), Turn(1)], talk)]
        [('', 'hi'), ('yes?', 'bye')]
    """
    if talk is None:
        return list(turns)
    said = _exchanges(talk)
    return [
        structs.replace(turn, system=said[turn.number][0], user=said[turn.number][1])
        if turn.number < len(said) and not (turn.user or turn.system)
        else turn
        for turn in turns
    ]


def _exchanges(talk: Any) -> list[tuple[str, str]]:
    """What the system said before each move of the user, and the move."""
    found = []
    system = ""
    for place, thing in enumerate(as_list(talk, "talk")):
        move = as_mapping(thing, f"move {place} of talk")
        text = as_text(move.get("text"), "text")
        if move.get("speaker") == USER:
            found.append((system, text))
            system = ""
        elif move.get("speaker") == SYSTEM:
            system = text
    return found
