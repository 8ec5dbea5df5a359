"""One prediction file under every rule set: which turns flip, and because of which rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ..formats.pairs.vocabulary import PairDialogue, Vocabulary
from ..model import Schema
from ..rules import FIELDS, Rules, named, names
from ..signature import signature
from .asked import Asked, resolve
from .book import Book
from .compared import ComparedDialogue
from .ledger import Ledger, with_slots
from .pairs import PairRules
from .scorer import TrackerScorer, paused_garbage_collection
from .walk import Walk


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
    dialogues: Iterable[PairDialogue],
    vocabulary: Vocabulary,
    rule_sets: Sequence[Rules] | None = None,
    schema: Schema | None = None,
    *,
    reasons: bool = True,
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

    Example:
        >>> from dialmeter.formats.pairs.state_layouts import FLAT
        >>> from dialmeter.model import Dialogue, Turn
        >>> words = Vocabulary()
        >>> read = words.number_dialogue(Dialogue("d", (Turn(0, gold={"a-b": "x"}, pred={"a-b": "X"}),)), FLAT)
        >>> found = explain([read], words, [named("dialmeter"), named("trade")])
        >>> [(each.rules, each.right_turns) for each in found], found[1].flips[0].because
        ([('dialmeter', 1), ('trade', 0)], ('values=as-is',))
    """
    with paused_garbage_collection():
        return _Explainer(list(dialogues), vocabulary, schema, reasons).explain(list(rule_sets or map(named, names())))


class _Verdicts(Struct):
    """A file under one rule set: the score, and whether each turn is right."""

    value: float | None
    signature: str
    book: Book
    right: list[bool]

    def places(self) -> list[tuple[str, int]]:
        """The dialogue and the number of each turn."""
        book = self.book
        ids = (name for place, name in enumerate(book.dialogues) for _ in book.rows_of(place))
        return list(zip(ids, book.turns, strict=True))


class _Explainer:
    """Scores what was read once under one rule set after the other, each at most once."""

    def __init__(
        self, dialogues: list[PairDialogue], vocabulary: Vocabulary, schema: Schema | None, reasons: bool = True
    ) -> None:
        self._dialogues = dialogues
        self._vocabulary = vocabulary
        self._schema = schema
        self._gives_reasons = reasons
        self._known: dict[bytes, _Verdicts] = {}
        self._data = self._left_out = ""

    def explain(self, rule_sets: list[Rules]) -> list[UnderRules]:
        base, *others = rule_sets
        scorer = TrackerScorer([base.headline], base, vocabulary=self._vocabulary)
        scorer.schema = self._schema
        for read in self._dialogues:
            scorer.add_pairs(read)
        # The gold of all rule sets is the same, and so is which turns have a prediction.
        scored = scorer.result()
        self._data, self._left_out = scored.data, scored.left_out
        if not base.stand_ins:
            self._known[_key(base)] = self._verdicts_of(scored.ledger, scored.asked[0], base, [])
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
        walk, ledger = Walk(pairs), Ledger([asked.used])
        right: list[bool] = []
        for read in self._dialogues:
            if walk.take(read):
                ledger.add(walk)
                if rules.stand_ins:
                    ledger.add_closely(ComparedDialogue(walk, pairs), read, self._schema)
                    # Under a graded rule set a turn is right when all its frames are met in full.
                    right += [all(vector[0] == vector[1] for vector in turn) for turn in ledger.frames.last(asked.used)]
        slots = len(self._schema.slots) if self._schema else len(walk.gold_slots())
        return self._verdicts_of(ledger, Asked(asked.text, with_slots(asked.used, slots)), rules, right)

    def _verdicts_of(self, ledger: Ledger, asked: Asked, rules: Rules, right: list[bool]) -> _Verdicts:
        book = ledger.main
        if not rules.stand_ins:
            exact = [tally.exact for tally in book.table]
            right = [exact[row] for row in book.rows]
        signed = signature(
            asked.text,
            asked.used,
            rules,
            dialogues=len(book.dialogues),
            turns=len(book.rows),
            data=self._data,
            left_out=self._left_out if rules.missing == "skip" else "",
        )
        return _Verdicts(ledger.value(asked.used).value, signed, book, right)

    def _compared(self, base: Rules, start: _Verdicts, rules: Rules) -> UnderRules:
        theirs = self._under(rules)
        before = _aligned(start, theirs)
        flipped = [place for place, right in enumerate(theirs.right) if before[place] is not right]
        places = theirs.places() if flipped else []
        reasons = self._reasons(base, rules, theirs, before, flipped) if self._gives_reasons else [()] * len(flipped)
        flips = [Flip(*places[at], theirs.right[at], because) for at, because in zip(flipped, reasons, strict=True)]
        return _scored(rules, theirs, flips)

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
    mine, theirs = verdicts.book, others.book
    if mine.dialogues == theirs.dialogues and mine.turns == theirs.turns and mine.ends == theirs.ends:
        return verdicts.right
    known = dict(zip(verdicts.places(), verdicts.right, strict=True))
    return [known.get(place) for place in others.places()]


def _scored(rules: Rules, verdicts: _Verdicts, flips: list[Flip]) -> UnderRules:
    right = verdicts.right
    return UnderRules(rules.name, verdicts.value, sum(right), len(right), verdicts.signature, flips)
