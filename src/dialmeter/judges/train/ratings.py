"""How well ratings are predicted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from ...errors import InputError
from ...readers.chat.satisfaction import Rated, read_rated


class Quality(Struct, frozen=True):
    """Of predicted classes: accuracy, UAR, macro F1; of predicted ratings: Spearman's correlation with the given ones.

    UAR is the mean recall over the classes that occur. The correlation is None where all ratings are the same.
    """

    accuracy: float
    uar: float
    macro_f1: float
    spearman: float | None
    n: int


def quality(labels: Sequence[int], classes: Sequence[int], ratings: Sequence[float]) -> Quality:
    """The quality of predictions.

    Args:
        labels: the true classes.
        classes: the predicted ones.
        ratings: the predicted ratings.

    Example:
        >>> quality([2, 2, 3, 1], [2, 2, 3, 2], [3.0, 3.1, 3.9, 2.8])
        Quality(accuracy=0.75, uar=0.6666666666666666, macro_f1=0.6, spearman=0.9486832980505138, n=4)
    """
    from ...stats.correlation import spearman

    present = sorted(set(labels))
    hits = {each: sum(one == two == each for one, two in zip(labels, classes, strict=True)) for each in present}
    recalls = [hits[each] / labels.count(each) for each in present]
    f1 = [2 * hits[each] / (labels.count(each) + classes.count(each)) for each in present]
    constant = len(set(labels)) == 1 or len(set(ratings)) == 1
    return Quality(
        accuracy=fmean(one == two for one, two in zip(labels, classes, strict=True)),
        uar=fmean(recalls),
        macro_f1=fmean(f1),
        spearman=None if constant else spearman(labels, ratings).value,
        n=len(labels),
    )


def majority(labels: Sequence[int], training: Sequence[int]) -> Quality:
    """The quality of always saying the most frequent class of training."""
    most = max(sorted(set(training)), key=list(training).count)
    return quality(labels, [most] * len(labels), [float(most + 1)] * len(labels))


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
