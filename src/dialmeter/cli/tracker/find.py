"""The flow of ``dialmeter find`` for trackers: the slots of every turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ...core.open_runs import is_run
from ...model import dialogue_key, domain_of
from ...readers.pairs.vocabulary import PairDialogue
from ...tracking.compare import keys_by_order, requested_measure, values_by_dialogue
from ...tracking.compared import OUTCOMES, ComparedDialogue, TrackedTurn, dialogue_lines, value_text
from ...tracking.saved_result import saved_result
from ...tracking.scoring import score_file
from .. import options as shared
from ..find import FindRequest, FoundItem, FoundRow, check_values, find_options, find_output
from ..printer import Output
from . import inputs
from .systems import SystemFiles, is_trivial, scoring_arguments


@shared.command("find")
@find_options
@inputs.prediction_options
@inputs.rule_options
def find(**options: Any) -> Output:
    """Find dialogues of trackers by slot, value, turn and outcome, or by the value of a measure."""
    return find_output(rows, options)


def rows(file: str, request: FindRequest) -> Iterator[FoundRow]:
    """Yield the dialogues of a prediction file with the outcome of every slot at every turn."""
    check_values(request, {"outcome": [*OUTCOMES.values(), "failed"]})
    options = dict(request.options)
    arguments = inputs.prediction_arguments(options)
    if arguments["rules"].missing == "error":
        # Turns without a prediction are not found, but they are no reason to find nothing.
        arguments["rules"] = replace(arguments["rules"], missing="skip")
    found: list[FoundRow] = []
    values: dict[str, dict[str, float | None]] = {}

    def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        row = compared.tracked(dialogue)
        items = [_item(turn, slot) for turn in row.turns for slot in turn.slots]
        own = values.setdefault(dialogue_key(dialogue.id), {})
        found.append(FoundRow(dialogue.id, {}, items, own, lambda: dialogue_lines(row)))

    measures = list(request.measures)
    if is_run(file):
        result = saved_result(file, measures, on_row=take)
    else:
        formats = {name: options[name] for name in ("format", "gold_format")}
        first = next((each for each in options["files"] if not is_trivial(each)), None)
        base = SystemFiles(system="", file=first, **formats) if first else None
        system = SystemFiles(system="", file=file, gold=options["gold"], **formats)
        arguments |= scoring_arguments(system, arguments["rules"], base=base)
        result = score_file(**arguments, measures=measures or None, on_row=take)
    keys = keys_by_order(result) if request.measures else []
    for measure in request.measures:
        for key, value in zip(keys, values_by_dialogue(result, requested_measure(result, measure)), strict=True):
            values[key][measure] = value
    yield from found


def _item(turn: TrackedTurn, slot: str) -> FoundItem:
    outcome = OUTCOMES[turn.slots[slot].kind]
    values = [value_text(side[slot]) for side in (turn.gold, turn.pred) if slot in side]
    facts = {
        "turn": str(turn.turn),
        "slot": slot,
        "domain": domain_of(slot),
        "value": values,
        "outcome": [outcome, *(["failed"] if outcome != "right" else [])],
    }
    text = " as ".join(map(repr, values if outcome == "wrong" else values[:1]))
    return FoundItem((turn.turn, slot), facts, f"turn {turn.turn} {slot} {outcome}: {text}")
