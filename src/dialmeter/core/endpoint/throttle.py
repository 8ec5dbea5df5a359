"""How fast requests are sent to a server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Clock:
    """The time; tests replace it by one that does not wait."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)


class Throttle:
    """How many requests may be under way: half as many after a refusal, one more after as many answers as may be under way.

    Args:
        most: the highest number.
        clock: the time.
    """

    def __init__(self, most: int, clock: Clock) -> None:
        self.limit = self._most = max(1, most)
        self._clock = clock
        self._changed = Condition()
        self._running = self._answered = self._slowed = 0
        self._resume = clock.now()

    @contextmanager
    def turn(self) -> Iterator[int]:
        """Waits for a free place and for the end of a pause; yields how often the limit was lowered before."""
        while True:
            with self._changed:
                while self._running >= self.limit:
                    self._changed.wait()
                pause = self._resume - self._clock.now()
                if pause <= 0:
                    self._running += 1
                    slowed = self._slowed
                    break
            self._clock.sleep(pause)
        try:
            yield slowed
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def refused(self, seconds: float, slowed: int) -> None:
        """Nothing is sent for some seconds; refusals of requests that were under way together count as one."""
        with self._changed:
            self._resume = max(self._resume, self._clock.now() + seconds)
            self._answered = 0
            if slowed == self._slowed:
                self._slowed += 1
                self.limit = max(1, self.limit // 2)

    def answered(self) -> None:
        """The server has answered."""
        with self._changed:
            self._answered += 1
            if self._answered >= self.limit < self._most:
                self.limit, self._answered = self.limit + 1, 0
                self._changed.notify_all()
