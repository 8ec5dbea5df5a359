"""Chat endpoints with OpenAI's protocol: one client for judges, agents, and all other code that calls a language model.

It retries requests, slows down when the server is busy, caches answers, counts tokens and cost, and never shows the API key.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import chain, pairwise
from math import inf, isfinite
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ..errors import DialmeterError, MissingExtra, NoAnswer, Unfinished, UnreadableAnswer, one_line
from .batch import Batch, Waiting
from .output import Store
from .secrets import SHORTEST_IN_ANSWERS, mask_secret, read_secret

if TYPE_CHECKING:
    import httpx

Messages: TypeAlias = Sequence[Mapping[str, str]]

_CHARACTERS_PER_TOKEN = 4
_PER_MESSAGE = 4
_MILLION = 1e6


class BudgetSpent(Unfinished):
    """The next request may exceed the budget."""


def estimate_tokens(messages: Messages) -> int:
    """Estimate the tokens of messages: one per four characters, and four for each message.

    Example:
        >>> estimate_tokens([{"role": "user", "content": "How good is this reply?"}])
        10
    """
    return sum(_PER_MESSAGE + estimate_text_tokens(each["content"]) for each in messages)


def estimate_text_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four characters.

    Example:
        >>> estimate_text_tokens("Rating: 4")
        3
    """
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


class Price(Struct, frozen=True):
    """Price per million tokens.

    Example:
        >>> Price.parse("in=0.15,out=0.6").of(1_000_000, 500_000)
        0.45
    """

    prompt: float
    answer: float

    @classmethod
    def parse(cls, text: str) -> Price:
        """Parse a price from the command line.

        Raises:
            DialmeterError: the price has another format.
        """
        parts = dict(part.strip().split("=", 1) for part in text.split(",") if "=" in part)
        try:
            price = cls(float(parts.pop("in")), float(parts.pop("out")))
        except (KeyError, ValueError):
            price = cls(-1.0, -1.0)
        if parts or not (0 <= price.prompt < inf and 0 <= price.answer < inf):
            raise DialmeterError(
                f"price {one_line(text)!r}: write the price per million tokens, for example in=0.15,out=0.6"
            )
        return price

    def of(self, prompt_tokens: float, answer_tokens: float) -> float:
        """Return the cost of tokens."""
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / _MILLION


class Usage(Struct):
    """Usage of an endpoint so far.

    Attributes:
        requests: requests sent, including failed ones.
        answers: answers received.
        cached: answers taken from the cache.
        busy: requests that the server refused because there were too many (429).
        prompt_tokens: prompt tokens of the received answers.
        answer_tokens: tokens of the received answers.
        estimated: received answers whose tokens the server did not count.
    """

    requests: int = 0
    answers: int = 0
    cached: int = 0
    busy: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: int = 0


class AnswerToken(Struct, frozen=True):
    """A token of an answer, and the most probable tokens at its position with their log-probabilities."""

    token: str
    top: tuple[tuple[str, float], ...] = ()


class ChatAnswer(Struct, frozen=True, omit_defaults=True):
    """The answer of a model.

    Attributes:
        text: the answer; empty if the model gave none.
        refusal: text of the model instead of an answer, if the server marks it as a refusal.
        reasoning: the model's reasoning, if the server sends it separately from the answer.
        finish: why the model stopped, as named by the server.
        calls: the arguments of tool calls, as JSON.
        without: optional parameters that the server refused, so the answer was made without them.
        tokens: the tokens with log-probabilities, if they were requested.
        prompt_tokens: tokens of the prompt, counted by the server or estimated.
        answer_tokens: tokens of the answer, including reasoning.
        is_estimated: True if the server did not count tokens; they are estimated as four characters per token.
    """

    text: str
    refusal: str = ""
    reasoning: str = ""
    finish: str = ""
    calls: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    tokens: tuple[AnswerToken, ...] = ()
    prompt_tokens: int = 0
    answer_tokens: int = 0
    is_estimated: bool = False

    @property
    def is_truncated(self) -> bool:
        """True if the answer ended at a limit of tokens, or was cut by a filter."""
        return self.finish.lower() in _TRUNCATED


_TRUNCATED = frozenset({"length", "max_tokens", "max_length", "model_length", "max_output_tokens", "content_filter"})


class _TopToken(Struct):
    token: str
    logprob: float


class _TokenPlace(Struct):
    token: str
    top_logprobs: list[_TopToken] = []


class _Tokens(Struct):
    content: list[_TokenPlace] | None = None


class _Function(Struct):
    arguments: Any = ""


