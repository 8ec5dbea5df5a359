"""Examples for a judge of satisfaction: what was said until a user rated it, and the rating."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from pathlib import Path

from msgspec import Struct

from ...errors import InputError
from ...readers.chat.satisfaction import Rated, read_rated


class Example(Struct, frozen=True):
    """A dialogue up to the turn that is rated, as speakers and texts, and the class of the rating, 0 to 4."""

    said: tuple[tuple[str, str], ...]
    label: int


def read_examples(
    path: str | Path, held_out: int, until: str = "rated"
) -> tuple[list[list[Example]], list[list[Example]]]:
    """Examples by dialogue: those to train on, and those of the last dialogues.

    Raises:
        InputError: the file holds no ratings, or too few dialogues.
    """
    dialogues = [found for found in (examples(rated, until) for rated in read_rated(path)) if found]
    if len(dialogues) <= held_out + 1 or not held_out:
        message = f"{len(dialogues)} rated dialogues are too few to hold out {held_out}"
        raise InputError(message, file=str(path))
    return dialogues[:-held_out], dialogues[-held_out:]


def examples(rated: Rated, until: str = "rated") -> list[Example]:
    """One example per rated turn of the user.

    A rating is given at a turn of the user, for what was said up to then. ``rated`` takes the dialogue with that turn, in
    which users show how they feel; ``before`` takes it without, as it stands when the system has just replied.
    """
    said = tuple((move.speaker, move.text) for move in rated.talk.moves)
    more = until == "rated"
    return [
        Example(said[: place + more], label_of(given))
        for place, given in enumerate(rated.ratings)
        if given and place + more
    ]


def label_of(ratings: Sequence[int]) -> int:
    """The class of the rounded mean, a half going up.

    Example:
        >>> label_of([3, 3, 2, 3]), label_of([3, 4])
        (2, 3)
    """
    return int(fsum(ratings) / len(ratings) + 0.5) - 1


def flat(dialogues: Iterable[Sequence[Example]]) -> list[Example]:
    """The examples of all dialogues."""
    return [example for dialogue in dialogues for example in dialogue]
