"""A small local endpoint that gives prepared answers and records the requests."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What to send: a status, a body, and how long to wait before."""

    status: int = 200
    body: bytes = b""
    after: float = 0.0


def saying(text: str) -> Answer:
    return Answer(body=json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode())


class Asked(NamedTuple):
    path: str
    key: str | None
    body: dict[str, Any]


@contextmanager
def chat_server(answer: Callable[[int, dict[str, Any]], Answer]) -> Iterator[tuple[str, list[Asked]]]:
    """Serves until the with ends; ``answer`` gets the number of the question, from 0, and its body."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(Asked(self.path, self.headers.get("Authorization"), body))
            found = answer(len(asked) - 1, body)
            time.sleep(found.after)
            try:
                self.send_response(found.status)
                self.send_header("Content-Length", str(len(found.body)))
                self.end_headers()
                self.wfile.write(found.body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # who asked has gone

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
