"""A pause of Python's garbage collector while texts are parsed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Pauses Python's search for reference cycles, of which parsed texts have none.

    Parsers reach the limit of recursion in a text that is nested too deeply. Garbage of earlier work that is collected there
    cannot be finalized, and Python would write that to standard error.
    """
    was_on = gc.isenabled()
    if was_on:  # another thread that has paused it will resume it
        gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