class _ToolCall(Struct):
    index: int | None = None
    function: _Function | None = None


class _Message(Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    tool_calls: list[_ToolCall] | None = None
    function_call: _Function | None = None

    def text(self) -> str:
        """Return the content. Some servers send it in parts."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text") or "") for part in self.content if part.get("type") != "reasoning")
        return self.content or ""

    def thoughts(self) -> str:
        """Return the reasoning. Servers use different field names for it."""
        return self.reasoning_content or (self.reasoning if isinstance(self.reasoning, str) else "")


class _Choice(Struct):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None
    stop_reason: Any = None
    logprobs: _Tokens | None = None


class _TokenCounts(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(Struct):
    choices: list[_Choice]
    usage: _TokenCounts | None = None


_BODY = msgspec.json.Decoder(_Body)


def read_answer(content: bytes, messages: Messages) -> ChatAnswer:
    """Parse the answer in the body of a response, which is one JSON object or a stream of events.

    Args:
        content: the body.
        messages: the messages of the request, to estimate tokens if the server does not count them.

    Raises:
        ValueError: the body is not the answer of a chat model.

    Example:
        >>> read_answer(b'{"choices": [{"message": {"content": "4"}}]}', []).text
        '4'
    """
    parts = [content]
    if content.lstrip().startswith((b"data:", b":", b"event:")):  # Some servers stream, although nobody asked for it.
        lines = [line[5:].strip() for line in content.splitlines() if line.startswith(b"data:")]
        parts = [line for line in lines if line and line != b"[DONE]"]
    bodies = list(map(_BODY.decode, parts))
    choices = [part.choices[0] for part in bodies if part.choices]
    replies = [message for choice in choices if (message := choice.message or choice.delta)]
    if not replies:
        raise ValueError("no choices[0].message")
    text = "".join(message.text() for message in replies)
    reasoning = "".join(message.thoughts() for message in replies)
    counts = next((part.usage for part in reversed(bodies) if part.usage), _TokenCounts())
    is_estimated = counts.prompt_tokens is None or counts.completion_tokens is None
    return ChatAnswer(
        text,
        refusal="".join(message.refusal or "" for message in replies),
        reasoning=reasoning,
        finish=next((str(why) for each in reversed(choices) if (why := each.finish_reason or each.stop_reason)), ""),
        calls=_arguments(replies),
        tokens=tuple(
            AnswerToken(place.token, tuple((top.token, top.logprob) for top in place.top_logprobs))
            for choice in choices
            for place in (choice.logprobs.content or () if choice.logprobs else ())
        ),
        prompt_tokens=estimate_tokens(messages) if is_estimated else counts.prompt_tokens or 0,
        answer_tokens=estimate_text_tokens(reasoning + text) if is_estimated else counts.completion_tokens or 0,
        is_estimated=is_estimated,
    )


def _arguments(replies: Sequence[_Message]) -> tuple[str, ...]:
    """Return the arguments of all tool calls. In a stream, the parts of a call have the same index."""
    arguments: dict[int, str] = {}
    for message in replies:
        calls = [*(message.tool_calls or ()), *([_ToolCall(0, message.function_call)] if message.function_call else ())]
        for place, call in enumerate(calls):
            part = call.function.arguments if call.function else ""
            index = place if call.index is None else call.index
            text = part if isinstance(part, str) else msgspec.json.encode(part).decode()
            arguments[index] = arguments.get(index, "") + text
    return tuple(arguments.values())


class Throttle:
    """Limit of concurrent requests. It is halved after a refusal, and raised by one after as many answers as the limit."""

    def __init__(self, most: int, clock: Any) -> None:
        self.limit = self._most = max(1, most)
        self._clock = clock
        self._changed = Condition()
        self._running = self._answered = self._slowed = 0
        self._resume = clock.monotonic()

    @contextmanager
    def turn(self) -> Iterator[int]:
        """Wait until a request may be sent. Yield how often the limit was lowered before."""
        while True:
            with self._changed:
                while self._running >= self.limit:
                    self._changed.wait()
                pause = self._resume - self._clock.monotonic()
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
            self._resume = max(self._resume, self._clock.monotonic() + seconds)
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


_PATH = "/chat/completions"
_OK, _TOO_MANY, _SERVER_ERROR = 200, 429, 500
_TEMPORARY = (408, 409, 425)
_REFUSED_PARAMETERS = (400, 404, 413, 422)
_REFUSED_FOR_GOOD = (400, 413, 422)
"""The server refuses the content of a request, such as a text that is too long; the same request never succeeds."""
OWN_PARAMETERS = {
    "model": "model",
    "messages": "template",
    "n": "repeats",
    "seed": "repeats",
    "response_format": "parse",
    "stream": "",
}
"""Fields of a request that the client sets, and the key that changes each of them."""
_NO_QUOTA = "insufficient_quota"
"""In the body of a 429 response, it means that waiting does not help."""
_LONGEST_WAIT = 60.0
LARGEST_RESPONSE = 4_000_000
"""Bytes of a response after decompression. Reading stops at this limit."""
PATIENCE = 600.0
"""Seconds for which a request to a busy server (429) is retried."""

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


def _answers_in(folder: str) -> Store[ChatAnswer]:
    """Return the cached answers of a folder by digest of the request, so that no answer is paid for twice; empty for memory only."""
    return Store(Path(folder) / "answers.jsonl" if folder else None, ChatAnswer, "an answer", skip_damaged=True)


class ChatEndpoint:
    """Client for one model at a chat endpoint.

    Args:
        endpoint: base URL of the API, such as ``http://127.0.0.1:8000/v1``.
        model: name of the model.
        key_variable: environment variable with the API key, which is never written anywhere; no key is sent if it is not set.
        retries: number of retries of a failed request. Requests to a busy server (429) are retried for ten minutes.
        wait: seconds before the first retry; doubled for each further retry.
        timeout: maximum seconds for a whole request, from the connection to the last byte of its answer.
        concurrency: maximum number of concurrent requests; fewer are sent if the server is busy.
        cache: folder for cached answers, so that an interrupted run can continue; empty to cache them only in memory.
            With None no answer is cached, and the same request is sent again.
        price: price per million tokens, as in ``in=0.15,out=0.6``; empty if it is not known.
        max_cost: budget, which needs a price. A request is not sent if the total cost may exceed it.
        batch: folder of a batch. Nothing is sent: requests are written there, and answers are read there. It needs no endpoint.
        clock: the clock of tests, which does not wait.

    Raises:
        DialmeterError: the URL is invalid, or contains a password or a query.
        MissingExtra: httpx is not installed.
    """

    def __init__(
        self,
        endpoint: str,
        model: str,
        *,
        key_variable: str = "OPENAI_API_KEY",
        retries: int = 5,
        wait: float = 1.0,
        timeout: float = 60.0,
        concurrency: int = 4,
        cache: str | None = None,
        price: str = "",
        max_cost: float = inf,
        batch: str = "",
        clock: Any = None,
    ) -> None:
        self.batch = Batch(batch, _REFUSED_FOR_GOOD) if batch else None
        parts = urlsplit(endpoint)
        is_address = parts.scheme in ("http", "https") and parts.hostname
        if not model or not (is_address or (batch and not endpoint)):
            raise DialmeterError("a language model needs an endpoint URL (http:// or https://) and the name of a model")
        if parts.username or parts.password or "?" in endpoint or "#" in endpoint:
            content = "a password" if parts.username or parts.password else "a query (after ? or #)"
            raise DialmeterError(
                f"the endpoint URL contains {content}; write it without, and put the key into the environment variable {key_variable}"
            )
        if max_cost != inf and not price:
            raise DialmeterError("a maximum cost needs a price, as in DIALMETER_PRICE=in=0.15,out=0.6")
        self.url = endpoint.rstrip("/").removesuffix(_PATH) + _PATH
        self.model, self.price, self.usage = model, Price.parse(price) if price else None, Usage()
        self._max_cost, self._reserved = max_cost, 0.0
        self._retries, self._wait, self._timeout, self.concurrency = retries, wait, timeout, max(1, concurrency)
        if self.batch is not None:  # the answer that is there does not change, and requests are written in order
            self._retries, self.concurrency = 0, 1
        self._clock = clock or time
        self._throttle = Throttle(concurrency, self._clock)
        self._answers = _answers_in(cache) if cache is not None else None
        self._unsupported: set[str] = set()
        self._lock = Lock()
        self._secret = read_secret(key_variable)
        if self.batch is not None:
            return
        try:
            import httpx
        except ImportError:
            raise MissingExtra("a language model at an endpoint", "llm") from None
        headers = {"Authorization": f"Bearer {self._secret}"} if self._secret else {}
        most = {"max_connections": self.concurrency, "max_keepalive_connections": self.concurrency}
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
            Waiting: the request waits in a batch for its answer.
            DialmeterError: the server refuses the request.
        """
        body, extra, key = self.request(messages, parameters, optional, repeat)
        cached = self.known(key, must_speak, is_readable)
        if cached is not None:
            self._unsupported.update(cached.without)
            self._count(cached=1)
            return cached
        with self._budget(messages):
            answer = self._send(body, extra, must_speak)
        if self._answers is not None:
            if self.batch is not None:  # its folder keeps the answers
                self._answers.values[key] = answer
            else:
                self._answers.add({key: answer})
        return answer

    def known(self, key: str, must_speak: bool = False, is_readable: Readable | None = None) -> ChatAnswer | None:
        """Return the last cached answer to a request, if it can be used, or None. Nothing is sent."""
        answer = None if self._answers is None else self._answers.values.get(key)
        is_usable = answer is not None and (answer.text or not must_speak) and (not is_readable or is_readable(answer))
        return answer if is_usable else None

    def keep_answers(self, folder: str) -> None:
        """Cache answers in a folder from now on, and use those that it contains."""
        self._answers = _answers_in(folder)

    def request(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None = None,
        optional: Mapping[str, Any] | None = None,
        repeat: int | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any], str]:
        """Return the body of a request, its optional parameters, and the cache key of its answer."""
        body = {name: value for name, value in (parameters or {}).items() if value is not None}
        body = {"model": self.model, "messages": [dict(each) for each in messages]} | body
        extra = dict(optional or {}) | ({} if repeat is None else {"seed": repeat})
        return body, extra, hashlib.sha256(msgspec.json.encode([self.url, body, extra])).hexdigest()

    def ask_batches(
        self, batches: Iterable[Sequence[Mapping[str, Any]]], is_readable: Readable | None = None
    ) -> Iterator[list[ChatAnswer | DialmeterError]]:
        """Yield the answers to batches of requests, in order; the error for a request without an answer.

        Requests are sent concurrently. While the last answers of a batch are awaited, requests of the next batch are sent.

        Args:
            batches: for each request, the first arguments of :meth:`ask` by name. Equal requests are sent once.
            is_readable: see :meth:`ask`.
        """

        def ask(request: Mapping[str, Any]) -> ChatAnswer | DialmeterError:
            try:
                return self.ask(**request, is_readable=is_readable)
            except DialmeterError as error:
                return error

        pool = ThreadPoolExecutor(self.concurrency)
        sent: dict[str, Future[ChatAnswer | DialmeterError]] = {}

        def send(request: Mapping[str, Any]) -> Future[ChatAnswer | DialmeterError]:
            key = self.request(**request)[2]
            if key not in sent:
                sent[key] = pool.submit(ask, request)
            return sent[key]

        try:
            # A pair of batches exists when the second one has been sent.
            for batch, _ in pairwise(chain((list(map(send, each)) for each in batches), [[]])):
                yield [future.result() for future in batch]
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
        if hasattr(self, "_http") and not self._http.is_closed:
            asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop)

    def __del__(self) -> None:
        self.close()

    @contextmanager
    def _budget(self, messages: Messages) -> Iterator[None]:
        """Reserve the expected cost of a request: its prompt by length, and its answer by the mean of the answers so far."""
        if self.price is None or self._max_cost == inf:
            yield
            return
        with self._lock:
            mean = self.usage.answer_tokens / self.usage.answers if self.usage.answers else 0
            expected = self.price.of(estimate_tokens(messages), mean)
            if (self.cost or 0.0) + self._reserved + expected > self._max_cost:
                raise BudgetSpent(f"{self.model}: the next request may exceed the budget of {self._max_cost:g}")
            self._reserved += expected
        is_waiting = False
        try:
            yield
        except Waiting:
            is_waiting = True
            raise
        finally:
            with self._lock:
                self._reserved -= 0 if is_waiting else expected

    def _send(self, body: dict[str, Any], optional: Mapping[str, Any], must_speak: bool) -> ChatAnswer:
        wait, failures, slowed = self._wait, 0, 0
        deadline = self._clock.monotonic() + PATIENCE
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
                is_too_late = self._clock.monotonic() + pause > deadline
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
        self._count(requests=1)
        code, headers, content = self._post(body)
        text = content.decode("utf-8", "replace")
        status = f"status {code}: {self._safe(text)}".removesuffix(": ")
        if code == _TOO_MANY and _NO_QUOTA not in text:
            self._count(busy=1)
            raise _TemporaryFailure(status, pause=_requested_wait(headers), is_busy=True)
        if code in _TEMPORARY or code >= _SERVER_ERROR:
            raise _TemporaryFailure(status, pause=_requested_wait(headers))
        self._throttle.answered()
        if code in _REFUSED_PARAMETERS:
            kind = DialmeterError if code in _REFUSED_FOR_GOOD else NoAnswer
            raise _RefusedParameters(text, kind(f"{self.url} refuses: {status}"))
        if code != _OK:
            raise NoAnswer(f"{self.url} refuses: {status}")
        try:
            answer = read_answer(content, body["messages"])
        except (ValueError, RecursionError):
            message = f"not an answer of a chat model: {self._safe(text)!r}"
            raise _TemporaryFailure(message, is_unreadable=True) from None
        if must_speak and not answer.text.strip():
            problem = "the answer is a tool call without text" if answer.calls else "the answer is empty"
            raise _TemporaryFailure(problem, is_unreadable=True)
        tokens = {name: getattr(answer, name) for name in ("prompt_tokens", "answer_tokens")}
        self._count(answers=1, estimated=answer.is_estimated, **tokens)
        return self._masked(answer)

    def _count(self, **amounts: int) -> None:
        with self._lock:
            for name, amount in amounts.items():
                setattr(self.usage, name, getattr(self.usage, name) + amount)

    def _post(self, body: dict[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request with one deadline from the connection to the last byte. Return the status, headers and content of the response."""
        if self.batch is not None:
            code, content = self.batch.post(body)
            return code, {}, content
        import httpx

        request = asyncio.wait_for(_fetch(self._http, self.url, body), self._timeout)
        try:
            response, content = asyncio.run_coroutine_threadsafe(request, self._loop).result()
            return response.status_code, response.headers, content
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


ANSWER_TOKENS = 60
"""Assumed tokens of an answer (JSON, or one or two sentences) as long as no answer is cached."""


class CostEstimate(Struct, frozen=True, kw_only=True):
    """Estimated requests, tokens and cost of a command.

    Attributes:
        model: name of the model.
        replies: number of replies or dialogues that a judge would score; absent if no judge is used.
        calls: requests that would be sent if none fails.
        cached: answers that are already in the cache.
        prompt_tokens: prompt tokens of the calls, estimated as four characters per token.
        answer_tokens: answer tokens of the calls, from the mean of the cached answers, or a default.
        cost: estimated cost; null without a price.
    """

    model: str
    replies: int | UnsetType = UNSET
    calls: int
    cached: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None


class DryRun:
    """Counter of requests that are not sent.

    Args:
        endpoint: the endpoint; its cache is read.
        answer_tokens: assumed tokens of an answer as long as no answer is cached.

    Example:
        >>> counter = DryRun(ChatEndpoint("http://127.0.0.1:8000/v1", "small"))
        >>> counter.ask([{"role": "user", "content": "How good is this reply?"}]) is None
        True
        >>> counter.estimate.calls, counter.estimate.prompt_tokens
        (1, 10)
    """

    def __init__(self, endpoint: ChatEndpoint, answer_tokens: int = ANSWER_TOKENS) -> None:
        self._endpoint, self._default = endpoint, answer_tokens
        self._prompt_tokens: dict[str, int] = {}
        self._answer_tokens: dict[str, int] = {}

    def ask(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None = None,
        *,
        must_speak: bool = False,
        is_readable: Readable | None = None,
        **request: Any,
    ) -> ChatAnswer | None:
        """Return the answer from the cache, or None if the request would be sent.

        The arguments are those of :meth:`ChatEndpoint.ask`. The same request counts once, because its answer would then be cached.
        """
        key = self._endpoint.request(messages, parameters, **request)[2]
        cached = self._endpoint.known(key, must_speak, is_readable)
        if cached is None and self._endpoint.batch is not None:  # asking sends nothing
            try:
                cached = self._endpoint.ask(messages, parameters, must_speak=must_speak, **request)
            except Waiting:
                pass
            except DialmeterError:
                return None  # it has its answer, which is an error
        if cached is None:
            self._prompt_tokens[key] = estimate_tokens(messages)
        else:
            self._answer_tokens[key] = cached.answer_tokens
        return cached

    @property
    def estimate(self) -> CostEstimate:
        """The estimate for all requests so far."""
        calls, cached = len(self._prompt_tokens), list(self._answer_tokens.values())
        tokens = sum(self._prompt_tokens.values())
        answer_tokens = round(calls * (sum(cached) / len(cached) if cached else self._default))
        price = self._endpoint.price
        return CostEstimate(
            model=self._endpoint.model,
            calls=calls,
            cached=len(cached),
            prompt_tokens=tokens,
            answer_tokens=answer_tokens,
            cost=price.of(tokens, answer_tokens) if price else None,
        )
