"""Answers of chat endpoints: their data types, parser and cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct

from ..output import RecordLog
from .cost import estimate_text_tokens, estimate_tokens


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


class _CachedAnswer(Struct, frozen=True):
    key: str
    answer: ChatAnswer


class AnswerStore:
    """Cache of answers by a digest of the request, so that no answer is paid for twice.

    A damaged line is skipped, and its request is sent again.

    Args:
        folder: folder of the cache file; empty to cache answers only in memory, None for no cache.
    """

    def __init__(self, folder: str | None = "") -> None:
        self._is_enabled = folder is not None
        self._log = RecordLog(Path(folder) / "answers.jsonl", _CachedAnswer, "an answer") if folder else None
        self._answers = {each.key: each.answer for each in self._log.read(skip_damaged=True)} if self._log else {}
        self._lock = Lock()

    def get(self, key: str) -> ChatAnswer | None:
        """Return the answer to a request, or None if it is not in the cache."""
        return self._answers.get(key)

    def add(self, key: str, answer: ChatAnswer) -> None:
        """Add an answer.

        Raises:
            DialmeterError: the folder cannot be written.
        """
        with self._lock:
            if self._is_enabled:
                self._answers[key] = answer
            if self._log is not None:
                self._log.append(_CachedAnswer(key, answer))


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


def read_answer(content: bytes, messages: Sequence[Mapping[str, str]]) -> ChatAnswer:
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
    is_stream = content.lstrip().startswith((b"data:", b":", b"event:"))
    parts = _parse_stream(content) if is_stream else [_BODY.decode(content)]
    choices = [part.choices[0] for part in parts if part.choices]
    replies = [message for choice in choices if (message := choice.message or choice.delta)]
    if not replies:
        raise ValueError("no choices[0].message")
    text = "".join(message.text() for message in replies)
    reasoning = "".join(message.thoughts() for message in replies)
    counts = next((part.usage for part in reversed(parts) if part.usage), _TokenCounts())
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


def _parse_stream(content: bytes) -> list[_Body]:
    """Return the parts of an answer that the server sent as events, although streaming was not requested."""
    lines = [line[5:].strip() for line in content.splitlines() if line.startswith(b"data:")]
    return [_BODY.decode(line) for line in lines if line and line != b"[DONE]"]
