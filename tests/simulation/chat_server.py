"""A small local endpoint that gives prepared answers and records the requests."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..judges.chat_server import Asked, Reply, serve


class Answer(NamedTuple):
    """What to send: a status, a body, and how long to wait before."""

    status: int = 200
    body: bytes = b""
    after: float = 0.0


def saying(text: str) -> Answer:
    return Answer(body=json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode())


@contextmanager
def chat_server(answer: Callable[[int, dict[str, Any]], Answer]) -> Iterator[tuple[str, list[Asked]]]:
    """Serves until the with ends; ``answer`` gets the number of the question, from 0, and its body."""

    def reply(body: dict[str, Any], number: int) -> Reply:
        found = answer(number, body)
        time.sleep(found.after)
        return found.status, found.body, {}

    with serve(reply) as server:
        yield server.url, server.asked
