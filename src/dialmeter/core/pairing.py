"""Two systems on the same dialogues, under one measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from ..stats import Comparison

Test: TypeAlias = Literal["randomisation", "bootstrap"]

FEWEST = 5
"""Below so many dialogues no test is made: even the most extreme outcome would not be significant."""


class Versus(Struct, frozen=True):
    """One system against another under one measure; differences are the system's value less the base's."""

    measure: str
    system: str
    base: str
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    wins: int
    ties: int
    losses: int
    reason: str = ""


def why_not(*found: Comparison | None) -> str:
    """The first reason why something is missing; empty if nothing is."""
    return next((each.reason for each in found if each is not None and each.reason), "")


def corrected(found: Sequence[Versus]) -> list[Versus]:
    """The comparisons with p values corrected by Holm over all of them."""
    from msgspec.structs import replace

    from ..stats import holm

    return [replace(each, p_holm=p) for each, p in zip(found, holm([each.p for each in found]), strict=True)]
