"""A scorer and metrics for Inspect (``inspect_ai``). One sample is one turn, and its target is the gold state as JSON.

The metadata of a sample has its dialogue and turn: ``{"dialogue": "MUL0003.json", "turn": 0}``. The predicted state is parsed
from the model's answer, as in files of model outputs. An answer without a readable state counts as an empty state.
"""

from __future__ import annotations

from collections.abc import Sequence
from logging import getLogger
from math import nan
from typing import Any

from ..errors import DialmeterError, InputError, MissingExtra
from ..readers.completions import state_in
from ..readers.strict_json import parse_unique
from ..readers.validation import as_mapping, turn_number
from ..tracking.rule_sets.rules import load
from ..tracking.scorer import TrackerScorer

try:
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
    from inspect_ai.solver import TaskState
except ModuleNotFoundError:
    raise MissingExtra("dialmeter.integrations.inspect_ai", package="inspect_ai") from None

_log = getLogger(__name__)


def measured(scores: Sequence[SampleScore], measure: str, rules: str) -> float:
    """Compute a measure of trackers over the scored turns.

    Args:
        scores: the scores of ``dialogue_state``, in any order.
        measure: a measure, such as ``FGA(lam=0.5)``.
        rules: a rule set.

    Example:
        >>> turn = {"dialogue": "d", "turn": 0, "gold": {"taxi-to": "park"}, "pred": {"taxi-to": "Park"}}
        >>> measured([SampleScore(score=Score(value=1, metadata=turn))], "GCA", "dialmeter")
        1.0

    Raises:
        InputError: a turn has two scores, or has no score although a later turn has one.
    """
    turns: dict[str, dict[int, dict[str, Any]]] = {}
    for each in scores:
        turn = each.score.metadata or {}
        if "gold" not in turn:
            raise InputError(f"sample {each.sample_id} has no score of dialogue_state()")
        if turn["turn"] in turns.setdefault(turn["dialogue"], {}):
            raise InputError("several answers: run with one epoch", dialogue=turn["dialogue"], turn=turn["turn"])
        turns[turn["dialogue"]][turn["turn"]] = turn
    tracker = TrackerScorer([measure], rules)
    for name, by_number in turns.items():
        numbers = sorted(by_number)
        for expected, number in enumerate(numbers, numbers[0]):
            if number != expected:
                raise InputError("no score, but later turns have one", dialogue=name, turn=expected)
        tracker.add(name, *([by_number[number][side] for number in numbers] for side in ("gold", "pred")))
    value = tracker.result().value
    return nan if value is None else value


# Unreduced, because the mean of several answers (epochs) to a sample is not a state.
@metric(scores="unreduced")
def dialogue_measure(measure: str, rules: str = "dialmeter") -> Metric:
    """Any measure of ``dialmeter score`` over all dialogues; NaN if it has no value.

    Inspect also computes metrics while samples are still missing. Therefore the reason is logged at level INFO, not as a warning.

    Args:
        measure: a measure, such as ``FGA(lam=0.5)``.
        rules: the rule set of the scorer.

    Example:
        >>> turn = {"dialogue": "d", "turn": 0, "gold": {"taxi-to": "park"}, "pred": {"taxi-to": "Park"}}
        >>> dialogue_measure("FGA(lam=0.5)")([SampleScore(score=Score(value=1, metadata=turn))])
        1.0
    """

    def compute(scores: list[SampleScore]) -> float:
        try:
            return measured(scores, measure, rules)
        except DialmeterError as error:
            _log.info("%s has no value: %s", measure, error)
            return nan

    return compute


@metric(scores="unreduced")
def jga() -> Metric:
    """JGA: the share of turns whose predicted state is the gold state. With several epochs, the mean over them."""
    compute: Metric = mean()
    return compute


@metric(scores="unreduced")
def gca(rules: str = "dialmeter") -> Metric:
    """GCA over all dialogues."""
    compute: Metric = dialogue_measure("GCA", rules)
    return compute


@metric(scores="unreduced")
def unparsed() -> Metric:
    """Number of answers without a readable state, which count as empty states."""

    def compute(scores: list[SampleScore]) -> int:
        return sum((each.score.metadata or {}).get("unparsed", False) for each in scores)

    return compute


@scorer(metrics=[jga(), gca(), unparsed()])
def dialogue_state(rules: str = "dialmeter") -> Scorer:
    """Score 1 if the state in the model's answer equals the gold state under the rules, and 0 otherwise.

    Args:
        rules: a rule set, or a TOML file.
    """
    rule_set = load(rules)

    async def score(state: TaskState, target: Target) -> Score:
        name, number = _dialogue_and_turn(state)
        try:
            gold = as_mapping(parse_unique(target.text.encode(), None), "the target")
            answer = state_in(state.output.completion)
            tracker = TrackerScorer(["JGA"], rule_set)
            tracker.add(name, [gold], [answer or {}])
        except InputError as error:
            # Inspect would show the message of an InputError without its place.
            raise DialmeterError(str(error.at(dialogue=name, turn=number))) from None
        return Score(
            value=tracker.result().value or 0.0,
            answer=state.output.completion,
            explanation="no readable state in the answer; it counts as an empty state" if answer is None else None,
            metadata={
                "dialogue": name,
                "turn": number,
                "gold": gold,
                "pred": answer or {},
                "unparsed": answer is None,
            },
        )

    return score


def _dialogue_and_turn(state: TaskState) -> tuple[str, int]:
    """Return the dialogue and the turn of a sample."""
    for key in ("dialogue", "turn"):
        if key not in state.metadata:
            raise InputError(f"sample {state.sample_id} has no {key!r} in its metadata")
    return str(state.metadata["dialogue"]), turn_number(state.metadata["turn"])
