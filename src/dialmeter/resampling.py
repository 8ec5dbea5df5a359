"""How intervals and tests are made from drawing dialogues again."""

from __future__ import annotations

from msgspec import Struct


class Resampling(Struct, frozen=True):
    """How intervals and tests are made; the same seed gives the same resamples."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 12345
