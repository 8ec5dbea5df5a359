"""Conversations with ratings of satisfaction: tab-separated speaker, text, act and ratings, a blank line between dialogues.

::

    USER<TAB>I need a taxi.<TAB>Taxi-Inform<TAB>3,4,3
    SYSTEM<TAB>Where to?<TAB>Taxi-Request<TAB>
    USER<TAB>OVERALL<TAB><TAB>3,3,3

The ratings are what several people gave, from 1 to 5; a row with the text OVERALL rates the dialogue and is no part of it.
A dialogue's id is its place in the file, counted from 1. ``read_rated`` gives the ratings too.
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

CARRIES = "text, acts without slots, ratings of satisfaction; tab-separated columns"

_OVERALL = "OVERALL"
_COLUMNS = 4
_RATINGS = re.compile(r"(?:[1-5](?:,[1-5])*)?")


class Rated(NamedTuple):
    """A conversation and what people thought of it.

    Attributes:
        talk: the conversation.
        ratings: for every move the ratings it got, from 1 to 5; none where it was not rated, as the system's are.
        overall: the ratings of the whole dialogue.
    """

    talk: Conversation
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
    return rated(item).talk


def rated(item: Passage) -> Rated:
    """A dialogue with its ratings.

    Args:
        item: one of :func:`items`.

    Raises:
        InputError: a row is not as it should be.

    Example:
        >>> rows = [(1, b"USER\\thello\\tgeneral-greet\\t3,4"), (2, b"SYSTEM\\tYes?\\t\\t"), (3, b"USER\\tOVERALL\\t\\t2,2")]
        >>> found = rated(Passage("1", rows))
        >>> [move.text for move in found.talk.moves], found.ratings, found.overall
        (['hello', 'Yes?'], ((3, 4), ()), (2, 2))
    """
    moves: list[Move] = []
    ratings: list[tuple[int, ...]] = []
    overall: tuple[int, ...] = ()
    with placing(dialogue=item.name):
        for number, text in item.texts():
            with placing(line=number):
                move, given = _row(text)
            if move.text == _OVERALL:
                overall += given
            else:
                moves.append(move)
                ratings.append(given)
        return Rated(make_conversation(item.name, moves), tuple(ratings), overall)


def read_rated(path: str | Path) -> Iterator[Rated]:
    """The dialogues of a file with their ratings, one by one.

    Args:
        path: a file, .gz and .zst too, or ``-``.

    Raises:
        InputError: the file or a row in it is not as it should be.
    """
    source = Source(path)
    with closing(source), placing(file=source.name):
        for item in items(source):
            yield rated(item)


def _row(text: str) -> tuple[Move, tuple[int, ...]]:
    columns = [column.strip() for column in text.split("\t")]
    if len(columns) != _COLUMNS:
        raise InputError(f"a row has {_COLUMNS} columns (speaker, text, act, ratings), found {len(columns)}")
    who, said, act, given = columns
    if not _RATINGS.fullmatch(given):
        raise InputError(f"ratings are whole numbers from 1 to 5 with commas between, found {one_line(given, 40)!r}")
    # Acts of other corpora than MultiWOZ have no domain before a hyphen.
    domain = act.partition("-")[0].lower() if "-" in act else ""
    acts = (Act(act, domain),) if act else ()
    return Move(user_or_system(who), said, acts), tuple(map(int, given.split(","))) if given else ()
