"""Which subject an input is about: a tracker, a user, a judge or a system."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import DialmeterError, InputError, did_you_mean
from ..judges.cases import Case
from ..model import Conversation, Trajectory
from ..readers.content import content_of, only_text_advice
from ..readers.ratings.rated_item import RatedItem
from .advice import SUBJECTS, advice

RATINGS = "ratings"
"""The subject of a file of ratings: judges, compared with people."""


def face_of(subject: str) -> Any:
    """Return the module that scores a subject and shows its results."""
    return import_module(f"..{'judge' if subject == RATINGS else subject}s", __name__)


def check_subject(subject: str) -> str:
    """Return the name of a subject if it exists.

    Raises:
        DialmeterError: it does not.
    """
    if subject not in SUBJECTS:
        meant = advice(SUBJECTS, subject.lower().rstrip("s"))
        raise DialmeterError(
            f"unknown subject {subject!r}; {f'did you mean {meant}?' if meant else did_you_mean(subject, SUBJECTS)}"
        )
    return subject


def subject_of_items(items: list[Any]) -> str | None:
    """Return the subject of objects of dialmeter in a list; None for other data."""
    kinds = {Case: "judge", RatedItem: RATINGS, Conversation: "user", Trajectory: "system"}
    return next((subject for kind, subject in kinds.items() if items and isinstance(items[0], kind)), None)


def subject_of_file(path: str, format: str | None = None) -> str:
    """Return the subject of a file. An input that can be read only once is of a tracker, unless its format says something else.

    Raises:
        InputError: the file cannot be read.
    """
    content = content_of(path, format)
    if content == "dialogues":
        raise InputError(only_text_advice(path), file=path)
    return "judge" if content == "cases" else content or "tracker"
