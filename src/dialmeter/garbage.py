"""A pause of Python's garbage collector during parsing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Pause Python's search for reference cycles. Parsed texts have no reference cycles.

    In a text that is nested too deeply, a parser reaches the recursion limit. Garbage of earlier work that is collected at this
    point cannot be finalised, and Python would report that on standard error.
    """
    was_on = gc.isenabled()
    if was_on:  # if it is off, the thread that paused it resumes it
        gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
