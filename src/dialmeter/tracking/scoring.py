"""Scoring a tracker in one call, from files or from what is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.comparison import Resampling
from ..errors import DialmeterError
from ..measure import Measure
from ..readers.corpus import open_corpus
from ..readers.pairs.state_layouts import ANY
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.parts import Role, dialogue, sided
from ..readers.services.schema import read_schema
from ..rules import Rules
from .align import joined
from .breakdown import By
from .result import TrackerResult
from .scorer import TrackerScorer, paused_garbage_collection, score_file, states_of

States = str | Path | Mapping[str, Sequence[Mapping[str, Any]]] | Sequence[Sequence[Mapping[str, Any]]]


def score_tracker(
    gold: States,
    pred: States | None = None,
    measures: Sequence[str | Measure] | None = None,
    rules: str | Path | Rules = "dialmeter",
    *,
    schema: str | None = None,
    by: Sequence[By] = ("domain", "slot"),
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> TrackerResult:
    """Scores predictions against gold.

    Args:
        gold: a file; or a mapping from dialogue to its list of states; or a list of such lists.
        pred: likewise; may be left out where the file of ``gold`` holds both.
        measures: such as ``["JGA", "FGA(lam=0.5)"]``; without it the measures of the rule set.
        rules: a rule set, its name, or a TOML file.
        schema: a schema file.
        by: the breakdowns that ``result.by`` will be asked for.
        ci: the confidence of the intervals; 0 for none.
        resamples: how often dialogues are drawn for them.
        seed: of the draw.

    Example:
        >>> gold = {"d1": [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-stars": "4"}]}
        >>> pred = {"d1": [{"hotel-area": "east"}, {"hotel-area": "east"}]}
        >>> score_tracker(gold, pred, ["JGA"]).scores[0].value
        0.5
        >>> score_tracker([{"hotel-area": "east"}], [{"hotel-area": "east"}])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: gold is a flat list of states; wrap each dialogue's states in a list of its own: [[state, state, ...], ...]

    Raises:
        DialmeterError: input that cannot be scored, with its place.
    """
    if not 0 <= ci < 1:
        raise DialmeterError(f"ci lies between 0 and 1, as in 0.95, not {ci}")
    how = Resampling(ci, resamples, seed) if ci else None
    if isinstance(gold, str | Path) and isinstance(pred, str | Path | None):
        path, gold_path = (str(gold), None) if pred is None else (str(pred), str(gold))
        return score_file(path, gold_path, measures=measures, rules=rules, schema=schema, by=by, resampling=how)
    if pred is None:
        raise DialmeterError("pred is missing; it may be omitted only where gold is a file that holds both")
    scorer = TrackerScorer(measures, rules, read_schema(schema) if schema else None, by)
    words = scorer.vocabulary
    with paused_garbage_collection():
        for read in joined(_dialogues(gold, Role.GOLD, words), _dialogues(pred, Role.PRED, words)):
            scorer.add_pairs(read)
    return scorer.result(resampling=how)


def _dialogues(given: States, role: Role, words: Vocabulary) -> Iterable[PairDialogue]:
    if isinstance(given, str | Path):
        return open_corpus(given, role).numbered(words)
    name = role.value
    if isinstance(given, Mapping):
        pairs = [(str(key), states) for key, states in given.items()]
    else:
        listed = list(given)
        if listed and all(isinstance(each, Mapping) for each in listed):
            raise DialmeterError(
                f"{name} is a flat list of states; wrap each dialogue's states in a list of its own: [[state, state, ...], ...]"
            )
        pairs = [(str(position), states) for position, states in enumerate(listed)]
    return (
        words.number_dialogue(
            dialogue(key, [sided(role, number, state) for number, state in enumerate(states_of(states, key, name))]),
            ANY,
        )
        for key, states in pairs
    )
