"""The prompts to a language model about a reply, and its answers."""

from __future__ import annotations

from msgspec import Struct


class ModelAnswer(Struct, frozen=True, omit_defaults=True):
    """One answer about one reply: its text, the parsed score, and the numbers of tokens.

    Attributes:
        text: the text of the answer.
        score: the score that was parsed from it; None with an ``error``.
        error: the reason if there is no score.
        reason: the reason that the model gave for its score.
        reasoning: the reasoning that the server returned separately from the answer.
        prompt_tokens: the number of tokens in the prompt.
        answer_tokens: the number of tokens in the answer.
    """

    text: str
    score: float | None = None
    error: str = ""
    reason: str = ""
    reasoning: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0


class ModelExchange(Struct, frozen=True):
    """The messages to a model about one reply, and its answers."""

    messages: list[dict[str, str]]
    answers: list[ModelAnswer]
