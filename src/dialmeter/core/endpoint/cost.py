"""Token counts and cost of requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ...errors import DialmeterError, Unfinished, one_line

_CHARACTERS_PER_TOKEN = 4
_PER_MESSAGE = 4
_MILLION = 1e6


class BudgetSpent(Unfinished):
    """The next request may exceed the budget."""


def estimate_tokens(messages: Sequence[Mapping[str, str]]) -> int:
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
        if parts or not (0 <= price.prompt < float("inf") and 0 <= price.answer < float("inf")):
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
