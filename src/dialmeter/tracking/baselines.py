"""Trackers that need no training, as yardsticks: what does a measure give for next to nothing?

Each is made from gold alone. ``late`` and ``copy-previous`` are easily confused: the first says at every turn what was
true one turn before, and so is always one turn behind; the second is right until the user first says something, and
from then on copies its own previous state, so that it falls behind for good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from msgspec import structs

from ..errors import DialmeterError, did_you_mean
from ..model import Dialogue, Frame, State, Turn, dialogue_key
from ..normalise import Normaliser
from ..rules import Rules

WRONG = "≠"
"""A value that equals no other, and resembles none: similarity scorers find no letter or digit in it."""

Predict: TypeAlias = Callable[[Sequence[State], Callable[[State], list[str]], Random], list[State]]
"""From gold states as a tracker would say them, what names the slots of a state that hold a value, and a source of
chance, to predicted states."""


class Trivial(NamedTuple):
    """A trivial tracker."""

    about: str
    predict: Predict


def _empty(gold: Sequence[State], held: Callable[[State], list[str]], chance: Random) -> list[State]:
    return [{} for _ in gold]


def _late(gold: Sequence[State], held: Callable[[State], list[str]], chance: Random) -> list[State]:
    return [{}, *gold[:-1]] if gold else []


def _copy_previous(gold: Sequence[State], held: Callable[[State], list[str]], chance: Random) -> list[State]:
    first = next((state for state in gold if held(state)), {})
    start = next((turn for turn, state in enumerate(gold) if held(state)), len(gold))
    return [*gold[:start], *(first for _ in gold[start:])]


def _one_wrong(gold: Sequence[State], held: Callable[[State], list[str]], chance: Random) -> list[State]:
    slots = sorted({slot for state in gold for slot in held(state)})
    if not slots:
        return list(gold)
    chosen = chance.choice(slots)
    return [{**state, chosen: WRONG} if chosen in held(state) else state for state in gold]


TRIVIAL: Mapping[str, Trivial] = {
    "empty": Trivial("predicts nothing, ever", _empty),
    "copy-previous": Trivial("right until gold first holds a slot, then repeats its own state", _copy_previous),
    "late": Trivial("gold of the turn before; nothing at the first turn", _late),
    "one-wrong": Trivial("gold, but one slot, drawn by the seed, is wrong wherever gold holds it", _one_wrong),
}


def trivial(name: str, rules: Rules, seed: int = 0) -> Callable[[Dialogue], Dialogue]:
    """A trivial tracker: takes a dialogue with gold, gives it back with the trivial prediction.

    Turns without gold are left out, and so is what a file says of predicted intents. What is drawn by chance depends on
    the seed and the dialogue's id alone.

    Args:
        name: one of ``TRIVIAL``.
        rules: how the prediction will be compared; says which words mean absent.
        seed: of random choices.

    Raises:
        DialmeterError: no such tracker.

    Example:
        >>> from dialmeter.rules import named
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

    def replaced(dialogue: Dialogue) -> Dialogue:
        said = gold_against_itself(dialogue, normaliser)
        chance = Random(f"{seed} {dialogue_key(dialogue.id)}")
        states = TRIVIAL[name].predict([turn.pred or {} for turn in said.turns], held, chance)
        return Dialogue(dialogue.id, tuple(map(_with, said.turns, states)))

    return replaced


def gold_against_itself(dialogue: Dialogue, normaliser: Normaliser) -> Dialogue:
    """The same dialogue with gold in the place of the prediction, as a tracker would have to say it.

    Example:
        >>> from dialmeter.model import Turn
        >>> from dialmeter.rules import named
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


def _with(turn: Turn, pred: State) -> Turn:
    frames = turn.frames and {
        service: Frame(gold_intent=frame.gold_intent, gold_requested=frame.gold_requested)
        for service, frame in turn.frames.items()
    }
    return structs.replace(turn, pred=pred, frames=frames, written=None)
