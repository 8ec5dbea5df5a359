"""A pause of Python's garbage collector during parsing."""

from __future__ import annotations

import gc


class paused_garbage_collection:  # noqa: N801 - used like a function
    """Context manager: pause Python's search for reference cycles. Parsed texts have no reference cycles.

    In a text that is nested too deeply, a parser reaches the recursion limit. Garbage of earlier work that is collected at this
    point cannot be finalised, and Python would report that on standard error.
    """

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        if self._was_on:  # if it is off, the thread that paused it resumes it
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            gc.enable()
