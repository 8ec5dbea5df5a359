"""What asking a chat endpoint would take, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from .answers import ChatAnswer
from .client import ChatEndpoint, Messages, Readable
from .cost import estimate_tokens

ANSWER_TOKENS = 60
"""Of an answer in JSON or in a sentence or two, as long as no answer is known."""


class CostEstimate(Struct, frozen=True, kw_only=True):
    """What a command would ask an endpoint for.

    Attributes:
        model: the name of the model.
        replies: how many replies or dialogues a judge would be asked about; absent where no judge is asked.
        calls: requests that would be sent, if none fails.
        cached: answers that are known already.
        prompt_tokens: of the calls, with four characters for a token.
        answer_tokens: of the calls, from the mean of the known answers, or a guess.
        cost: None without a price.
    """

    model: str
    replies: int | UnsetType = UNSET
    calls: int
    cached: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None


class DryRun:
    """Counts requests instead of sending them.

    Args:
        endpoint: that would be asked; its cache is read.
        answer_tokens: the length of an answer, as long as no answer is known.

    Example:
        >>> counter = DryRun(ChatEndpoint("http://127.0.0.1:8000/v1", "small"))
        >>> counter.ask([{"role": "user", "content": "How good is this reply?"}]) is None
        True
        >>> counter.estimate.calls, counter.estimate.prompt_tokens
        (1, 10)
    """

    def __init__(self, endpoint: ChatEndpoint, answer_tokens: int = ANSWER_TOKENS) -> None:
        self._endpoint, self._guess = endpoint, answer_tokens
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
        """The answer that would be taken from the cache; None for a request that would be sent.

        The arguments are those of :meth:`ChatEndpoint.ask`. The same request counts once, because its answer is then known.
        """
        request = msgspec.json.encode([messages, parameters, optional, repeat])
        known = self._endpoint.known(messages, parameters, optional=optional, repeat=repeat)
        if known is not None and (known.text or not must_speak) and (is_readable is None or is_readable(known)):
            self._answer_tokens[request] = known.answer_tokens
            return known
        self._prompt_tokens[request] = estimate_tokens(messages)
        return None

    @property
    def estimate(self) -> CostEstimate:
        """What all requests so far would take."""
        calls, known = len(self._prompt_tokens), list(self._answer_tokens.values())
        tokens = sum(self._prompt_tokens.values())
        answer_tokens = round(calls * (sum(known) / len(known) if known else self._guess))
        price = self._endpoint.price
        return CostEstimate(
            model=self._endpoint.model,
            calls=calls,
            cached=len(known),
            prompt_tokens=tokens,
            answer_tokens=answer_tokens,
            cost=price.of(tokens, answer_tokens) if price else None,
        )
