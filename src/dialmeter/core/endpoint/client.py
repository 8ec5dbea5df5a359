"""The one client for chat endpoints that speak OpenAI's protocol.

It sends requests again, slows down when the server is busy, caches answers, counts tokens and cost, and never shows the key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from ...errors import DialmeterError, MissingExtra, UnreadableAnswer, one_line
from ..secrets import IN_ANSWERS, mask_secret, read_secret
from .answers import AnswerStore, ChatAnswer, read_answer
from .cost import BudgetSpent, Price, Usage, estimate_tokens
from .throttle import Clock, Throttle

if TYPE_CHECKING:
    import httpx

_PATH = "/chat/completions"
_OK, _TOO_MANY, _SERVER_ERROR = 200, 429, 500
_PASSING = (408, 409, 425)
_REFUSED_PARAMETERS = (400, 404, 422)
_NO_MONEY = "insufficient_quota"
"""In the body of a 429 that waiting does not end."""
_LONGEST_WAIT = 60.0
PATIENCE = 600.0
"""Seconds for which a request is sent again to a busy server (429)."""

Messages: TypeAlias = Sequence[Mapping[str, str]]
Readable: TypeAlias = Callable[[ChatAnswer], bool]
"""True of an answer from which a caller can read what it asked for."""


class _RefusedParameters(Exception):
    """The server does not take a request as it is."""


class _Trouble(Exception):
    """A failure that may pass."""

    def __init__(
        self, message: str, *, pause: float | None = None, is_busy: bool = False, is_unreadable: bool = False
    ) -> None:
        super().__init__(message)
        self.pause, self.is_busy, self.is_unreadable = pause, is_busy, is_unreadable


class ChatEndpoint:
    """Asks a model at an endpoint.

    Args:
        url: the base of the interface, such as ``http://127.0.0.1:8000/v1``.
        model: the name of the model.
        key: the environment variable that holds the key; no key is sent where it is not set.
        retries: how often a request that failed is sent again. A busy server (429) is asked again for ten minutes.
        wait: seconds before it is sent again, twice as long each time.
        timeout: seconds that an answer may take.
        workers: how many requests are under way at most.
        cache: a folder in which answers are kept, so that an interrupted run can continue; empty to keep them in memory only.
            With None no answer is kept, and the same question is asked again.
        price: of tokens.
        max_cost: no request is sent that may raise the cost of all requests above it.
        clock: the time.

    Raises:
        DialmeterError: the address is none, or it holds a password.
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
        if parts.username or parts.password:
            raise DialmeterError("the endpoint URL holds a password; put the key into an environment variable instead")
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
        self._http = httpx.Client(headers=headers, timeout=timeout, follow_redirects=False)

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
        """The answer to some messages.

        Args:
            messages: each with ``role`` and ``content``.
            parameters: of the request, such as ``temperature``; one that is None is not sent.
            optional: parameters that are omitted where the server refuses them, such as ``response_format``.
            repeat: the same request with another number is answered anew; it is sent as ``seed`` where the server takes it.
            must_speak: an empty answer is a failure that may pass.
            is_readable: a cached answer of which this is False is not used: the request is sent again. The cache keeps both.

        Raises:
            UnreadableAnswer: what came is not the answer of a chat model.
            BudgetSpent: it might cost too much.
            DialmeterError: no answer in all attempts, or the server refuses.
        """
        body, optional, key = self._request(messages, parameters, optional, repeat)
        known = self._answers.get(key)
        if known is not None and (known.text or not must_speak) and (is_readable is None or is_readable(known)):
            with self._lock:
                self.usage.cached += 1
            return known
        with self._budget(messages):
            answer = self._asked(body, optional, must_speak)
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
        """The last answer to a request if it is known, readable or not; nothing is sent."""
        return self._answers.get(self._request(messages, parameters, optional, repeat)[2])

    def keep_answers(self, folder: str) -> None:
        """Keeps answers in a folder from now on, and takes those that it holds."""
        self._answers = AnswerStore(folder)

    def _request(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None,
        optional: Mapping[str, Any] | None,
        repeat: int | None,
    ) -> tuple[dict[str, Any], dict[str, Any], str]:
        """The body of a request, its optional parameters, and the key of its answer."""
        body = {"model": self.model, "messages": [dict(each) for each in messages]}
        body |= {name: value for name, value in (parameters or {}).items() if value is not None}
        more = dict(optional or {}) | ({} if repeat is None else {"seed": repeat})
        return body, more, hashlib.sha256(msgspec.json.encode([self.url, body, more])).hexdigest()

    def ask_all(
        self,
        conversations: Sequence[Messages],
        parameters: Mapping[str, Any] | None = None,
        *,
        optional: Mapping[str, Any] | None = None,
        repeats: Sequence[int] | None = None,
        is_readable: Readable | None = None,
    ) -> list[ChatAnswer | DialmeterError]:
        """Answers to many messages, several at a time, in order; the error where there is no answer."""

        def one(place: int) -> ChatAnswer | DialmeterError:
            number = repeats[place] if repeats else None
            try:
                return self.ask(
                    conversations[place], parameters, optional=optional, repeat=number, is_readable=is_readable
                )
            except DialmeterError as error:
                return error

        pool = ThreadPoolExecutor(self._workers)
        try:
            return list(pool.map(one, range(len(conversations))))
        finally:
            pool.shutdown(cancel_futures=True)

    @property
    def cost(self) -> float | None:
        """The cost of the answers so far; None without a price."""
        return self.price.of(self.usage.prompt_tokens, self.usage.answer_tokens) if self.price else None

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __del__(self) -> None:
        if hasattr(self, "_http"):
            self.close()

    @contextmanager
    def _budget(self, messages: Messages) -> Iterator[None]:
        """Reserves what an answer may cost: the prompt by its length, and the mean of the answers so far."""
        if self.price is None or self._max_cost is None:
            yield
            return
        with self._lock:
            mean = self.usage.answer_tokens / self.usage.answers if self.usage.answers else 0
            expected = self.price.of(estimate_tokens(messages), mean)
            if (self.cost or 0.0) + self._reserved + expected > self._max_cost:
                raise BudgetSpent(f"{self.model}: the next request may cost more than the budget of {self._max_cost:g}")
            self._reserved += expected
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= expected

    def _asked(self, body: dict[str, Any], optional: Mapping[str, Any], must_speak: bool) -> ChatAnswer:
        wait, failures, slowed = self._wait, 0, 0
        patience = self._clock.now() + PATIENCE
        dropped = set(self._unsupported)
        while True:
            extra = {name: value for name, value in optional.items() if name not in dropped}
            try:
                with self._throttle.turn() as slowed:
                    answer = self._attempt(body | extra, must_speak)
                self._unsupported |= dropped
                return answer
            except _RefusedParameters as refused:
                if not extra:
                    raise DialmeterError(str(refused)) from None
                dropped |= {name for name in extra if name in str(refused)} or set(extra)
            except _Trouble as trouble:
                pause = min(_LONGEST_WAIT, wait) if trouble.pause is None else trouble.pause
                wait *= 2
                waited_enough = self._clock.now() + pause > patience
                if waited_enough or (failures >= self._retries and not trouble.is_busy):
                    tries = f"{failures + 1} {'tries' if failures else 'try'}"
                    message = f"{self.url}: {trouble} ({f'busy for {PATIENCE:g} s' if trouble.is_busy else tries})"
                    raise (UnreadableAnswer if trouble.is_unreadable else DialmeterError)(message) from None
                if trouble.is_busy:
                    self._throttle.refused(pause, slowed)
                else:
                    failures += 1
                    self._clock.sleep(pause)

    def _attempt(self, body: dict[str, Any], must_speak: bool) -> ChatAnswer:
        """The answer to one request.

        Raises:
            _Trouble: there is none, and another attempt may help.
            _RefusedParameters: the server does not take the request as it is.
            DialmeterError: the server refuses for good.
        """
        with self._lock:
            self.usage.requests += 1
        found = self._post(body)
        status = f"status {found.status_code}: {self._safe(found.text)}".removesuffix(": ")
        if found.status_code == _TOO_MANY and _NO_MONEY not in found.text:
            with self._lock:
                self.usage.busy += 1
            raise _Trouble(status, pause=_requested_wait(found.headers), is_busy=True)
        if found.status_code in _PASSING or found.status_code >= _SERVER_ERROR:
            raise _Trouble(status, pause=_requested_wait(found.headers))
        self._throttle.answered()
        if found.status_code in _REFUSED_PARAMETERS:
            raise _RefusedParameters(f"{self.url} refuses: {status}")
        if found.status_code != _OK:
            raise DialmeterError(f"{self.url} refuses: {status}")
        try:
            answer = read_answer(found.content, body["messages"])
        except ValueError:
            message = f"not an answer of a chat model: {self._safe(found.text)!r}"
            raise _Trouble(message, is_unreadable=True) from None
        if must_speak and not answer.text.strip():
            raise _Trouble("the answer is empty", is_unreadable=True)
        with self._lock:
            self.usage.answers += 1
            self.usage.prompt_tokens += answer.prompt_tokens
            self.usage.answer_tokens += answer.answer_tokens
            self.usage.estimated += answer.is_estimated
        return self._masked(answer)

    def _post(self, body: dict[str, Any]) -> httpx.Response:
        import httpx

        try:
            return self._http.post(self.url, json=body)
        except httpx.TimeoutException:
            raise _Trouble(f"no answer within {self._timeout:g} s") from None
        except httpx.TransportError as error:
            raise _Trouble(f"no connection: {self._safe(str(error) or type(error).__name__)}") from None

    def _safe(self, text: str) -> str:
        return one_line(mask_secret(text, self._secret), 200)

    def _masked(self, answer: ChatAnswer) -> ChatAnswer:
        def mask(text: str) -> str:
            return mask_secret(text, self._secret, IN_ANSWERS)

        return replace(answer, text=mask(answer.text), refusal=mask(answer.refusal), reasoning=mask(answer.reasoning))


def _requested_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait: a number, or a moment; None where it does not say."""
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
