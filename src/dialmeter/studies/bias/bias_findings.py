"""What the bias study finds: plain records, one per correlation."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from .bias_filter import Filter

Limits: TypeAlias = tuple[float, float] | None


class Row(Struct, frozen=True):
    """One dialogue: its mistakes per turn, its traits, and every measure's value."""

    system: str
    dialogue: str
    mistakes: tuple[int, ...]
    traits: dict[str, float]
    values: dict[str, float | None]


class Correlation(Struct, frozen=True, kw_only=True):
    """A trait with a measure. ``partner`` is the measure that the published filter pairs it with."""

    trait: str
    measure: str
    filter: Filter
    r: float | None
    ci: Limits
    n: int
    left_out: int
    reason: str | None
    partner: str | None = None


class Pair(Struct, frozen=True, kw_only=True):
    """A trait with two measures: r(first) − r(second), as published, and |r(first)| − |r(second)|, the strength."""

    trait: str
    first: str
    second: str
    filter: Filter
    first_r: float | None = None
    second_r: float | None = None
    difference: float | None = None
    ci: Limits = None
    strength: float | None = None
    strength_ci: Limits = None
    n: int
    left_out: int
    reason: str | None = None


class Between(Struct, frozen=True, kw_only=True):
    """Two measures with each other."""

    first: str
    second: str
    filter: Filter
    r: float | None
    ci: Limits
    n: int
    left_out: int
    reason: str | None


class Study(Struct, frozen=True, kw_only=True):
    """All that was found on one set of dialogues."""

    system: str
    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    confidence: float
    correlations: tuple[Correlation, ...]
    pairs: tuple[Pair, ...]
    between: tuple[Between, ...]
