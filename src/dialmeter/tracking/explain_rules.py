"""One prediction file under every rule set: which turns flip, and because of which rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ..measure import parse
from ..model import Dialogue, Schema
from ..rules import FIELDS, Rules, named, names
from .frames import frames_of
from .prepare import Preparer
from .scorer import TrackerScorer
from .tally import Lens, walk


class Flip(Struct, frozen=True):
    """A turn that is right under one rule set and wrong under another, and the rules that each make it so."""

    dialogue: str
    turn: int
    right: bool
    because: tuple[str, ...]


class UnderRules(Struct, frozen=True):
    """A file under one rule set, compared with the first."""

    rules: str
    value: float | None
    right_turns: int
    turns: int
    signature: str
    flips: list[Flip]


def explain(
    dialogues: Iterable[Dialogue], rule_sets: Sequence[Rules] | None = None, schema: Schema | None = None
) -> list[UnderRules]:
    """Scores the same dialogues under several rule sets; the first is the one that others are compared with.

    A flip is explained by changing the first rule set's fields into the other's one at a time: those that flip the turn
    alone are named, or all together where it takes more than one.

    Example:
        >>> from dialmeter.model import Turn
        >>> one = Dialogue("d", (Turn(0, gold={"hotel-area": "East"}, pred={"hotel-area": "east"}),))
        >>> found = explain([one], [named("dialmeter"), named("trade")])
        >>> [(each.rules, each.right_turns) for each in found], found[1].flips[0].because
        ([('dialmeter', 1), ('trade', 0)], ('values=as-is',))
    """
    listed = list(dialogues)
    chosen = list(rule_sets or map(named, names()))
    base, *others = chosen
    verdicts = _verdicts(listed, base, schema)
    found = [_scored(listed, base, schema, verdicts, [])]
    for rules in others:
        theirs = _verdicts(listed, rules, schema)
        flipped = {place for place, right in theirs.items() if verdicts.get(place) is not right}
        reasons = _reasons(
            [read for read in listed if any(read.id == name for name, _ in flipped)], base, rules, schema
        )
        flips = [
            Flip(name, number, theirs[name, number], reasons[name, number])
            for name, number in theirs
            if (name, number) in flipped
        ]
        found.append(_scored(listed, rules, schema, theirs, flips))
    return found


Place = tuple[str, int]


def _verdicts(dialogues: Iterable[Dialogue], rules: Rules, schema: Schema | None) -> dict[Place, bool]:
    """Is each turn right under the rules?"""
    preparer = Preparer(rules)
    graded = parse(rules.headline) if rules.stand_ins else None
    right: dict[Place, bool] = {}
    for read in dialogues:
        prepared = preparer.prepare(read)
        if graded is not None:
            # Under a graded rule set a turn is right when all its frames are met in full.
            vectors = [graded.from_frames(frames) for frames in frames_of(read, prepared.steps, schema)]  # type: ignore[attr-defined]
            exact = [all(vector[0] == vector[1] for vector in frames) for frames in vectors]
        else:
            rows = walk(prepared.steps, Lens("paper", "ignore"), prepared.agree)
            exact = [row[0] == row[1] == row[2] for row in rows]
        right.update({(read.id, step[0]): each for step, each in zip(prepared.steps, exact, strict=True)})
    return right


def _reasons(
    dialogues: Sequence[Dialogue], base: Rules, other: Rules, schema: Schema | None
) -> dict[Place, tuple[str, ...]]:
    """For every turn of the dialogues, the single rules of the other set that flip it."""
    target = _verdicts(dialogues, other, schema)
    because: dict[Place, list[str]] = {place: [] for place in target}
    start = _verdicts(dialogues, base, schema)
    differing = [name for name in FIELDS if getattr(base, name) != getattr(other, name)]
    changes: list[tuple[str, dict[str, Any]]] = [
        (f"{name}={other.shown(name)}", {name: getattr(other, name)}) for name in differing
    ]
    if other.stand_ins:
        changes.append(("graded match per frame", {"stand_ins": other.stand_ins, "headline": other.headline}))
    for label, change in changes:
        for place, right in _verdicts(dialogues, msgspec.structs.replace(base, **change), schema).items():
            if right is not start[place] and right is target.get(place):
                because[place].append(label)
    together = " with ".join(label for label, _ in changes) or "no rule"
    return {place: tuple(labels) or (together,) for place, labels in because.items()}


def _scored(
    dialogues: Sequence[Dialogue], rules: Rules, schema: Schema | None, verdicts: dict[Place, bool], flips: list[Flip]
) -> UnderRules:
    scorer = TrackerScorer([rules.headline], rules, schema)
    for read in dialogues:
        scorer.add_dialogue(read)
    score = scorer.result().scores[0]
    return UnderRules(rules.name, score.value, sum(verdicts.values()), len(verdicts), score.signature, flips)
