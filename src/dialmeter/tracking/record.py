"""A tracker's run on disk: what a row holds, and what identifies the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins

from ..model import Dialogue, Value
from ..rules import Rules
from ..runs import RunWriter
from .classes import outcomes
from .prepare import Prepared
from .result import TrackerResult, score_dict


def identity(inputs: Sequence[dict[str, str | None]], rules: Rules, measures: Sequence[str]) -> dict[str, Any]:
    """What makes a run this run."""
    return {"kind": "tracker", "inputs": list(inputs), "rules": to_builtins(rules), "measures": list(measures)}


def row(dialogue: Dialogue, prepared: Prepared) -> dict[str, Any]:
    """All that a viewer shows of a dialogue: utterances, states, and the class of every slot."""
    said = {turn.number: turn for turn in dialogue.turns}
    found = outcomes(prepared.steps, prepared.agree)
    return {
        "id": dialogue.id,
        "turns": [
            {
                "turn": number,
                "system": said[number].system,
                "user": said[number].user,
                "gold": _plain(gold),
                "pred": _plain(pred),
                "exact": all(outcome.kind == "correct" for outcome in slots.values()),
                "slots": {
                    slot: {"class": outcome.kind, "age": _age(outcome.kind, outcome.carried)}
                    for slot, outcome in slots.items()
                },
            }
            for (number, gold, pred, _, _), slots in zip(prepared.steps, found, strict=True)
        ],
    }


def _age(kind: str, carried: bool) -> str | None:
    return None if kind == "correct" else "carried-over" if carried else "new"


def _plain(state: Any) -> dict[str, Value]:
    return dict(state)


def finish(writer: RunWriter, result: TrackerResult, about: dict[str, Any], report: str) -> None:
    """Closes the run with the scores of the whole and of each dialogue."""
    ranked = [each for each in result.asked if each.used.average == "turn"]
    columns = {each.text: result.ledger.per_dialogue(each.used) for each in ranked}
    manifest = {
        **about,
        "seed": result.resampling.seed if result.resampling else None,
        "intervals": to_builtins(result.resampling),
        "signature": result.signature,
        "counts": result.counts,
        "scores": [score_dict(score) for score in result.scores],
        "warnings": [to_builtins(notice) for notice in result.notices],
    }
    writer.finish(manifest, columns, {"report.md": report})
