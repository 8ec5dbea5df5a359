"""The slots and values that a corpus uses and that stay as they are, made into a decoder that accepts nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import DecodeError
from msgspec.json import Decoder

from ..formats.native import StateDecoder
from ..model import State
from ..normalise import Normaliser

_FEW = 32


class UnusualError(Exception):
    """Something that has to be looked at as a whole: doubled slots, alternatives, other spellings of slots."""


class Vocabulary:
    """Reads objects of pairs that are known to be in order, and learns.

    A decoder whose types list the known slots and values checks both while it decodes. It is built anew when what was
    learned since makes a third of the whole, so that this stays cheap however much there is to learn.

    Args:
        decoder: knows the names of slots.
        normaliser: knows the values that the rules leave as they are.
    """

    def __init__(self, decoder: StateDecoder, normaliser: Normaliser) -> None:
        self._decoder = decoder
        self._normaliser = normaliser
        self._size = 0
        # Nothing is known at first, and no object is a number.
        self.strict: Callable[[bytes], dict[str, str]] = Decoder(int).decode  # type: ignore[assignment]

    def learn(self, text: bytes) -> tuple[dict[str, str], State]:
        """What the strict decoder does not know: an object as it is read, and under the rules.

        Raises:
            UnusualError: a pair that does not stay a pair under the rules, or may need a look at its neighbours.
        """
        try:
            read = self._decoder.fast(text)
        except DecodeError:
            raise UnusualError from None
        if not self._decoder.named.issuperset(read):
            self._decoder.decode_closely(text)
        if "|" in "".join(read.values()) or not self._decoder.named.issuperset(read):
            raise UnusualError
        normal = self._normaliser.gold(read)
        if len(normal) != len(read):
            raise UnusualError
        slots, values = self._decoder.named, self._normaliser.clean
        size = len(slots) + len(values)
        if slots and values and size > _FEW + 3 * self._size // 2:
            self._size = size
            self.strict = Decoder(dict[Literal[tuple(slots)], Literal[tuple(values)]]).decode  # type: ignore[misc]
        return read, normal
