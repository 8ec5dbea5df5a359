"""The dialogues on which two measures, or two systems, disagree most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean
from ..measure import parse
from .compare import keys_by_order, values_by_dialogue
from .resolve_measures import Asked
from .result import TrackerResult


class Disagreement(Struct, frozen=True):
    """A dialogue with the two values; between measures the gap is one of ranks, between systems one of values."""

    dialogue: str
    system: str
    first: str
    second: str
    first_value: float
    second_value: float
    gap: float


def between_measures(name: str, result: TrackerResult, first: Asked, second: Asked, most: int) -> list[Disagreement]:
    """Dialogues whose rank under one measure is far from that under the other.

    Ranks, as shares of the dialogues, are compared because measures have different scales.
    """
    scored = [
        (key, one, other)
        for key, one, other in zip(
            keys_by_order(result), values_by_dialogue(result, first), values_by_dialogue(result, second), strict=True
        )
        if one is not None and other is not None
    ]
    ones, others = _shares([one for _, one, _ in scored]), _shares([other for _, _, other in scored])
    found = [
        Disagreement(key, name, first.text, second.text, one, other, abs(above - below))
        for (key, one, other), above, below in zip(scored, ones, others, strict=True)
    ]
    return _most(found, most)


def between_systems(
    systems: Mapping[str, TrackerResult], first: str, second: str, measure: str, most: int
) -> list[Disagreement]:
    """Dialogues that one system handles far better than the other."""
    one, other = systems[first], systems[second]
    pairs = zip(
        keys_by_order(one),
        values_by_dialogue(one, asked_for(one, measure)),
        values_by_dialogue(other, asked_for(other, measure)),
        strict=True,
    )
    found = [
        Disagreement(key, f"{first} / {second}", first, second, mine, theirs, abs(mine - theirs))
        for key, mine, theirs in pairs
        if mine is not None and theirs is not None
    ]
    return _most(found, most)


def asked_for(result: TrackerResult, measure: str) -> Asked:
    """A measure that was asked for, by any spelling of it.

    Raises:
        DialmeterError: it was not.
    """
    wanted = repr(parse(measure))
    for each in result.asked:
        if each.text == wanted:
            return each
    raise DialmeterError(f"{measure} was not asked for; {did_you_mean(wanted, [each.text for each in result.asked])}")


def _most(found: Sequence[Disagreement], most: int) -> list[Disagreement]:
    apart = [each for each in found if each.gap > 0]
    return sorted(apart, key=lambda each: (-each.gap, each.dialogue))[:most]


def _shares(values: Sequence[float]) -> list[float]:
    """The mean rank of each value as a share of all; equal values share theirs."""
    from scipy.stats import rankdata

    return [float(rank) / len(values) for rank in rankdata(values)] if values else []
