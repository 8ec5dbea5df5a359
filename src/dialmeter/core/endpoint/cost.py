"""Tokens and money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ...errors import DialmeterError, Unfinished, one_line

_CHARACTERS_PER_TOKEN = 4
_PER_MESSAGE = 4
_MILLION = 1e6


class BudgetSpent(Unfinished):
    """The next request might cost more than what may be spent."""


def estimate_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """The tokens of messages, roughly: a token for four characters, and four for each message.

    Example:
        >>> estimate_tokens([{"role": "user", "content": "How good is this reply?"}])
        10
    """
    return sum(_PER_MESSAGE + tokens_of(each["content"]) for each in messages)


def tokens_of(text: str) -> int:
    """The tokens of a text, roughly.

    Example:
        >>> tokens_of("Rating: 4")
        3
    """
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


class Price(Struct, frozen=True):
    """Money per million tokens.

    Example:
        >>> Price.parse("in=0.15,out=0.6").of(1_000_000, 500_000)
        0.45
    """

    prompt: float
    answer: float

    @classmethod
    def parse(cls, text: str) -> Price:
        """A price as written on the command line.

        Raises:
            DialmeterError: it is written in another way.
        """
        parts = dict(part.strip().split("=", 1) for part in text.split(",") if "=" in part)
        try:
            price = cls(float(parts.pop("in")), float(parts.pop("out")))
        except (KeyError, ValueError):
            price = cls(-1.0, -1.0)
        if parts or not (0 <= price.prompt < float("inf") and 0 <= price.answer < float("inf")):
            raise DialmeterError(f"price {one_line(text)!r}: write money per million tokens, as in in=0.15,out=0.6")
        return price

    def of(self, prompt_tokens: float, answer_tokens: float) -> float:
        """The cost of some tokens."""
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / _MILLION


class Usage(Struct):
    """What an endpoint was used for so far.

    Attributes:
        requests: sent, failed ones included.
        answers: received.
        cached: answers that were known before.
        busy: requests that the server refused because there were too many.
        prompt_tokens: of the answers received.
        answer_tokens: of the answers received.
        estimated: answers whose tokens the server did not count.
    """

    requests: int = 0
    answers: int = 0
    cached: int = 0
    busy: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: int = 0
