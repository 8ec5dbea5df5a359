"""What judges share that ask a network: when it is loaded, and how it cuts text."""

from __future__ import annotations

from typing import Generic, TypeVar

from .models import Weights

Held = TypeVar("Held", bound=Weights)


class NetworkJudge(Generic[Held]):
    """The base of judges that hold the weights of a network.

    Args:
        weights: are loaded when they are first asked for.
    """

    neural = True

    def __init__(self, weights: Held) -> None:
        self._weights = weights

    def load_weights(self) -> None:
        """Loads what was not needed so far."""
        self._weights.load()

    @property
    def mask(self) -> str:
        """What stands for a hidden token."""
        return self._weights.mask

    def pieces(self, text: str) -> list[str]:
        """The text cut into the network's tokens."""
        return self._weights.pieces(text)
