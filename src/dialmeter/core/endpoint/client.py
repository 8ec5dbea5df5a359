"""Client for chat endpoints with OpenAI's protocol.

It retries requests, slows down when the server is busy, caches answers, counts tokens and cost, and never shows the API key.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from math import isfinite
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from ...errors import DialmeterError, MissingExtra, NoAnswer, UnreadableAnswer, one_line
from ..secrets import SHORTEST_IN_ANSWERS, mask_secret, read_secret
from .answers import AnswerStore, ChatAnswer, read_answer
from .cost import BudgetSpent, Price, Usage, estimate_tokens
from .throttle import Clock, Throttle

if TYPE_CHECKING:
    import httpx

_PATH = "/chat/completions"
_OK, _TOO_MANY, _SERVER_ERROR = 200, 429, 500
_TEMPORARY = (408, 409, 425)
_REFUSED_PARAMETERS = (400, 404, 413, 422)
_REFUSED_FOR_GOOD = (400, 413, 422)
"""The server refuses the content of a request, such as a text that is too long; the same request never succeeds."""
OWN_PARAMETERS = {"model": "--model", "messages": "--template", "n": "--repeats", "seed": "--repeats",
                  "response_format": "--parse", "stream": ""}  # fmt: skip
"""Fields of a request that the client sets, and the option that changes each of them."""
_NO_QUOTA = "insufficient_quota"
"""In the body of a 429 response, it means that waiting does not help."""
_LONGEST_WAIT = 60.0
LARGEST_RESPONSE = 4_000_000
"""Bytes of a response after decompression. Reading stops at this limit."""
PATIENCE = 600.0
"""Seconds for which a request to a busy server (429) is retried."""

Messages: TypeAlias = Sequence[Mapping[str, str]]
Readable: TypeAlias = Callable[[ChatAnswer], bool]
"""Returns True for an answer that the caller can parse."""


class _RefusedParameters(Exception):
    """The server refuses the parameters of a request, with its own text and the final error."""

    def __init__(self, text: str, error: DialmeterError) -> None:
        super().__init__(text)
        self.error = error


class _TemporaryFailure(Exception):
    """A failure after which a retry may succeed."""

    def __init__(
        self, message: str, *, pause: float | None = None, is_busy: bool = False, is_unreadable: bool = False
    ) -> None:
        super().__init__(message)
        self.pause, self.is_busy, self.is_unreadable = pause, is_busy, is_unreadable


class ChatEndpoint:
    """Client for one model at a chat endpoint.

    Args:
        url: base URL of the API, such as ``http://127.0.0.1:8000/v1``.
        model: name of the model.
        key: environment variable with the API key; no key is sent if it is not set.
        retries: number of retries of a failed request. Requests to a busy server (429) are retried for ten minutes.
        wait: seconds before the first retry; doubled for each further retry.
        timeout: maximum seconds for a whole request, from the connection to the last byte of its answer.
        workers: maximum number of concurrent requests.
        cache: folder for cached answers, so that an interrupted run can continue; empty to cache them only in memory.
            With None no answer is cached, and the same request is sent again.
        price: price of tokens.
        max_cost: budget. A request is not sent if the total cost may exceed it.
        clock: the clock.

    Raises:
        DialmeterError: the URL is invalid, or contains a password or a query.
        MissingExtra: httpx is not installed.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "OPENAI_API_KEY",
        retries: int = 5,
        wait: float = 1.0,
        timeout: float = 60.0,
        workers: int = 4,
        cache: str | None = None,
        price: Price | None = None,
        max_cost: float | None = None,
        clock: Clock | None = None,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtra("a language model at an endpoint", "llm") from None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not model:
            raise DialmeterError("a language model needs an endpoint URL (http:// or https://) and the name of a model")
        if parts.username or parts.password or "?" in url or "#" in url:
            content = "a password" if parts.username or parts.password else "a query (after ? or #)"
            raise DialmeterError(
                f"the endpoint URL contains {content}; write it without, and put the key into the environment variable {key}"
            )
        self.url = url.rstrip("/").removesuffix(_PATH) + _PATH
        self.model, self.price, self.usage = model, price, Usage()
        self._max_cost, self._reserved = max_cost, 0.0
        self._retries, self._wait, self._timeout, self._workers = retries, wait, timeout, max(1, workers)
        self._clock = clock or Clock()
        self._throttle = Throttle(workers, self._clock)
        self._answers = AnswerStore(cache)
        self._unsupported: set[str] = set()
        self._lock = Lock()
        self._secret = read_secret(key)
        headers = {"Authorization": f"Bearer {self._secret}"} if self._secret else {}
        most = {"max_connections": self._workers, "max_keepalive_connections": self._workers}
        limits = httpx.Limits(**most, keepalive_expiry=_LONGEST_WAIT)
        self._loop = _event_loop()
        self._http = httpx.AsyncClient(headers={"Accept-Encoding": "gzip", **headers}, timeout=timeout, limits=limits)

    def ask(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None = None,
        *,
        optional: Mapping[str, Any] | None = None,
        repeat: int | None = None,
        must_speak: bool = False,
        is_readable: Readable | None = None,
    ) -> ChatAnswer:
        """Return the answer to messages, from the cache or from the server.

        Args:
            messages: each with ``role`` and ``content``.
            parameters: parameters of the request, such as ``temperature``; those that are None are not sent.
            optional: parameters that are omitted if the server refuses them, such as ``response_format``.
            repeat: number of the repetition. Each number gets a separate answer; it is sent as ``seed`` if the server accepts that.
            must_speak: retry if the answer is empty.
            is_readable: if this returns False for a cached answer, the request is sent again. The cache keeps both answers.

        Raises:
            UnreadableAnswer: the response is not the answer of a chat model.
            BudgetSpent: the request may exceed the budget.
            NoAnswer: no attempt succeeded.
            DialmeterError: the server refuses the request.
        """
        body, optional, key = self._request(messages, parameters, optional, repeat)
        cached = self._answers.get(key)
        if cached is not None and (cached.text or not must_speak) and (is_readable is None or is_readable(cached)):
            with self._lock:
                self.usage.cached += 1
                self._unsupported.update(cached.without)
            return cached
        with self._budget(messages):
            answer = self._send(body, optional, must_speak)
        self._answers.add(key, answer)
        return answer

    def known(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None = None,
        *,
        optional: Mapping[str, Any] | None = None,
        repeat: int | None = None,
    ) -> ChatAnswer | None:
        """Return the last cached answer to a request, readable or not, or None. Nothing is sent."""
        return self._answers.get(self._request(messages, parameters, optional, repeat)[2])

    def keep_answers(self, folder: str) -> None:
        """Cache answers in a folder from now on, and use those that it contains."""
        self._answers = AnswerStore(folder)

    def _request(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None,
        optional: Mapping[str, Any] | None,
        repeat: int | None,
    ) -> tuple[dict[str, Any], dict[str, Any], str]:
        """Return the body of a request, its optional parameters, and the cache key of its answer."""
        body = {name: value for name, value in (parameters or {}).items() if value is not None}
        body = {"model": self.model, "messages": [dict(each) for each in messages]} | body
        extra = dict(optional or {}) | ({} if repeat is None else {"seed": repeat})
        return body, extra, hashlib.sha256(msgspec.json.encode([self.url, body, extra])).hexdigest()

    def ask_all(
        self,
        conversations: Sequence[Messages],
        parameters: Mapping[str, Any] | None = None,
        *,
        optional: Mapping[str, Any] | None = None,
        repeats: Sequence[int] | None = None,
        is_readable: Readable | None = None,
    ) -> list[ChatAnswer | DialmeterError]:
        """Return the answers to many requests, sent concurrently, in order; the error if there is no answer."""

        def ask(index: int) -> ChatAnswer | DialmeterError:
            number = repeats[index] if repeats else None
            try:
                return self.ask(
                    conversations[index], parameters, optional=optional, repeat=number, is_readable=is_readable
                )
            except DialmeterError as error:
                return error

        pool = ThreadPoolExecutor(self._workers)
        try:
            return list(pool.map(ask, range(len(conversations))))
        finally:
            pool.shutdown(cancel_futures=True)

    @property
    def cost(self) -> float | None:
        """The cost of the answers so far; None without a price."""
        return self.price.of(self.usage.prompt_tokens, self.usage.answer_tokens) if self.price else None

    @property
    def omitted(self) -> tuple[str, ...]:
        """The optional parameters that the server refused, and without which answers were made."""
        return tuple(sorted(self._unsupported))

    def close(self) -> None:
        """Close the connections."""
        if not self._http.is_closed:
            asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop)

    def __del__(self) -> None:
        if hasattr(self, "_http"):
            self.close()

    @contextmanager
    def _budget(self, messages: Messages) -> Iterator[None]:
        """Reserve the expected cost of a request: its prompt by length, and its answer by the mean of the answers so far."""
        if self.price is None or self._max_cost is None:
            yield
            return
        with self._lock:
            mean = self.usage.answer_tokens / self.usage.answers if self.usage.answers else 0
            expected = self.price.of(estimate_tokens(messages), mean)
            if (self.cost or 0.0) + self._reserved + expected > self._max_cost:
                raise BudgetSpent(f"{self.model}: the next request may exceed the budget of {self._max_cost:g}")
            self._reserved += expected
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= expected

    def _send(self, body: dict[str, Any], optional: Mapping[str, Any], must_speak: bool) -> ChatAnswer:
        wait, failures, slowed = self._wait, 0, 0
        deadline = self._clock.now() + PATIENCE
        dropped = set(self._unsupported)
        while True:
            extra = {name: value for name, value in optional.items() if name not in dropped}
            try:
                with self._throttle.turn() as slowed:
                    answer = self._attempt(body | extra, must_speak)
                self._unsupported |= dropped
                return replace(answer, without=tuple(sorted(dropped.intersection(optional))))
            except _RefusedParameters as refused:
                # The temperature changes scores, so it is omitted only if the server names it.
                new = {name for name in extra if name in str(refused)} or extra.keys() - {"temperature"}
                if not new:
                    raise refused.error from None
                dropped |= new
            except _TemporaryFailure as failure:
                pause = min(_LONGEST_WAIT, wait) if failure.pause is None else failure.pause
                wait *= 2
                is_too_late = self._clock.now() + pause > deadline
                if is_too_late or (failures >= self._retries and not failure.is_busy):
                    tries = f"{failures + 1} {'tries' if failures else 'try'}"
                    message = f"{self.url}: {failure} ({f'busy for {PATIENCE:g} s' if failure.is_busy else tries})"
                    raise (UnreadableAnswer if failure.is_unreadable else NoAnswer)(message) from None
                if failure.is_busy:
                    self._throttle.refused(pause, slowed)
                else:
                    failures += 1
                    self._clock.sleep(pause)

    def _attempt(self, body: dict[str, Any], must_speak: bool) -> ChatAnswer:
        """Send one request and return the answer.

        Raises:
            _TemporaryFailure: there is no answer, but a retry may succeed.
            _RefusedParameters: the server refuses the parameters of the request.
            NoAnswer: the server refuses all requests, and a retry now does not help.
        """
        with self._lock:
            self.usage.requests += 1
        response, content = self._post(body)
        text = content.decode("utf-8", "replace")
        status = f"status {response.status_code}: {self._safe(text)}".removesuffix(": ")
        if response.status_code == _TOO_MANY and _NO_QUOTA not in text:
            with self._lock:
                self.usage.busy += 1
            raise _TemporaryFailure(status, pause=_requested_wait(response.headers), is_busy=True)
        if response.status_code in _TEMPORARY or response.status_code >= _SERVER_ERROR:
            raise _TemporaryFailure(status, pause=_requested_wait(response.headers))
        self._throttle.answered()
        if response.status_code in _REFUSED_PARAMETERS:
            kind = DialmeterError if response.status_code in _REFUSED_FOR_GOOD else NoAnswer
            raise _RefusedParameters(text, kind(f"{self.url} refuses: {status}"))
        if response.status_code != _OK:
            raise NoAnswer(f"{self.url} refuses: {status}")
        try:
            answer = read_answer(content, body["messages"])
        except (ValueError, RecursionError):
            message = f"not an answer of a chat model: {self._safe(text)!r}"
            raise _TemporaryFailure(message, is_unreadable=True) from None
        if must_speak and not answer.text.strip():
            problem = "the answer is a tool call without text" if answer.calls else "the answer is empty"
            raise _TemporaryFailure(problem, is_unreadable=True)
        with self._lock:
            self.usage.answers += 1
            self.usage.prompt_tokens += answer.prompt_tokens
            self.usage.answer_tokens += answer.answer_tokens
            self.usage.estimated += answer.is_estimated
        return self._masked(answer)

    def _post(self, body: dict[str, Any]) -> tuple[httpx.Response, bytes]:
        """Send a request with one deadline from the connection to the last byte. Return the response and its content."""
        import httpx

        request = asyncio.wait_for(_fetch(self._http, self.url, body), self._timeout)
        try:
            return asyncio.run_coroutine_threadsafe(request, self._loop).result()
        except (TimeoutError, httpx.TimeoutException):
            raise _TemporaryFailure(f"no answer within {self._timeout:g} s") from None
        except httpx.TransportError as error:
            raise _TemporaryFailure(f"no connection: {self._safe(str(error) or type(error).__name__)}") from None

    def _safe(self, text: str) -> str:
        return one_line(mask_secret(text, self._secret), 200)

    def _masked(self, answer: ChatAnswer) -> ChatAnswer:
        def mask(text: str) -> str:
            return mask_secret(text, self._secret, SHORTEST_IN_ANSWERS)

        texts = {name: mask(getattr(answer, name)) for name in ("text", "refusal", "reasoning")}
        return replace(answer, calls=tuple(map(mask, answer.calls)), **texts)


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """Return the loop that sends all requests, in a thread of its own. Only a loop can end a request in any state."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=_event_loop.cache_clear)


async def _fetch(http: httpx.AsyncClient, url: str, body: dict[str, Any]) -> tuple[httpx.Response, bytes]:
    content = bytearray()
    async with http.stream("POST", url, json=body) as response:
        is_compressed = response.headers.get("content-encoding", "").lower() in ("gzip", "x-gzip", "deflate")
        decoder = zlib.decompressobj(zlib.MAX_WBITS + 32) if is_compressed else None
        async for chunk in response.aiter_raw():
            try:
                content += decoder.decompress(chunk, LARGEST_RESPONSE + 1 - len(content)) if decoder else chunk
            except zlib.error:
                raise _TemporaryFailure("the compressed answer is damaged", is_unreadable=True) from None
            if len(content) > LARGEST_RESPONSE:
                raise _TemporaryFailure(f"the answer has more than {LARGEST_RESPONSE:,} bytes", is_unreadable=True)
        return response, bytes(content)


def _requested_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in the header ``Retry-After``, which is a number or a date, or None if there is none."""
    text = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(text)) if isfinite(float(text)) else None
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(text)
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(moment.tzinfo)
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, TypeError):
        return None
