"""Limits of a client for chat endpoints: time and bytes of a response, connections, and what the address may hold."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread

import pytest

pytest.importorskip("httpx", reason="the extra llm is not installed")
from dialmeter.core.endpoint import ChatEndpoint
from dialmeter.errors import DialmeterError, UnreadableAnswer
from dialmeter.judges.adapters.llm import LanguageModel
from dialmeter.judges.scorer import score_judge

from ..judges.made import cases

HELLO = [{"role": "user", "content": "Hello."}]
ANSWER = json.dumps({"choices": [{"message": {"content": "4"}}]}).encode()


@contextmanager
def dripping(*parts: bytes, pause: float) -> Iterator[str]:
    """A server that sends parts of a response with pauses between them."""
    over = Event()

    def answer(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.recv(65536)
                    for part in parts:
                        connection.sendall(part)
                        if over.wait(pause):
                            return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=answer, args=(listener,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    "parts",
    [
        [b"HTTP/1.1 200 OK\r\n", *(b"X-%d: 1\r\n" % number for number in range(50))],
        [b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n", *[b" "] * 50],
    ],
    ids=["headers", "body"],
)
def test_request_has_one_deadline(parts: list[bytes]) -> None:
    """Each part comes within the time limit, but the whole response does not."""
    with dripping(*parts, pause=0.1) as url:
        client = ChatEndpoint(url, "small", timeout=0.5, retries=0)
        start = time.monotonic()
        with pytest.raises(DialmeterError, match=r"no answer within 0.5 s \(1 try\)"):
            client.ask(HELLO)
        assert time.monotonic() - start < 2
        client.close()


@contextmanager
def http_server(body: bytes, headers: dict[str, str], together: int = 1) -> Iterator[tuple[str, dict[str, int]]]:
    """A server that keeps connections open, and counts connections and concurrent requests.

    It answers the first requests only when ``together`` of them run, or after some seconds.
    """
    counts, lock, full = {"connections": 0, "running": 0, "most": 0}, Lock(), Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            with lock:
                counts["connections"] += 1

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            with lock:
                counts["running"] += 1
                counts["most"] = max(counts["most"], counts["running"])
                if counts["running"] >= together:
                    full.set()
            full.wait(10)
            with lock:
                counts["running"] -= 1
            self.send_response(200)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", counts
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_response_too_large(encoding: str) -> None:
    large = b" " * (200_000_000 if encoding == "gzip" else 6_000_000)
    body = gzip.compress(large, 1) if encoding == "gzip" else large
    del large
    with http_server(body, {"content-encoding": encoding}) as (url, _):
        client = ChatEndpoint(url, "small", retries=0)
        tracemalloc.start()
        with pytest.raises(UnreadableAnswer, match=r"the answer has more than 4,000,000 bytes \(1 try\)"):
            client.ask(HELLO)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        client.close()
    assert peak < 30_000_000


@pytest.mark.parametrize(
    ("body", "problem"),
    [(gzip.compress(ANSWER, mtime=0), ""), (b"damaged", "the compressed answer is damaged")],
    ids=["whole", "damaged"],
)
def test_compressed_responses(body: bytes, problem: str) -> None:
    with http_server(body, {"content-encoding": "gzip"}) as (url, _):
        client = ChatEndpoint(url, "small", retries=0)
        if problem:
            with pytest.raises(UnreadableAnswer, match=problem):
                client.ask(HELLO)
        else:
            assert client.ask(HELLO).text == "4"
        client.close()


def test_requests_and_connections() -> None:
    with http_server(ANSWER, {}, together=64) as (url, counts):
        judge = LanguageModel(url, "small", concurrency=64)
        result = score_judge(cases(("speaker",), 64), {"small": judge})
        judge.close()
    assert result.accounts["small"].complete
    assert counts["most"] == counts["connections"] == 64


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_requests_in_fork() -> None:
    with http_server(ANSWER, {}) as (url, _):
        assert ChatEndpoint(url, "small", retries=0).ask([{"role": "user", "content": "a"}]).text
        child = os.fork()
        if not child:
            try:
                text = ChatEndpoint(url, "small", retries=0, timeout=5).ask([{"role": "user", "content": "b"}]).text
                os._exit(0 if text else 1)
            finally:
                os._exit(2)
        deadline = time.monotonic() + 20
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
            time.sleep(0.05)
        if ended == (0, 0):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended[1]) == 0
    assert ended[0] == child
