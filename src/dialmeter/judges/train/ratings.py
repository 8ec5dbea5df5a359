"""Examples for a judge of satisfaction, and the quality of its predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from ...errors import InputError
from ...readers.chat.satisfaction import Rated, read_rated
from ...stats.correlation import spearman


class Quality(Struct, frozen=True):
    """Accuracy, UAR and macro F1 of predicted classes, and Spearman's correlation of predicted ratings with the true ones.

    UAR is the mean recall over the classes that occur. The correlation is None if all ratings are the same.
    """

    accuracy: float
    uar: float
    macro_f1: float
    spearman: float | None
    n: int


class Trained(Struct, frozen=True):
    """The result of training with one seed."""

    seed: int
    epochs: int
    test: Quality
    watched: list[Quality]


def quality(labels: Sequence[int], classes: Sequence[int], ratings: Sequence[float]) -> Quality:
    """The quality of predictions.

    Args:
        labels: the true classes.
        classes: the predicted classes.
        ratings: the predicted ratings.

    Example:
        >>> quality([2, 2, 3, 1], [2, 2, 3, 2], [3.0, 3.1, 3.9, 2.8])
        Quality(accuracy=0.75, uar=0.6666666666666666, macro_f1=0.6, spearman=0.9486832980505138, n=4)
    """
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
    """The quality of always predicting the most frequent class of the training data."""
    most_frequent = max(sorted(set(training)), key=list(training).count)
    return quality(labels, [most_frequent] * len(labels), [float(most_frequent + 1)] * len(labels))


class Example(Struct, frozen=True):
    """The speakers and texts of a dialogue up to the rated turn, and the class of the rating, 0 to 4."""

    said: tuple[tuple[str, str], ...]
    label: int


def read_examples(
    path: str | Path, held_out: int, until: str = "rated"
) -> tuple[list[list[Example]], list[list[Example]]]:
    """Read examples by dialogue. Return the training dialogues, and the last ``held_out`` dialogues for testing.

    Raises:
        InputError: the file holds no ratings, or too few dialogues.
    """
    dialogues = [dialogue for rated in read_rated(path) if (dialogue := examples(rated, until))]
    if len(dialogues) <= held_out + 1 or not held_out:
        message = f"the file has {len(dialogues)} rated dialogues, too few to hold out {held_out}"
        raise InputError(message, file=str(path))
    return dialogues[:-held_out], dialogues[-held_out:]


def examples(rated: Rated, until: str = "rated") -> list[Example]:
    """One example per rated turn of the user.

    A rating is given at a turn of the user, for the dialogue up to that turn. ``rated`` includes that turn, in which users show how
    they feel. ``before`` excludes it, so the dialogue ends with the system's reply.
    """
    moves = tuple((move.speaker, move.text) for move in rated.conversation.moves)
    is_included = until == "rated"
    return [
        Example(moves[: place + is_included], label_of(ratings))
        for place, ratings in enumerate(rated.ratings)
        if ratings and place + is_included
    ]


def label_of(ratings: Sequence[int]) -> int:
    """The class of the mean rating. Halves are rounded up.

    Example:
        >>> label_of([3, 3, 2, 3]), label_of([3, 4])
        (2, 3)
    """
    return int(fsum(ratings) / len(ratings) + 0.5) - 1


def flat(dialogues: Iterable[Sequence[Example]]) -> list[Example]:
    """The examples of all dialogues."""
    return [example for dialogue in dialogues for example in dialogue]
