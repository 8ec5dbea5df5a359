"""A dialogue turn by turn, with what was right, wrong, missed and too much."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import one_line
from ..model import Value
from ..readers.pairs.vocabulary import PairDialogue
from .compared import KIND_NAMES, ComparedDialogue, SlotOutcome
from .tally import CORRECT, WRONG

SIGNS = {"correct": "=", "wrong": "≠", "missed": "−", "over": "+"}


def lines(dialogue: PairDialogue, compared: ComparedDialogue) -> Iterator[str]:
    """The dialogue as plain lines."""
    yield f"dialogue {one_line(dialogue.id, 80)}"
    said = {turn.number: turn for turn in dialogue.turns}
    for turn in compared.turns:
        number = turn.number
        older = not turn.exact and all(each.carried or each.kind == CORRECT for each in turn.slots)
        yield f"turn {number}  {'right' if turn.exact else 'wrong, by older mistakes' if older else 'wrong'}"
        if said[number].system:
            yield f"  system  {one_line(said[number].system, 300)}"
        if said[number].user:
            yield f"  user    {one_line(said[number].user, 300)}"
        for each in turn.slots:
            yield f"  {SIGNS[KIND_NAMES[each.kind]]} {one_line(each.slot, 60)}: {_values(each)}"


def _values(outcome: SlotOutcome) -> str:
    if outcome.kind == CORRECT:
        return _shown(outcome.gold)
    note = f"  ({KIND_NAMES[outcome.kind]}{', carried over' if outcome.carried else ''})"
    if outcome.kind == WRONG:
        return f"{_shown(outcome.gold)} predicted as {_shown(outcome.pred)}{note}"
    return f"{_shown(outcome.gold if outcome.gold is not None else outcome.pred)}{note}"


def _shown(value: Value | None) -> str:
    text = value if isinstance(value, str) else " | ".join(value or ())
    return one_line(text, 80)
