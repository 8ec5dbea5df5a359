"""Trivial trackers that use only gold: baselines for the values of a measure.

Do not confuse ``late`` and ``copy-previous``. ``late`` predicts at every turn the gold state of the previous turn, so it is
always one turn late. ``copy-previous`` is right until gold first holds a slot; from then on it copies its own previous state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from msgspec import structs

from ..errors import DialmeterError, did_you_mean
from ..model import Dialogue, Frame, State, Turn, dialogue_key
from .pairs import Normaliser
from .rule_sets.rules import Rules

WRONG = "≠"
"""A value that is neither equal nor similar to any other: it has no letter or digit for similarity scorers."""

Predict: TypeAlias = Callable[[Sequence[State], Callable[[State], list[str]], Random], list[State]]
"""A function that returns predicted states. Its arguments: the gold states in the form a tracker predicts, a function that
lists the slots with a value, and a random generator."""


class Trivial(NamedTuple):
    """A trivial tracker."""

    about: str
    predict: Predict


def _copy_previous(gold: Sequence[State], held: Callable[[State], list[str]], rng: Random) -> list[State]:
    start = next((turn for turn, state in enumerate(gold) if held(state)), len(gold))
    return [*gold[:start], *(gold[start] for _ in gold[start:])]


def _one_wrong(gold: Sequence[State], held: Callable[[State], list[str]], rng: Random) -> list[State]:
    slots = sorted({slot for state in gold for slot in held(state)})
    if not slots:
        return list(gold)
    chosen = rng.choice(slots)
    return [{**state, chosen: WRONG} if chosen in held(state) else state for state in gold]


TRIVIAL: Mapping[str, Trivial] = {
    "empty": Trivial("always predicts an empty state", lambda gold, held, rng: [{} for _ in gold]),
    "copy-previous": Trivial("right until gold first holds a slot, then repeats its own state", _copy_previous),
    "late": Trivial(
        "gold of the previous turn; empty at the first turn", lambda gold, held, rng: [{}, *gold[:-1]] if gold else []
    ),
    "one-wrong": Trivial("gold, but one random slot is wrong wherever gold holds it", _one_wrong),
}


def trivial(name: str, rules: Rules, seed: int = 0) -> Callable[[Dialogue], Dialogue]:
    """Return a trivial tracker: a function that replaces the predictions of a dialogue by trivial ones.

    The function removes turns without gold, and predicted intents. The rule set defines which words mean absent. Random choices
    depend only on the seed and the id of the dialogue.

    Raises:
        DialmeterError: there is no such tracker.

    Example:
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> gold = Dialogue("d", (Turn(0, gold={"hotel-area": "east"}), Turn(1, gold={"hotel-area": "west"})))
        >>> [turn.pred for turn in trivial("late", named("dialmeter"))(gold).turns]
        [{}, {'hotel-area': 'east'}]
        >>> [turn.pred for turn in trivial("copy-previous", named("dialmeter"))(gold).turns]
        [{'hotel-area': 'east'}, {'hotel-area': 'east'}]
        >>> trivial("lat", named("dialmeter"))
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: no trivial tracker 'lat'; did you mean late?
    """
    if name not in TRIVIAL:
        raise DialmeterError(f"no trivial tracker {name!r}; {did_you_mean(name, TRIVIAL)}")
    normaliser = Normaliser(rules)

    def held(state: State) -> list[str]:
        return [slot for slot, value in state.items() if not normaliser.absent(value)]

    def replace_predictions(dialogue: Dialogue) -> Dialogue:
        perfect = gold_against_itself(dialogue, normaliser)
        rng = Random(f"{seed} {dialogue_key(dialogue.id)}")
        states = TRIVIAL[name].predict([turn.pred or {} for turn in perfect.turns], held, rng)
        return Dialogue(dialogue.id, tuple(map(_with_prediction, perfect.turns, states)))

    return replace_predictions


def gold_against_itself(dialogue: Dialogue, normaliser: Normaliser) -> Dialogue:
    """Return the dialogue with gold as its prediction, in the form that a tracker would predict.

    Example:
        >>> from dialmeter.model import Turn
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> gold = Dialogue("d", (Turn(0, gold={"hotel-area": ("east", "west"), "hotel-name": "none|a|b"}),))
        >>> gold_against_itself(gold, Normaliser(named("dialmeter"))).turns[0].pred
        {'hotel-area': 'east', 'hotel-name': 'a'}
    """
    turns = tuple(
        structs.replace(
            turn,
            pred={slot: normaliser.spoken(value) for slot, value in turn.gold.items()},
            written=turn.written and (turn.written[0], turn.written[0]),
        )
        for turn in dialogue.turns
        if turn.gold is not None
    )
    return Dialogue(dialogue.id, turns)


def _with_prediction(turn: Turn, pred: State) -> Turn:
    frames = turn.frames and {
        service: Frame(gold_intent=frame.gold_intent, gold_requested=frame.gold_requested)
        for service, frame in turn.frames.items()
    }
    return structs.replace(turn, pred=pred, frames=frames, written=None)
