"""A dialogue turn by turn, with what was right, wrong, missed and too much."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import one_line
from ..model import Dialogue, Value
from .classes import Outcome, outcomes
from .prepare import Prepared

SIGNS = {"correct": "=", "wrong": "≠", "missed": "−", "over": "+"}


def lines(dialogue: Dialogue, prepared: Prepared) -> Iterator[str]:
    """The dialogue as plain lines.

    Example:
        >>> from dialmeter.model import Turn
        >>> turn = Turn(0, gold={"hotel-area": "east"}, pred={}, user="In the east.")
        >>> steps = [(0, turn.gold, turn.pred, {}, {})]
        >>> print("\\n".join(lines(Dialogue("d1", (turn,)), Prepared("d1", steps, None))))
        dialogue d1
        turn 0  wrong
          user    In the east.
          − hotel-area: east  (missed)
    """
    yield f"dialogue {one_line(dialogue.id, 80)}"
    said = {turn.number: turn for turn in dialogue.turns}
    for (number, gold, pred, _, _), found in zip(prepared.steps, outcomes(prepared.steps, prepared.agree), strict=True):
        exact = all(outcome.kind == "correct" for outcome in found.values())
        older = not exact and all(outcome.carried or outcome.kind == "correct" for outcome in found.values())
        yield f"turn {number}  {'right' if exact else 'wrong, by older mistakes' if older else 'wrong'}"
        if said[number].system:
            yield f"  system  {one_line(said[number].system, 300)}"
        if said[number].user:
            yield f"  user    {one_line(said[number].user, 300)}"
        for slot, outcome in found.items():
            yield f"  {SIGNS[outcome.kind]} {one_line(slot, 60)}: {_values(gold.get(slot), pred.get(slot), outcome)}"


def _values(gold: Value | None, pred: Value | None, outcome: Outcome) -> str:
    note = f"  ({outcome.kind}{', carried over' if outcome.carried else ''})" if outcome.kind != "correct" else ""
    if outcome.kind == "wrong":
        return f"{_shown(gold)} predicted as {_shown(pred)}{note}"
    return f"{_shown(gold if gold is not None else pred)}{note}"


def _shown(value: Value | None) -> str:
    text = value if isinstance(value, str) else " | ".join(value or ())
    return one_line(text, 80)
