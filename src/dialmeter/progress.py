"""Progress of long work. Functions that take long say what they do; the command line shows it, and elsewhere nothing is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

Item = TypeVar("Item")
State: TypeAlias = Callable[[int], tuple[float | None, int, str]]
"""Takes a number of items. Returns the share of the work that is done, the number of finished units, and words after that number."""
Show: TypeAlias = Callable[[Iterable[Any], str, State, int], Iterable[Any]]
"""Yields items and shows the state of the work, which a word names, after every so many items."""

shown_by: ContextVar[Show | None] = ContextVar("shown_by", default=None)
"""What shows progress. Work within other work that is shown is not shown."""


def track(items: Iterable[Item], doing: str, state: State, every: int = 1) -> Iterable[Item]:
    """Return the items; progress is shown while they are taken.

    Example:
        >>> list(track("ab", "scoring", lambda count: (count / 2, count, " of 2 files")))
        ['a', 'b']
    """
    show = shown_by.get()
    return items if show is None else show(items, doing, state, every)


def track_count(items: Iterable[Item], total: int, doing: str, unit: str = "") -> Iterable[Item]:
    """Return the items; the number of finished ones is shown. ``doing`` names the work, and ``unit`` an item."""
    return (
        track(items, doing, lambda count: (count / total, count, f" of {total:,} {unit}".rstrip())) if total else items
    )


def track_reading(dialogues: Iterable[Item], file: Any = None) -> Iterable[Item]:
    """Return the dialogues of an open file; the share of the file that has been read is shown. Others are not tracked."""
    file = dialogues if file is None else file
    if not hasattr(file, "share_read"):
        return dialogues
    return track(dialogues, "scoring", lambda count: (file.share_read, count, " dialogues"), 500)
