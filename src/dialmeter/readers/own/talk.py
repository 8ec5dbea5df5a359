"""What dialmeter's own lines say of both speakers, and utterances for the turns of a tracker from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from ...errors import InputError
from ...model import SYSTEM, USER, DomainGoal, Move, Turn


class TalkLine(Struct, gc=False):
    """A line with the moves of both speakers."""

    dialogue_id: str
    talk: tuple[Move, ...]
    goal: dict[str, DomainGoal] | None = None
    cut: bool = False


def talk_line(line: Mapping[str, Any]) -> TalkLine:
    """What a line says of both speakers, as commands on trackers, users and judges read it.

    Raises:
        InputError: it is not as it should be, with the dialogue and the place of the move.

    Example:
        >>> talk_line({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": 3}]})
        Traceback (most recent call last):
        dialmeter.errors.InputError: dialogue d1, turn 0: Expected str, got int - at $.talk[0].text
    """
    try:
        return msgspec.convert(line, TalkLine)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "")
        name = line.get("dialogue_id")
        dialogue = name if isinstance(name, str) else None
        raise InputError(message, dialogue=dialogue, turn=_move_of(message)) from None


def _move_of(message: str) -> str | None:
    """The place in ``talk`` that the decoder names, as in ``at $.talk[3].speaker``."""
    _, found, rest = message.partition("$.talk[")
    place = rest.partition("]")[0]
    return place if found and place.isdecimal() else None


def with_talk(turns: Sequence[Turn], talk: Iterable[Move]) -> list[Turn]:
    """The turns, each with what the system and then the user said, where the turn itself has no words.

    Args:
        turns: in order; the i-th belongs to the i-th move of the user.
        talk: the moves of both speakers.

    Example:
        >>> talk = [Move("user", "hi"), Move("system", "yes?"), Move("user", "bye")]
        >>> [(turn.system, turn.user) for turn in with_talk([Turn(0), Turn(1)], talk)]
        [('', 'hi'), ('yes?', 'bye')]
    """
    said = _exchanges(talk)
    return [
        structs.replace(turn, system=said[turn.number][0], user=said[turn.number][1])
        if turn.number < len(said) and not (turn.user or turn.system)
        else turn
        for turn in turns
    ]


def _exchanges(talk: Iterable[Move]) -> list[tuple[str, str]]:
    """What the system said before each move of the user, and the move."""
    found = []
    system = ""
    for move in talk:
        if move.speaker == USER:
            found.append((system, move.text))
            system = ""
        elif move.speaker == SYSTEM:
            system = move.text
    return found
