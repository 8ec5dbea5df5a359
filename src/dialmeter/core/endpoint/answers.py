"""Answers of chat endpoints: what is in them, how they are read, and where they are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct

from ..output import RecordLog
from .cost import estimate_tokens, tokens_of


class AnswerToken(Struct, frozen=True):
    """A token of an answer, and the most probable tokens at its place with their log-probabilities."""

    token: str
    top: tuple[tuple[str, float], ...] = ()


class ChatAnswer(Struct, frozen=True, omit_defaults=True):
    """What a model said.

    Attributes:
        text: the answer; empty where the model gave none.
        refusal: what the model said instead of an answer, where the server marks it as a refusal.
        reasoning: the model's reasoning, where the server gives it apart from the answer.
        finish: why the model stopped, in the server's word.
        tokens: the tokens with log-probabilities, where they were requested.
        prompt_tokens: tokens of the prompt, as the server counts them, or as estimated.
        answer_tokens: tokens of the answer, reasoning included.
        is_estimated: True where the server did not count tokens, and four characters were taken for one.
    """

    text: str
    refusal: str = ""
    reasoning: str = ""
    finish: str = ""
    tokens: tuple[AnswerToken, ...] = ()
    prompt_tokens: int = 0
    answer_tokens: int = 0
    is_estimated: bool = False


class _KeptAnswer(Struct, frozen=True):
    key: str
    answer: ChatAnswer


class AnswerStore:
    """Answers by a digest of the request, so that none is paid for twice. A damaged line is skipped, and its request sent again.

    Args:
        folder: where the file is; empty to keep answers in memory only, None to keep none.
    """

    def __init__(self, folder: str | None = "") -> None:
        self._is_kept = folder is not None
        self._log = RecordLog(Path(folder) / "answers.jsonl", _KeptAnswer, "an answer") if folder else None
        self._known = {each.key: each.answer for each in self._log.read(skip_damaged=True)} if self._log else {}
        self._lock = Lock()

    def get(self, key: str) -> ChatAnswer | None:
        """The answer to a request, if it is known."""
        return self._known.get(key)

    def add(self, key: str, answer: ChatAnswer) -> None:
        """Adds an answer.

        Raises:
            DialmeterError: the folder cannot be written to.
        """
        with self._lock:
            if self._is_kept:
                self._known[key] = answer
            if self._log is not None:
                self._log.append(_KeptAnswer(key, answer))


class _TopToken(Struct):
    token: str
    logprob: float


class _TokenPlace(Struct):
    token: str
    top_logprobs: list[_TopToken] = []


class _Tokens(Struct):
    content: list[_TokenPlace] | None = None


class _Message(Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: Any = None

    def text(self) -> str:
        """The content; some servers send it in parts."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text") or "") for part in self.content if part.get("type") != "reasoning")
        return self.content or ""

    def thoughts(self) -> str:
        """The reasoning, under the names that servers give it."""
        return self.reasoning_content or (self.reasoning if isinstance(self.reasoning, str) else "")


class _Choice(Struct):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None
    logprobs: _Tokens | None = None


class _Counted(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(Struct):
    choices: list[_Choice]
    usage: _Counted | None = None


_WHOLE = msgspec.json.Decoder(_Body)


def read_answer(content: bytes, messages: Sequence[Mapping[str, str]]) -> ChatAnswer:
    """The answer in the body of a response, whole or as a stream of events.

    Args:
        content: the body.
        messages: what was sent, to estimate tokens where the server does not count them.

    Raises:
        ValueError: it is not the answer of a chat model.

    Example:
        >>> read_answer(b'{"choices": [{"message": {"content": "4"}}]}', []).text
        '4'
    """
    parts = _stream(content) if content.lstrip().startswith((b"data:", b":", b"event:")) else [_WHOLE.decode(content)]
    choices = [part.choices[0] for part in parts if part.choices]
    said = [message for choice in choices if (message := choice.message or choice.delta)]
    if not said:
        raise ValueError("no choices[0].message")
    text = "".join(message.text() for message in said)
    reasoning = "".join(message.thoughts() for message in said)
    counts = next((part.usage for part in reversed(parts) if part.usage), _Counted())
    is_estimated = counts.prompt_tokens is None or counts.completion_tokens is None
    return ChatAnswer(
        text,
        refusal="".join(message.refusal or "" for message in said),
        reasoning=reasoning,
        finish=next((choice.finish_reason for choice in reversed(choices) if choice.finish_reason), ""),
        tokens=tuple(
            AnswerToken(place.token, tuple((top.token, top.logprob) for top in place.top_logprobs))
            for choice in choices
            for place in (choice.logprobs.content or () if choice.logprobs else ())
        ),
        prompt_tokens=estimate_tokens(messages) if is_estimated else counts.prompt_tokens or 0,
        answer_tokens=tokens_of(reasoning + text) if is_estimated else counts.completion_tokens or 0,
        is_estimated=is_estimated,
    )


def _stream(content: bytes) -> list[_Body]:
    """The parts of an answer that came as events, although a whole one was requested."""
    lines = [line[5:].strip() for line in content.splitlines() if line.startswith(b"data:")]
    return [_WHOLE.decode(line) for line in lines if line and line != b"[DONE]"]
