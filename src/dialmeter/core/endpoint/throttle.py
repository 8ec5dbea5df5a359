"""Limit the rate of requests to a server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Clock:
    """A clock. Tests replace it by one that does not wait."""

    def now(self) -> float:
        """Return a monotonic time in seconds."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for some seconds."""
        time.sleep(seconds)


class Throttle:
    """Limit of concurrent requests. It is halved after a refusal, and raised by one after as many answers as the limit.

    Args:
        most: the maximum limit.
        clock: the clock.
    """

    def __init__(self, most: int, clock: Clock) -> None:
        self.limit = self._most = max(1, most)
        self._clock = clock
        self._changed = Condition()
        self._running = self._answered = self._slowed = 0
        self._resume = clock.now()

    @contextmanager
    def turn(self) -> Iterator[int]:
        """Wait until a request may be sent. Yield how often the limit was lowered before."""
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
        """Pause all requests for some seconds, and lower the limit. Refusals of concurrent requests lower it only once."""
        with self._changed:
            self._resume = max(self._resume, self._clock.now() + seconds)
            self._answered = 0
            if slowed == self._slowed:
                self._slowed += 1
                self.limit = max(1, self.limit // 2)

    def answered(self) -> None:
        """Record an answer of the server, and raise the limit if there were enough of them."""
        with self._changed:
            self._answered += 1
            if self._answered >= self.limit < self._most:
                self.limit, self._answered = self.limit + 1, 0
                self._changed.notify_all()
