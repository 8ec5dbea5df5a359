"""A local chat endpoint with answers that a test defines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, NamedTuple

Reply = tuple[int, dict[str, Any] | str | bytes, dict[str, str]]


class FakeClock:
    """A clock whose ``sleep`` returns at once and advances the time."""

    def __init__(self) -> None:
        self._now, self._lock = 0.0, Lock()
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._now += seconds
            self.pauses.append(seconds)


class Asked(NamedTuple):
    """One received request."""

    path: str
    body: dict[str, Any]
    key: str | None


class Server:
    """The received requests, and the URL of the endpoint."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.lock = Lock()


def saying(text: str) -> Reply:
    """An answer with some text."""
    return 200, {"choices": [{"message": {"content": text}}]}, {}


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server during a test. Return the URL of its endpoint."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/v1"
        finally:
            http.shutdown()
            thread.join()


@contextmanager
def serve(answer: Callable[[dict[str, Any], int], Reply]) -> Iterator[Server]:
    """Run a server during a test. ``answer`` gets the request and the number of earlier requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with server.lock:
                number = len(server.asked)
                server.asked.append(Asked(self.path, body, self.headers["authorization"]))
            code, content, headers = answer(body, number)
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            data = text if isinstance(text, bytes) else text.encode()
            # Who asked may have gone.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(code)
                for name, value in {**headers, "content-length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Log nothing."""

    with listening(Handler) as url:
        server = Server(url)
        yield server
