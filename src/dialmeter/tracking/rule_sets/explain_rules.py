"""One prediction file under every rule set: which turns flip, and because of which rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ...core.account import Account, only_field
from ...errors import DialmeterError, NotApplicable
from ...garbage import paused_garbage_collection
from ...model import Schema, Value
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..compared import ComparedDialogue
from ..diagnosis.findings import Findings
from ..digest import GoldDigest, GoldText
from ..pairs import PairRules
from ..resolve_measures import ResolvedMeasure, resolve
from ..scorer import TrackerScorer, lacks
from ..tally import CORRECT
from ..vectors.measure_columns import MeasureColumns, with_slots
from ..vectors.tally_table import TallyTable
from ..walk import Walk
from .rules import FIELDS, Rules, named, names
from .signature import signature


class FlippedSlot(Struct, frozen=True):
    """A slot that makes a turn wrong, and what it holds under the rule set under which the turn is wrong."""

    slot: str
    gold: Value | None
    pred: Value | None


class Flip(Struct, frozen=True):
    """A turn that is right under one rule set and wrong under another, the rules that each make it so, and its slots."""

    dialogue: str
    turn: int
    right: bool
    because: tuple[str, ...]
    slots: tuple[FlippedSlot, ...] = ()


class UnderRules(Struct, frozen=True):
    """A file under one rule set, compared with the first; a reason where the rule set cannot be applied."""

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
    """Scores the same dialogues under several rule sets; the first is the one that others are compared with.

    A flip is explained by changing the first rule set's fields into the other's one at a time: those that flip the turn
    by themselves are named. If none does, all fields that differ are named together.

    Args:
        dialogues: with gold and predictions.
        vocabulary: of their pairs.
        rule_sets: the default is every named one.
        schema: for rule sets that know categorical slots.
        reasons: say of each flip which rules make it; without, flips are only counted and placed.
        only: keys of the dialogues that were asked for; all that have gold where it is None.

    Example:
        >>> from dialmeter.readers.pairs.state_layouts import FLAT
        >>> from dialmeter.model import Dialogue, Turn
        >>> words = Vocabulary()
        >>> read = words.number_dialogue(Dialogue("d", (Turn(0, gold={"a-b": "x"}, pred={"a-b": "X"}),)), FLAT)
        >>> found = explain([read], words, [named("dialmeter"), named("trade")])
        >>> [(each.rules, each.right_turns) for each in found], found[1].flips[0].because
        ([('dialmeter', 1), ('trade', 0)], ('values=as-is',))
    """
    with paused_garbage_collection():
        explainer = _Explainer(list(dialogues), vocabulary, schema, reasons, only)
        return explainer.explain(list(rule_sets or map(named, names())))


class _Verdicts(Struct):
    """A file under one rule set: the score, and whether each turn is right."""

    value: float | None
    signature: str
    account: Account
    tally_table: TallyTable
    right: list[bool]
    lacking: str = ""

    def places(self) -> list[tuple[str, int]]:
        """The dialogue and the number of each turn."""
        tally_table = self.tally_table
        ids = (name for place, name in enumerate(tally_table.dialogues) for _ in tally_table.rows_of(place))
        return list(zip(ids, tally_table.turns, strict=True))


class _Explainer:
    """Scores what was read once under one rule set after the other, each at most once."""

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
        self._account = Account("dialogue", 0, 0, 0)
        self._known: dict[bytes, _Verdicts] = {}
        self._findings = Findings()
        # The digest of gold, by whether turns without prediction are skipped.
        self._data: dict[bool, str] = {}

    def explain(self, rule_sets: list[Rules]) -> list[UnderRules]:
        base, *others = rule_sets
        scorer = TrackerScorer([base.headline], base, vocabulary=self._vocabulary)
        scorer.schema = self._schema
        for read in self._dialogues:
            scorer.add_pairs(read)
        scored = scorer.result(only=self._only)
        self._findings, self._account = scorer.findings, scored.account
        self._data[base.skips_missing] = scored.data
        if not self._findings.missing.turns:
            self._data[not base.skips_missing] = scored.data
        if not base.stand_ins:
            self._known[_key(base)] = self._verdicts_of(scored.measure_columns, scored.asked[0], base, [])
        start = self._under(base)
        return [_scored(base, start, []), *(self._compared(base, start, rules) for rules in others)]

    def _under(self, rules: Rules) -> _Verdicts:
        key = _key(rules)
        if key not in self._known:
            self._known[key] = self._verdicts(rules)
        return self._known[key]

    def _verdicts(self, rules: Rules) -> _Verdicts:
        (asked,), _ = resolve([rules.headline], rules)
        pairs = PairRules(rules, self._vocabulary)
        digest = None if rules.skips_missing in self._data else GoldDigest()
        walk = Walk(pairs, None if digest is None else GoldText(self._vocabulary))
        measure_columns = MeasureColumns([asked.used])
        right: list[bool] = []
        for read in self._dialogues:
            if walk.take(read):
                measure_columns.add(walk, pairs)
                if digest is not None:
                    digest.add(walk.id, walk.gold_form)
                if rules.stand_ins:
                    measure_columns.add_closely(ComparedDialogue(walk, pairs), read, self._schema)
                    # Under a graded rule set a turn is right when all its frames are met in full.
                    right += [
                        all(vector[0] == vector[1] for vector in turn)
                        for turn in measure_columns.frames.last(asked.used)
                    ]
        if digest is not None:
            self._data[rules.skips_missing] = digest.hex()
        findings = Findings(gold_slots=walk.gold_slots())
        findings.note_carried(walk, self._vocabulary)
        slots = len(set(map(pairs.name_of, self._schema.slots))) if self._schema else len(walk.gold_slots())
        found = self._verdicts_of(
            measure_columns, ResolvedMeasure(asked.text, with_slots(asked.used, slots)), rules, right
        )
        found.lacking = lacks(rules, findings, self._schema)
        return found

    def _verdicts_of(
        self, measure_columns: MeasureColumns, asked: ResolvedMeasure, rules: Rules, right: list[bool]
    ) -> _Verdicts:
        tally_table = measure_columns.main
        if not rules.stand_ins:
            exact = [tally.exact for tally in tally_table.table]
            right = [exact[row] for row in tally_table.rows]
        account = self._findings.account_under(self._account, len(tally_table.dialogues), rules.skips_missing)
        signed = signature(
            asked.text,
            asked.used,
            rules,
            dialogues=len(tally_table.dialogues),
            turns=len(tally_table.rows),
            data=self._data.get(rules.skips_missing, ""),
            left_out=self._findings.missing.shown if rules.skips_missing else "",
            account=(*only_field(self._only), *account.signed),
        )
        return _Verdicts(measure_columns.value(asked.used).value, signed, account, tally_table, right)

    def _compared(self, base: Rules, start: _Verdicts, rules: Rules) -> UnderRules:
        try:
            # What needs a schema cannot even be walked without one.
            lacking = lacks(rules, Findings(), self._schema) or self._unpaired(rules) or self._under(rules).lacking
            if lacking:
                raise NotApplicable(lacking)
            theirs = self._under(rules)
        except DialmeterError as error:
            return UnderRules(rules.name, None, 0, 0, "", [], reason=str(error))
        before = _aligned(start, theirs)
        flipped = [place for place, right in enumerate(theirs.right) if before[place] is not right]
        places = theirs.places() if flipped else []
        reasons = self._reasons(base, rules, theirs, before, flipped) if self._gives_reasons else [()] * len(flipped)
        slots = self._slots(base, rules, [(*places[at], theirs.right[at]) for at in flipped])
        flips = [
            Flip(*places[at], theirs.right[at], because, held)
            for at, because, held in zip(flipped, reasons, slots, strict=True)
        ]
        return _scored(rules, theirs, flips)

    def _unpaired(self, rules: Rules) -> str:
        """Turns on one side only that a rule set does not allow."""
        missing, extra, unknown = self._findings.missing, self._findings.extra, self._findings.absent(self._only)
        if rules.missing == "error" and unknown.count:
            return unknown.message
        if rules.missing == "error" and missing.turns:
            return missing.turns_have("gold and no prediction")
        return extra.turns_have("no gold") if rules.missing == "predicted-only" and extra.turns else ""

    def _slots(self, base: Rules, other: Rules, flipped: list[tuple[str, int, bool]]) -> list[tuple[FlippedSlot, ...]]:
        """For every flipped turn, the slots that are not right under the rule set under which it is wrong."""
        if not self._gives_reasons:
            return [()] * len(flipped)
        turns = {
            right: self._wrong_slots(base if right else other, {d for d, _, is_right in flipped if is_right is right})
            for right in (True, False)
        }
        return [turns[right].get((dialogue, turn), ()) for dialogue, turn, right in flipped]

    def _wrong_slots(self, rules: Rules, wanted: set[str]) -> dict[tuple[str, int], tuple[FlippedSlot, ...]]:
        """The slots of some dialogues that are not right, by dialogue and turn."""
        pairs = PairRules(rules, self._vocabulary)
        walk = Walk(pairs)
        found: dict[tuple[str, int], tuple[FlippedSlot, ...]] = {}
        for read in self._dialogues:
            if read.id in wanted and walk.take(read):
                for turn in ComparedDialogue(walk, pairs).turns:
                    wrong = [each for each in turn.slots if each.kind != CORRECT]
                    found[read.id, turn.number] = tuple(FlippedSlot(each.slot, each.gold, each.pred) for each in wrong)
        return found

    def _reasons(
        self, base: Rules, other: Rules, theirs: _Verdicts, before: Sequence[bool | None], flipped: list[int]
    ) -> list[tuple[str, ...]]:
        """For every flipped turn, the single rules of the other set that flip it."""
        differing = [name for name in FIELDS if getattr(base, name) != getattr(other, name)]
        changes: list[tuple[str, dict[str, Any]]] = [
            (f"{name}={other.shown(name)}", {name: getattr(other, name)}) for name in differing
        ]
        if other.stand_ins:
            changes.append(("graded match per frame", {"stand_ins": other.stand_ins, "headline": other.headline}))
        because: list[list[str]] = [[] for _ in flipped]
        for label, change in changes if flipped else ():
            changed = _aligned(self._under(msgspec.structs.replace(base, **change)), theirs)
            for place, labels in zip(flipped, because, strict=True):
                if changed[place] is not before[place] and changed[place] is theirs.right[place]:
                    labels.append(label)
        together = " with ".join(label for label, _ in changes) or "no rule"
        return [tuple(labels) or (together,) for labels in because]


def _key(rules: Rules) -> bytes:
    """What a rule set does, whatever it is called."""
    return msgspec.json.encode(msgspec.structs.replace(rules, name="", about="", evidence=""))


def _aligned(verdicts: _Verdicts, others: _Verdicts) -> Sequence[bool | None]:
    """Verdicts at the places of others; None where there is none."""
    mine, theirs = verdicts.tally_table, others.tally_table
    if mine.dialogues == theirs.dialogues and mine.turns == theirs.turns and mine.ends == theirs.ends:
        return verdicts.right
    known = dict(zip(verdicts.places(), verdicts.right, strict=True))
    return [known.get(place) for place in others.places()]


def _scored(rules: Rules, verdicts: _Verdicts, flips: list[Flip]) -> UnderRules:
    right = verdicts.right
    return UnderRules(rules.name, verdicts.value, sum(right), len(right), verdicts.signature, flips, verdicts.account)
