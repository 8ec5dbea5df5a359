"""Score one prediction file under several rule sets, and explain by which rule a turn becomes right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from ...core.account import Account
from ...errors import DialmeterError, NotApplicable
from ...garbage import paused_garbage_collection
from ...model import Schema, Value
from ...readers.corpus import gold_values
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..compared import ComparedDialogue
from ..diagnosis.findings import Findings
from ..pairs import PairRules
from ..scorer import TrackerScorer, why_not_applicable
from ..walk import Walk
from .rules import FIELDS, Rules, named, names


class FlippedSlot(Struct, frozen=True):
    """A slot that makes a turn wrong, with its values under the rule set under which the turn is wrong."""

    slot: str
    gold: Value | None
    pred: Value | None


class Flip(Struct, frozen=True):
    """A turn that is right under one rule set and wrong under the other, the rules that each cause this alone, and its slots."""

    dialogue: str
    turn: int
    right: bool
    because: tuple[str, ...]
    slots: tuple[FlippedSlot, ...] = ()


class UnderRules(Struct, frozen=True):
    """The score of a file under one rule set, compared with the first rule set; a reason if the rule set cannot be applied."""

    rules: str
    value: float | None
    right_turns: int
    turns: int
    signature: str
    flips: list[Flip]
    account: Account | None = None
    reason: str = ""


def explain(
    dialogues: Iterable[PairDialogue],
    vocabulary: Vocabulary,
    rule_sets: Sequence[Rules] | None = None,
    schema: Schema | None = None,
    *,
    reasons: bool = True,
    only: frozenset[str] | None = None,
) -> list[UnderRules]:
    """Score the same dialogues under several rule sets, and compare each rule set with the first one.

    To explain a flip, the fields of the first rule set are changed into those of the other, one at a time. The fields that flip
    the turn alone are the reasons. If no single field does, all fields that differ are listed together.

    The schema is for rule sets that treat categorical slots differently. Without ``reasons``, flips are only listed with their
    turns. ``only`` has the keys of the requested dialogues (default: all dialogues with gold).

    Example:
        >>> from dialmeter.readers.pairs.state_layouts import FLAT
        >>> from dialmeter.model import Dialogue, Turn
        >>> words = Vocabulary()
        >>> read = words.number_dialogue(Dialogue("d", (Turn(0, gold={"a-b": "x"}, pred={"a-b": "X"}),)), FLAT)
        >>> under = explain([read], words, [named("dialmeter"), named("trade")])
        >>> [(each.rules, each.right_turns) for each in under], under[1].flips[0].because
        ([('dialmeter', 1), ('trade', 0)], ('values=as-is',))
    """
    with paused_garbage_collection():
        explainer = _Explainer(list(dialogues), vocabulary, schema, reasons, only)
        return explainer.explain(list(rule_sets or map(named, names())))


Place: TypeAlias = tuple[str, int]
"""A dialogue and the number of a turn."""


class _Verdicts(NamedTuple):
    """The scorer of a file under one rule set, and whether each turn is right."""

    scorer: TrackerScorer
    right: dict[Place, bool]


class _Explainer:
    """Scores the same dialogues under several rule sets, each rule set at most once."""

    def __init__(
        self,
        dialogues: list[PairDialogue],
        vocabulary: Vocabulary,
        schema: Schema | None,
        reasons: bool,
        only: frozenset[str] | None,
    ) -> None:
        self._dialogues = dialogues
        self._vocabulary = vocabulary
        self._schema = schema
        self._gives_reasons = reasons
        self._only = only
        self._cache: dict[bytes, _Verdicts] = {}

    def explain(self, rule_sets: list[Rules]) -> list[UnderRules]:
        base, *others = rule_sets
        verdicts = self._verdicts(base)
        return [self._summarise(verdicts, []), *(self._compare(verdicts, rules) for rules in others)]

    def _verdicts(self, rules: Rules) -> _Verdicts:
        """Score the dialogues. Under a rule set with partial credit, a turn is right if all its frames have full credit."""
        # Names and descriptions make no difference.
        key = msgspec.json.encode(msgspec.structs.replace(rules, name="", about="", evidence=""))
        if key in self._cache:
            return self._cache[key]
        scorer = TrackerScorer([rules.headline], rules, vocabulary=self._vocabulary)
        scorer.schema = self._schema
        scorer.gold_again = partial(gold_values, self._dialogues, self._vocabulary, None)
        for read in self._dialogues:
            scorer.add_pairs(read)
        tally_table, frames = scorer.measure_columns.main, scorer.measure_columns.frames
        by_dialogue = frames.units(scorer.measures[0].used) if rules.stand_ins else []
        right: dict[Place, bool] = {}
        for at, name in enumerate(tally_table.dialogues):
            for number, row in zip(tally_table.turns_of(at), tally_table.rows_of(at), strict=True):
                vectors = by_dialogue[at].get(number, ()) if rules.stand_ins else ()
                is_exact = all(one == other for one, other in vectors)
                right[name, number] = is_exact if rules.stand_ins else tally_table.table[row].exact
        self._cache[key] = _Verdicts(scorer, right)
        return self._cache[key]

    def _summarise(self, verdicts: _Verdicts, flips: list[Flip]) -> UnderRules:
        result, right = verdicts.scorer.result(only=self._only), verdicts.right
        [score] = result.scores
        return UnderRules(
            result.rules.name, score.value, sum(right.values()), len(right), score.signature, flips, result.account
        )

    def _compare(self, mine: _Verdicts, rules: Rules) -> UnderRules:
        base, findings = mine.scorer.decided_rules, mine.scorer.findings
        try:
            # Checked before scoring, because a rule set that needs a schema cannot score anything without one.
            reason = why_not_applicable(rules, Findings(), self._schema) or self._why_unpaired(rules, findings)
            reason = reason or why_not_applicable(rules, self._verdicts(rules).scorer.findings, self._schema)
            if reason:
                raise NotApplicable(reason)
            theirs = self._verdicts(rules)
            rules = theirs.scorer.decided_rules
        except DialmeterError as error:
            return UnderRules(rules.name, None, 0, 0, "", [], reason=str(error))
        flipped = [place for place, right in theirs.right.items() if mine.right.get(place) is not right]
        if not self._gives_reasons:
            return self._summarise(theirs, [Flip(*place, theirs.right[place], ()) for place in flipped])
        because = self._reasons(base, rules, mine, theirs, flipped)
        # The wrong slots under the rule set under which the turn is wrong.
        slots = {
            right: self._wrong_slots(
                base if right else rules, {name for name, turn in flipped if theirs.right[name, turn] is right}
            )
            for right in (True, False)
        }
        flips = [
            Flip(*place, right, because[place], slots[right].get(place, ()))
            for place, right in ((place, theirs.right[place]) for place in flipped)
        ]
        return self._summarise(theirs, flips)

    def _why_unpaired(self, rules: Rules, findings: Findings) -> str:
        """Return the reason if turns are on one side only and the rule set does not allow it."""
        missing, extra, unknown = findings.missing, findings.extra, findings.absent(self._only)
        if rules.missing == "error" and unknown.count:
            return unknown.message
        if rules.missing == "error" and missing.turns:
            return missing.turns_have("gold and no prediction")
        return extra.turns_have("no gold") if rules.missing == "predicted-only" and extra.turns else ""

    def _wrong_slots(self, rules: Rules, ids: set[str]) -> dict[Place, tuple[FlippedSlot, ...]]:
        """Return the wrong slots of the dialogues with these ids, by dialogue and turn."""
        pairs = PairRules(rules, self._vocabulary)
        walk = Walk(pairs)
        slots: dict[Place, tuple[FlippedSlot, ...]] = {}
        for read in self._dialogues:
            if read.id in ids and walk.take(read):
                for turn in ComparedDialogue(walk, pairs).tracked(read).turns:
                    wrong = [slot for slot, each in turn.slots.items() if each.kind != "correct"]
                    slots[read.id, turn.turn] = tuple(
                        FlippedSlot(slot, turn.gold.get(slot), turn.pred.get(slot)) for slot in wrong
                    )
        return slots

    def _reasons(
        self, base: Rules, other: Rules, mine: _Verdicts, theirs: _Verdicts, flipped: list[Place]
    ) -> dict[Place, tuple[str, ...]]:
        """Return for every flipped turn the single rules of the other set that flip it."""
        differing = [name for name in FIELDS if getattr(base, name) != getattr(other, name)]
        changes: list[tuple[str, dict[str, Any]]] = [
            (f"{name}={other.shown(name)}", {name: getattr(other, name)}) for name in differing
        ]
        if other.stand_ins:
            changes.append(("graded match per frame", {"stand_ins": other.stand_ins, "headline": other.headline}))
        because: dict[Place, list[str]] = {place: [] for place in flipped}
        for label, change in changes if flipped else ():
            changed = self._verdicts(msgspec.structs.replace(base, **change)).right
            for place, labels in because.items():
                if changed.get(place) is not mine.right.get(place) and changed.get(place) is theirs.right[place]:
                    labels.append(label)
        together = " with ".join(label for label, _ in changes) or "no rule"
        return {place: tuple(labels) or (together,) for place, labels in because.items()}
