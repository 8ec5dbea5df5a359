"""The calls of Python whose results are kept; the expressions are in ``town/python.txt``: tracker results, ``TrackerScorer``, ``read``, runs, measures, rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dialmeter
from dialmeter.measure import parse
from dialmeter.tracking.scorer import TrackerScorer

from ..scoring import score_tracker
from .execution import Case, Outcome, normalise, stand_in

FEW = ["JGA", "FGA(lam=0.5)", "GCA", "SlotF1"]
GOLD: dict[str, Any] = {
    "d1": [
        {"hotel-area": "east"},
        {"hotel-area": "east", "taxi-to": ["a-b", "a b"]},
        {"taxi-to": "a-b", "hotel-stars": 4},
    ],
    "d2": [{}, {"train-leaveAt": "dontcare"}],
}
PRED: dict[str, Any] = {
    "d1": [{"hotel-area": "East"}, {"hotel-area": "west", "taxi-to": "a b"}, {"taxi-to": "a-b", "hotel-stars": "4"}],
    "d2": [{"pub-name": "none"}, {"train-leaveat": "do not care"}],
}


def as_json(value: Any) -> str:
    """Anything as text, one item per line."""
    return json.dumps(value, indent=1, ensure_ascii=False, default=repr) + "\n"


def show_scores(scores: Iterable[Any]) -> list[str]:
    """Scores in one line each."""
    return [
        f"{score.measure} {score.value!r} {score.ci!r} n={score.n} unscored={score.unscored} {score.group} {score.signature}"
        for score in scores
    ]


def show_result(result: Any, *groups: str) -> str:
    """All that a result says."""
    return as_json(
        {
            "value": result.value,
            "scores": show_scores(result.scores),
            "signature": result.signature,
            "counts": result.counts,
            "worst": [re.sub(r"^\w+", "", repr(each)) for each in result.worst(3)],
            "dicts": result.to_dicts(),
            **{group: show_scores(result.by(group)) for group in groups},
        }
    )


def show_dialogues(dialogues: Iterable[Any]) -> str:
    """Dialogues turn by turn."""
    return "".join(
        f"{found.id} {turn.number} {dict(turn.gold) if turn.gold is not None else None!r} "
        f"{dict(turn.pred) if turn.pred is not None else None!r} {turn.user!r} {turn.system!r}\n"
        for found in dialogues
        for turn in found.turns
    )


def score_by_turns(**options: Any) -> str:
    """A scorer that is fed dialogue by dialogue."""
    scorer = TrackerScorer(FEW, **options)
    for name, states in GOLD.items():
        scorer.add(name, states, PRED[name])
    return show_result(scorer.result())


NAMES = {
    **{each.__name__: each for each in (dialmeter, parse, score_tracker, TrackerScorer, Path)},
    **{each.__name__: each for each in (as_json, show_result, show_dialogues, score_by_turns)},
    **{"FEW": FEW, "GOLD": GOLD, "PRED": PRED},
}
"""What expressions may name."""


def call(case: Case, folder: Path) -> Outcome:
    """Evaluates an expression in a folder; an error is kept by its kind and message."""
    with stand_in(folder):
        try:
            outcome = Outcome(0, {"result": eval(case.words, NAMES)})
        except Exception as error:
            outcome = Outcome(2, {"error": f"{type(error).__name__}: {error}\n"})
    return Outcome(outcome.code, {place: normalise(text, folder) for place, text in outcome.texts.items()})
