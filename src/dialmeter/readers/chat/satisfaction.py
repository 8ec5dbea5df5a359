"""Dialogues with satisfaction ratings: tab-separated columns, with a blank line between dialogues.

::

    USER<TAB>I need a taxi.<TAB>Taxi-Inform<TAB>3,4,3
    SYSTEM<TAB>Where to?<TAB>Taxi-Request<TAB>
    USER<TAB>OVERALL<TAB><TAB>3,3,3

The columns are speaker, text, act and ratings. The ratings are from several people, on a scale from 1 to 5. A row with
the text OVERALL rates the whole dialogue and is not a move. The id of a dialogue is its position in the file, counted
from 1. ``read_rated`` also returns the ratings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, one_line, placing
from ...model import Act, Conversation, Move
from ..entries import Passage, make_conversation, passages, user_or_system
from ..source import Sample, Source

DESCRIPTION = "text, acts without slots, satisfaction ratings; tab-separated columns"

_OVERALL = "OVERALL"
_COLUMNS = 4
_RATINGS = re.compile(r"(?:[1-5](?:,[1-5])*)?")


class Rated(NamedTuple):
    """A conversation and its satisfaction ratings.

    Attributes:
        conversation: the conversation.
        ratings: the ratings of each move, from 1 to 5; empty for moves without ratings, such as those of the system.
        overall: the ratings of the whole dialogue.
    """

    conversation: Conversation
    ratings: tuple[tuple[int, ...], ...]
    overall: tuple[int, ...]


def detect(sample: Sample) -> bool:
    columns = sample.value.rstrip("\r\n").split("\t") if sample.kind == "text" else []
    return (
        len(columns) == _COLUMNS
        and columns[0].strip().upper() in ("USER", "SYSTEM")
        and bool(_RATINGS.fullmatch(columns[3].strip()))
    )


items = passages


def conversation(item: Passage) -> Conversation:
    return rated(item).conversation


def rated(item: Passage) -> Rated:
    """Decode a dialogue with its ratings.

    Args:
        item: one of :func:`items`.

    Raises:
        InputError: an invalid row.

    Example:
        >>> rows = [(1, b"USER\\thello\\tgeneral-greet\\t3,4"), (2, b"SYSTEM\\tYes?\\t\\t"), (3, b"USER\\tOVERALL\\t\\t2,2")]
        >>> dialogue = rated(Passage("1", rows))
        >>> [move.text for move in dialogue.conversation.moves], dialogue.ratings, dialogue.overall
        (['hello', 'Yes?'], ((3, 4), ()), (2, 2))
    """
    moves: list[Move] = []
    ratings: list[tuple[int, ...]] = []
    overall: tuple[int, ...] = ()
    with placing(dialogue=item.name):
        for number, text in item.texts():
            with placing(line=number):
                move, move_ratings = _row(text)
            if move.text == _OVERALL:
                overall += move_ratings
            else:
                moves.append(move)
                ratings.append(move_ratings)
        return Rated(make_conversation(item.name, moves), tuple(ratings), overall)


def read_rated(path: str | Path) -> Iterator[Rated]:
    """Yield the dialogues of a file with their ratings.

    Args:
        path: a file, plain or compressed (.gz, .zst), or ``-``.

    Raises:
        InputError: the file cannot be read, or has an invalid row.
    """
    source = Source(path)
    with closing(source), placing(file=source.name):
        for item in items(source):
            yield rated(item)


def _row(text: str) -> tuple[Move, tuple[int, ...]]:
    columns = [column.strip() for column in text.split("\t")]
    if len(columns) != _COLUMNS:
        raise InputError(f"a row must have {_COLUMNS} columns (speaker, text, act, ratings), found {len(columns)}")
    who, utterance, act, ratings = columns
    if not _RATINGS.fullmatch(ratings):
        message = "ratings must be whole numbers from 1 to 5, separated by commas"
        raise InputError(f"{message}, found {one_line(ratings, 40)!r}")
    # Only the acts of MultiWOZ have a domain before a hyphen.
    domain = act.partition("-")[0].lower() if "-" in act else ""
    acts = (Act(act, domain),) if act else ()
    return Move(user_or_system(who), utterance, acts), tuple(map(int, ratings.split(","))) if ratings else ()
