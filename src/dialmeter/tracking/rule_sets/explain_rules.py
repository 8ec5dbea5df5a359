"""Score one prediction file under several rule sets, and explain by which rule a turn becomes right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ...core.account import Account
from ...errors import DialmeterError, NotApplicable
from ...garbage import paused_garbage_collection
from ...model import Schema, Value
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


class _Verdicts(Struct):
    """The scorer of a file under one rule set, and whether each turn is right."""

    scorer: TrackerScorer
    right: list[bool]

    def places(self) -> list[tuple[str, int]]:
        """Return the dialogue and the number of each turn."""
        tally_table = self.scorer.measure_columns.main
        ids = (name for position, name in enumerate(tally_table.dialogues) for _ in tally_table.rows_of(position))
        return list(zip(ids, tally_table.turns, strict=True))


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
        for read in self._dialogues:
            scorer.add_pairs(read)
        tally_table = scorer.measure_columns.main
        exact = [tally.exact for tally in tally_table.table]
        right = [exact[row] for row in tally_table.rows]
        if rules.stand_ins:
            frames = enumerate(scorer.measure_columns.frames.units(scorer.measures[0].used))
            turns = [(number, each) for at, each in frames for number in tally_table.turns_of(at)]
            right = [all(vector[0] == vector[1] for vector in each.get(number, ())) for number, each in turns]
        self._cache[key] = _Verdicts(scorer, right)
        return self._cache[key]

    def _summarise(self, verdicts: _Verdicts, flips: list[Flip]) -> UnderRules:
        result, right = verdicts.scorer.result(only=self._only), verdicts.right
        [score] = result.scores
        return UnderRules(
            result.rules.name, score.value, sum(right), len(right), score.signature, flips, result.account
        )

    def _compare(self, mine: _Verdicts, rules: Rules) -> UnderRules:
        base, findings = mine.scorer.rules, mine.scorer.findings
        try:
            # Checked before scoring, because a rule set that needs a schema cannot score anything without one.
            reason = why_not_applicable(rules, Findings(), self._schema) or self._why_unpaired(rules, findings)
            reason = reason or why_not_applicable(rules, self._verdicts(rules).scorer.findings, self._schema)
            if reason:
                raise NotApplicable(reason)
            theirs = self._verdicts(rules)
        except DialmeterError as error:
            return UnderRules(rules.name, None, 0, 0, "", [], reason=str(error))
        before = _align(mine, theirs)
        flipped = [at for at, right in enumerate(theirs.right) if before[at] is not right]
        places = theirs.places() if flipped else []
        reasons = self._reasons(base, rules, theirs, before, flipped) if self._gives_reasons else [()] * len(flipped)
        slots = self._slots(base, rules, [(*places[at], theirs.right[at]) for at in flipped])
        flips = [
            Flip(*places[at], theirs.right[at], because, wrong_slots)
            for at, because, wrong_slots in zip(flipped, reasons, slots, strict=True)
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

    def _slots(self, base: Rules, other: Rules, flipped: list[tuple[str, int, bool]]) -> list[tuple[FlippedSlot, ...]]:
        """Return for every flipped turn the wrong slots under the rule set under which it is wrong."""
        if not self._gives_reasons:
            return [()] * len(flipped)
        turns = {
            right: self._wrong_slots(base if right else other, {d for d, _, is_right in flipped if is_right is right})
            for right in (True, False)
        }
        return [turns[right].get((dialogue, turn), ()) for dialogue, turn, right in flipped]

    def _wrong_slots(self, rules: Rules, ids: set[str]) -> dict[tuple[str, int], tuple[FlippedSlot, ...]]:
        """Return the wrong slots of the dialogues with these ids, by dialogue and turn."""
        pairs = PairRules(rules, self._vocabulary)
        walk = Walk(pairs)
        slots: dict[tuple[str, int], tuple[FlippedSlot, ...]] = {}
        for read in self._dialogues:
            if read.id in ids and walk.take(read):
                for turn in ComparedDialogue(walk, pairs).tracked(read).turns:
                    wrong = [slot for slot, each in turn.slots.items() if each.kind != "correct"]
                    slots[read.id, turn.turn] = tuple(
                        FlippedSlot(slot, turn.gold.get(slot), turn.pred.get(slot)) for slot in wrong
                    )
        return slots

    def _reasons(
        self, base: Rules, other: Rules, theirs: _Verdicts, before: Sequence[bool | None], flipped: list[int]
    ) -> list[tuple[str, ...]]:
        """Return for every flipped turn the single rules of the other set that flip it."""
        differing = [name for name in FIELDS if getattr(base, name) != getattr(other, name)]
        changes: list[tuple[str, dict[str, Any]]] = [
            (f"{name}={other.shown(name)}", {name: getattr(other, name)}) for name in differing
        ]
        if other.stand_ins:
            changes.append(("graded match per frame", {"stand_ins": other.stand_ins, "headline": other.headline}))
        because: list[list[str]] = [[] for _ in flipped]
        for label, change in changes if flipped else ():
            changed = _align(self._verdicts(msgspec.structs.replace(base, **change)), theirs)
            for at, labels in zip(flipped, because, strict=True):
                if changed[at] is not before[at] and changed[at] is theirs.right[at]:
                    labels.append(label)
        together = " with ".join(label for label, _ in changes) or "no rule"
        return [tuple(labels) or (together,) for labels in because]


def _align(verdicts: _Verdicts, others: _Verdicts) -> Sequence[bool | None]:
    """Return the verdicts in the order of the other turns; None for a turn without a verdict."""
    mine, theirs = (each.scorer.measure_columns.main for each in (verdicts, others))
    if mine.dialogues == theirs.dialogues and mine.turns == theirs.turns and mine.ends == theirs.ends:
        return verdicts.right
    by_place = dict(zip(verdicts.places(), verdicts.right, strict=True))
    return [by_place.get(place) for place in others.places()]
