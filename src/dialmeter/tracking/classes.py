"""What kind of mistake each slot of each turn is, and whether it is new or carried over from an older turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from ..model import State, Value
from .tally import Agree, Step, overlap

Kind: TypeAlias = Literal["correct", "wrong", "missed", "over"]


class Outcome(NamedTuple):
    """One slot at one turn; a mistake is carried over when it stood at the turn before and neither side touched it."""

    kind: Kind
    carried: bool


def outcomes(steps: Iterable[Step], agree: Agree | None = None) -> list[dict[str, Outcome]]:
    """For every turn, every slot that gold or prediction hold.

    Example:
        >>> steps = [(0, {"a": "1", "b": "2"}, {"a": "1"}, {}, {}), (1, {"a": "1", "b": "2"}, {"a": "3"}, {}, {})]
        >>> [(slot, *outcome) for slot, outcome in outcomes(steps)[1].items()]
        [('a', 'wrong', False), ('b', 'missed', True)]
    """
    result: list[dict[str, Outcome]] = []
    gold: State = {}
    pred: State = {}
    before: dict[str, Outcome] = {}
    for _, gold_now, pred_now, _, _ in steps:
        now: dict[str, Outcome] = {}
        for slot in sorted(gold_now.keys() | pred_now.keys()):
            kind = _kind(slot, gold_now, pred_now, agree)
            untouched = _same(gold.get(slot), gold_now.get(slot)) and pred.get(slot) == pred_now.get(slot)
            older = slot in before and before[slot].kind == kind != "correct" and untouched
            now[slot] = Outcome(kind, older)
        result.append(now)
        gold, pred, before = gold_now, pred_now, now
    return result


def _same(before: Value | None, now: Value | None) -> bool:
    """Did gold not change? Two sets of alternatives that overlap are no change."""
    return before == now or (before is not None and now is not None and overlap(before, now))


def _kind(slot: str, gold: State, pred: State, agree: Agree | None) -> Kind:
    if slot not in pred:
        return "missed"
    if slot not in gold:
        return "over"
    right = gold[slot] == pred[slot] if agree is None else agree(gold[slot], pred[slot])
    return "correct" if right else "wrong"
