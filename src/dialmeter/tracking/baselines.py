"""Trivial trackers, made from gold alone, as a baseline for the values of a measure; and a tracker scored with them.

``late`` and ``copy-previous`` are easily confused: the first predicts at every turn the gold state of the turn before, and
so is always one turn behind; the second is right until the user first says something, and from then on copies its own
previous state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from msgspec import structs

from ..core.comparison import Resampling
from ..errors import DialmeterError, did_you_mean
from ..measure import parse
from ..model import Dialogue, Frame, State, Turn, dialogue_key
from ..readers.pairs.vocabulary import PairDialogue
from ..readers.services.schema import read_schema
from .align import WatchDialogues, open_pair, unwatched
from .compared import ComparedDialogue
from .result import TrackerResult
from .rule_sets.normalise import Normaliser
from .rule_sets.rules import Rules
from .scorer import TrackerScorer
from .scoring import read_into

WRONG = "≠"
"""A value that equals no other, and resembles none: similarity scorers find no letter or digit in it."""

Predict: TypeAlias = Callable[[Sequence[State], Callable[[State], list[str]], Random], list[State]]
"""Gold states as a tracker would predict them, a function that names the slots with a value, a random generator →
predicted states."""


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
    """A trivial tracker: a function from a dialogue with gold to the same dialogue with the trivial prediction.

    Turns without gold and predicted intents are dropped. Random choices depend on the seed and the dialogue's id alone.

    Args:
        name: one of ``TRIVIAL``.
        rules: how the prediction will be compared; they define which words mean absent.
        seed: of random choices.

    Raises:
        DialmeterError: no such tracker.

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

    def replaced(dialogue: Dialogue) -> Dialogue:
        said = gold_against_itself(dialogue, normaliser)
        chance = Random(f"{seed} {dialogue_key(dialogue.id)}")
        states = TRIVIAL[name].predict([turn.pred or {} for turn in said.turns], held, chance)
        return Dialogue(dialogue.id, tuple(map(_with, said.turns, states)))

    return replaced


def gold_against_itself(dialogue: Dialogue, normaliser: Normaliser) -> Dialogue:
    """The same dialogue with gold as the prediction, in the form that a tracker would have to predict.

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


def _with(turn: Turn, pred: State) -> Turn:
    frames = turn.frames and {
        service: Frame(gold_intent=frame.gold_intent, gold_requested=frame.gold_requested)
        for service, frame in turn.frames.items()
    }
    return structs.replace(turn, pred=pred, frames=frames, written=None)


class MeasuredTracker(NamedTuple):
    """A tracker's result, and those of trivial trackers on the same gold."""

    result: TrackerResult
    yardsticks: dict[str, TrackerResult]
    format: str


def score_with_yardsticks(
    path: str,
    gold: str | None = None,
    *,
    names: Sequence[str] = (),
    seed: int = 0,
    format: str | None = None,
    gold_format: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    measures: Sequence[str] | None = None,
    rules: Rules,
    resampling: Resampling | None = None,
    watch: WatchDialogues = unwatched,
) -> MeasuredTracker:
    """Scores a prediction file, and trivial trackers on its gold.

    Trivial trackers answer the turns that count for the tracker: all with gold, or, where rules skip turns without
    prediction, those with one.

    Args:
        path: predictions, with gold or without.
        gold: the file with gold states, where the first has none.
        names: the trivial trackers.
        seed: of what trivial trackers draw.
        format: the format of the predictions; detected if not given.
        gold_format: the format of gold.
        schema: a schema file.
        only: keys of the dialogues to score.
        measures: what to compute; without it the measures of the rule set.
        rules: a rule set.
        resampling: how intervals of the tracker's scores are made.
        watch: wraps the dialogues, for a progress bar.

    Raises:
        DialmeterError: the file has no values, so that kinds of mistakes cannot be counted.
        InputError: whatever is wrong with a file, with its place.
    """
    trackers = {name: trivial(name, rules, seed) for name in names}
    parsed = [parse(measure) for measure in measures or rules.measures]
    corpus, gold_corpus = open_pair(path, gold, format, gold_format)
    if corpus.correctness_only:
        corpus.close()
        raise DialmeterError(
            f"{corpus.name}: the file says only which slots are right; counting missed, wrong and over needs values"
        )
    known = read_schema(schema) if schema else None
    scorer = TrackerScorer(parsed, rules, known)
    # Gold that is cumulative stays so in a trivial prediction, whatever the tracker's own states are.
    plain = structs.replace(rules, state="cumulative") if rules.state == "update-pred" else rules
    words = scorer.vocabulary
    scorers = {name: TrackerScorer(parsed, plain, known, vocabulary=words) for name in names}

    def predict(read: PairDialogue, compared: ComparedDialogue) -> None:
        kept = words.plain(read)
        if rules.skips_missing:
            kept = Dialogue(kept.id, tuple(turn for turn in kept.turns if turn.pred is not None))
        for name, tracker in trackers.items():
            scorers[name].schema = scorer.schema
            scorers[name].add_pairs(words.with_predictions(read, tracker(kept)))

    read_into(scorer, corpus, gold_corpus, only=only, sink=predict if trackers else None, watch=watch)
    notices = [*corpus.notices, *(gold_corpus.notices if gold_corpus else [])]
    result = scorer.result(corpus.name, notices, resampling, only)
    trivials = {name: each.result(corpus.name) for name, each in scorers.items()}
    return MeasuredTracker(result, trivials, corpus.format)
