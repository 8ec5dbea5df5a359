"""Estimate requests, tokens and cost of a chat endpoint before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from .answers import ChatAnswer
from .client import ChatEndpoint, Messages, Readable
from .cost import estimate_tokens

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
        self._prompt_tokens: dict[bytes, int] = {}
        self._answer_tokens: dict[bytes, int] = {}

    def ask(
        self,
        messages: Messages,
        parameters: Mapping[str, Any] | None = None,
        *,
        optional: Mapping[str, Any] | None = None,
        repeat: int | None = None,
        must_speak: bool = False,
        is_readable: Readable | None = None,
    ) -> ChatAnswer | None:
        """Return the answer from the cache, or None if the request would be sent.

        The arguments are those of :meth:`ChatEndpoint.ask`. The same request counts once, because its answer would then be cached.
        """
        request = msgspec.json.encode([messages, parameters, optional, repeat])
        cached = self._endpoint.known(messages, parameters, optional=optional, repeat=repeat)
        if cached is not None and (cached.text or not must_speak) and (is_readable is None or is_readable(cached)):
            self._answer_tokens[request] = cached.answer_tokens
            return cached
        self._prompt_tokens[request] = estimate_tokens(messages)
        return None

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
