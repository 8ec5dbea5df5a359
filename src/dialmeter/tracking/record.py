"""The record of a tracker: what identifies a run, what a row holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.record import finish_run, resampling_fields, run_identity
from ..core.run_writer import RunWriter
from ..readers.pairs.vocabulary import PairDialogue
from .compared import KIND_NAMES, ComparedDialogue
from .result import TrackerResult
from .rule_sets.rules import Rules
from .tally import CORRECT, MISSED, OVER, WRONG

_MISTAKES = 50
"""How many pairs of gold and predicted value a run keeps."""


def identity(inputs: Sequence[Mapping[str, str | None]], rules: Rules, measures: Sequence[str]) -> dict[str, Any]:
    """What makes a run this run."""
    return run_identity("tracker", inputs, rules=rules, measures=list(measures))


def row(dialogue: PairDialogue, compared: ComparedDialogue) -> dict[str, Any]:
    """All that a viewer shows of a dialogue: utterances, states, and the class of every slot."""
    said = {turn.number: turn for turn in dialogue.turns}
    names = compared.pairs.slot_names
    turns = []
    for number, gold, pred, details in compared.details():
        kinds = sorted([(names[slot], kind, carried) for slot, kind, _, carried, _, _ in details])
        turns.append(
            {
                "turn": number,
                "system": said[number].system or "",
                "user": said[number].user or "",
                "gold": gold,
                "pred": pred,
                "exact": not any(kind != CORRECT for _, kind, _ in kinds),
                "slots": {slot: _CLASSES[kind, carried] for slot, kind, carried in kinds},
            }
        )
    return {"id": dialogue.id, "turns": turns}


_CLASSES = {
    (kind, carried): {
        "class": KIND_NAMES[kind],
        "age": None if kind == CORRECT else "carried-over" if carried else "new",
    }
    for kind in (CORRECT, WRONG, MISSED, OVER)
    for carried in (False, True)
}


def finish(writer: RunWriter, result: TrackerResult, about: Mapping[str, Any], report: str) -> None:
    """Closes the run with the scores of the whole and of each dialogue."""
    ranked = [each for each in result.asked if each.used.average == "turn"]
    finish_run(
        writer,
        {**about, **resampling_fields(result.resampling)},
        result,
        signature=result.signature,
        columns={each.text: result.measure_columns.per_dialogue(each.used) for each in ranked},
        report=report,
        diagnosis=result.diagnosis,
        mistakes=result.mistakes.worst(_MISTAKES) if result.values_known else [],
    )
