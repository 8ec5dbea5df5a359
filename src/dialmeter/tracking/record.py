"""The run of a tracker on disk: its identity, its rows, and its final scores."""

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
"""Number of pairs of gold and predicted value that a run keeps."""


def identity(inputs: Sequence[Mapping[str, str | None]], rules: Rules, measures: Sequence[str]) -> dict[str, Any]:
    """Return the identity of a run: its inputs, rules and measures."""
    return run_identity("tracker", inputs, rules=rules, measures=list(measures))


def row(dialogue: PairDialogue, compared: ComparedDialogue) -> dict[str, Any]:
    """Return the row of a dialogue, as the viewer shows it: utterances, states, and the class of every slot."""
    utterances = {turn.number: turn for turn in dialogue.turns}
    names = compared.pairs.slot_names
    turns = []
    for number, gold, pred, details in compared.details():
        kinds = sorted([(names[slot], kind, carried) for slot, kind, _, carried, _, _ in details])
        turns.append(
            {
                "turn": number,
                "system": utterances[number].system or "",
                "user": utterances[number].user or "",
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
    """Close the run with the scores of the corpus and of each dialogue."""
    turn_measures = [each for each in result.measures if each.used.average == "turn"]
    finish_run(
        writer,
        {**about, **resampling_fields(result.resampling)},
        result,
        signature=result.signature,
        columns={each.text: result.measure_columns.per_dialogue(each.used) for each in turn_measures},
        report=report,
        diagnosis=result.diagnosis,
        mistakes=result.mistakes.worst(_MISTAKES) if result.values_known else [],
    )
