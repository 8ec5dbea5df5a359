"""What a language model was asked about a reply, and what it said."""

from __future__ import annotations

from msgspec import Struct


class ModelAnswer(Struct, frozen=True, omit_defaults=True):
    """One answer about one reply: what the model wrote, what was read from it, and its tokens.

    Attributes:
        text: what the model wrote.
        score: what was read from it; None with an ``error``.
        error: why there is no score.
        reason: that the model gave.
        reasoning: that the server gave apart from the answer.
        prompt_tokens: of the prompt.
        answer_tokens: of the answer.
    """

    text: str
    score: float | None = None
    error: str = ""
    reason: str = ""
    reasoning: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0


class ModelExchange(Struct, frozen=True):
    """The messages about one reply, and the answers."""

    messages: list[dict[str, str]]
    answers: list[ModelAnswer]
