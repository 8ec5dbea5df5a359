"""What is noticed of a corpus while its dialogues are walked: turns without a partner, the digest of gold, mistakes."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import Literal, TypeAlias

from msgspec import Struct, field

from ...core.account import NO_GOLD, NO_PREDICTION, NOT_IN_FILE, Account, Reason, count_reasons
from ...model import Notice, Value, dialogue_key
from ...readers.pairs.vocabulary import Vocabulary
from ..digest import GoldDigest
from ..pairs import PairRules
from ..walk import Walk

Held = tuple[str, Value | None, Value | None]
"""A slot with its gold value and its predicted value; None is no value."""


class Mistake(Struct, frozen=True):
    """A gold and a predicted value of a slot that do not agree, and at how many turns; None is no value."""

    slot: str
    gold: str | None
    pred: str | None
    turns: int


class Mistakes(Struct):
    """Counts over a corpus.

    Attributes:
        turns: at how many turns a slot held which two values.
        new: how often two values that do not agree were not carried over from the turn before.
    """

    turns: dict[Held, int] = field(default_factory=dict)
    new: dict[Held, int] = field(default_factory=dict)

    @classmethod
    def of(cls, walk: Walk, pairs: PairRules) -> Mistakes:
        """What a walk has counted; it begins anew."""

        def held(gold: int, pred: int) -> Held:
            slot = pairs.slot_names[pairs.cell_slots[gold or pred]]
            return slot, pairs.values[gold] if gold else None, pairs.values[pred] if pred else None

        turns, new = walk.end_counts()
        return cls(*({held(*key): count for key, count in counts.items()} for counts in (turns, new)))

    def merge(self, other: Mistakes) -> None:
        """Takes what another part of the corpus has."""
        for mine, theirs in ((self.turns, other.turns), (self.new, other.new)):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count

    def by_slot(self) -> dict[str, Counter[tuple[str, str]]]:
        """How often each slot was missed, wrong or over, new or carried over."""
        found: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for key, new in self.new.items():
            slot, gold, pred = key
            kind = "missed" if pred is None else "over" if gold is None else "wrong"
            found[slot][kind, "new"] += new
            if carried := self.turns[key] - new:
                found[slot][kind, "carried-over"] += carried
        return found

    def values(self, slot: str) -> Counter[tuple[str | None, str | None]]:
        """How often a slot held which values; of several alternatives only the one that was met."""
        found: Counter[tuple[str | None, str | None]] = Counter()
        for key, count in self.turns.items():
            name, gold, pred = key
            if name == slot:
                found[shown(gold) if key in self.new else shown(pred), shown(pred)] += count
        return found

    def worst(self, most: int) -> list[Mistake]:
        """The pairs of gold and predicted value that do not agree at most turns."""
        ordered = sorted(self.new, key=lambda key: (-self.turns[key], key[0], shown(key[1]) or "", shown(key[2]) or ""))
        return [
            Mistake(slot, shown(gold), shown(pred), self.turns[slot, gold, pred]) for slot, gold, pred in ordered[:most]
        ]

    def worst_slots(self, most: int) -> list[str]:
        """The slots with most mistakes."""
        totals = {slot: kinds.total() for slot, kinds in self.by_slot().items()}
        return sorted(totals, key=lambda slot: (-totals[slot], slot))[:most]


def shown(value: Value | None) -> str | None:
    """A value as people read it."""
    return value if value is None or isinstance(value, str) else " | ".join(value)


Carries: TypeAlias = Literal["pairs", "gold", "sections", "named-empty", "looked-at"]
"""Pairs at all; pairs in gold; sections; slots that are named without a value; gold that the rule set looks at."""

_ENOUGH = 1000
_EXAMPLES = 10


class Unpaired(Struct):
    """Turns that are on one side only: how many, and the first ten."""

    turns: int = 0
    dialogues: int = 0
    examples: list[str] = field(default_factory=list)
    first_dialogue: str = ""
    """The first dialogue that is on one side only as a whole."""

    def note(self, dialogue_id: str, numbers: list[int], whole: bool) -> None:
        """Counts the turns of one dialogue."""
        self.turns += len(numbers)
        self.dialogues += whole
        if whole and not self.first_dialogue:
            self.first_dialogue = dialogue_id
        if len(self.examples) < _EXAMPLES:
            listed = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
            self.examples.append(dialogue_id if whole else f"{dialogue_id} turn {listed}")

    def turns_have(self, what: str) -> str:
        """How many turns have something.

        Example:
            >>> Unpaired(1).turns_have("no gold"), Unpaired(2).turns_have("no gold")
            ('1 turn has no gold', '2 turns have no gold')
        """
        return f"{self.turns} turn{' has' if self.turns == 1 else 's have'} {what}"

    @property
    def shown(self) -> str:
        """How many dialogues and turns, as in a signature; nothing where there is none."""
        return f"{self.dialogues}d/{self.turns}t" if self.turns else ""

    def merge(self, other: Unpaired) -> None:
        """Takes what another part of the corpus has; its examples come after ours."""
        self.turns += other.turns
        self.dialogues += other.dialogues
        self.first_dialogue = self.first_dialogue or other.first_dialogue
        self.examples = [*self.examples, *other.examples][:_EXAMPLES]


class Findings(Struct):
    """What was noticed of a part of the corpus.

    Attributes:
        digest: of gold.
        missing: turns with gold and without a prediction.
        extra: turns without gold.
        gold_slots: slots that gold holds under the rules.
        hedged: predictions of several values at once, each with its first place.
        gold_changes: how often gold changed; the first thousand changes tell whether states are cumulative.
        gold_losses: how often it lost a slot then.
        pred_changes: how often predictions changed in the same dialogues.
        pred_losses: how often they lost a slot then.
        pred_held: how many values the predicted states of these dialogues hold.
        pred_repeated: how many of them stood at an earlier turn already; news are not repeated.
        mistakes: what slots held.
        clashes: slots of which a state has two, under names that become one; each with its first place.
        carries: what the files carry that not all do.
        unscored: dialogues without any turn that is scored, each with the reason.
        stops: values at which the original scorer stops.
    """

    digest: GoldDigest = field(default_factory=GoldDigest)
    missing: Unpaired = field(default_factory=Unpaired)
    extra: Unpaired = field(default_factory=Unpaired)
    gold_slots: set[str] = field(default_factory=set)
    hedged: dict[str, str] = field(default_factory=dict)
    gold_changes: int = 0
    gold_losses: int = 0
    pred_changes: int = 0
    pred_losses: int = 0
    pred_held: int = 0
    pred_repeated: int = 0
    mistakes: Mistakes = field(default_factory=Mistakes)
    clashes: dict[str, str] = field(default_factory=dict)
    carries: set[Carries] = field(default_factory=set)
    unscored: dict[str, str] = field(default_factory=dict)
    stops: set[str] = field(default_factory=set)

    def note(self, walk: Walk, pairs: PairRules) -> None:
        """Takes what a walk noticed of the dialogue that it has taken."""
        if walk.numbers:
            self.digest.add(walk.id, walk.gold_form)
        if walk.missing:
            self.missing.note(walk.id, walk.missing, whole=len(walk.missing) == walk.has_gold)
        if walk.surplus:
            self.extra.note(walk.id, walk.surplus, whole=not walk.has_gold)
        for pair, number in walk.hedged:
            self.hedged.setdefault(pairs.said(pair), f"{walk.id} turn {number}")
        for slot, number in walk.clashes:
            self.clashes.setdefault(pairs.slot_names[slot], f"{walk.id} turn {number}")
        if self.gold_changes < _ENOUGH:
            self.gold_changes += walk.gold_changes
            self.gold_losses += walk.gold_losses
            self._note_predicted_losses(walk, pairs)
            walk.counts_losses = self.gold_changes < _ENOUGH

    def _note_predicted_losses(self, walk: Walk, pairs: PairRules) -> None:
        missing = walk.missing and frozenset(walk.missing)
        before: list[int] = []
        seen: set[int] = set()
        for number, state in zip(walk.numbers, walk.pred, strict=True):
            if missing and number in missing:
                continue
            self.pred_held += len(state)
            if state is before:
                self.pred_repeated += len(state)
                continue
            if before and state != before:
                self.pred_changes += 1
                self.pred_losses += not pairs.slots_of(before) <= pairs.slots_of(state)
            if seen:
                self.pred_repeated += len(seen.intersection(state))
            seen.update(state)
            before = state

    def note_carried(self, walk: Walk, words: Vocabulary) -> None:
        """Takes what a walk and the pairs of a file show of its format."""
        found: dict[Carries, bool] = {
            "pairs": bool(words.values),
            "sections": any(words.sections),
            "gold": walk.holds_gold,
            "named-empty": words.names_empty or walk.names_empty,
            "looked-at": bool(self.gold_slots),
        }
        self.carries |= {name for name, held in found.items() if held}

    def merge(self, other: Findings) -> None:
        """Takes what was noticed of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        self.digest.merge(other.digest)
        self.missing.merge(other.missing)
        self.extra.merge(other.extra)
        self.gold_slots |= other.gold_slots
        for mine, theirs in ((self.hedged, other.hedged), (self.clashes, other.clashes)):
            mine.update({name: place for name, place in theirs.items() if name not in mine})
        self.carries |= other.carries
        self.unscored |= other.unscored
        self.stops |= other.stops
        if self.gold_changes < _ENOUGH:
            self.gold_changes += other.gold_changes
            self.gold_losses += other.gold_losses
            self.pred_changes += other.pred_changes
            self.pred_losses += other.pred_losses
            self.pred_held += other.pred_held
            self.pred_repeated += other.pred_repeated
        self.mistakes.merge(other.mistakes)

    def account(self, scored: int, only: frozenset[str] | None) -> Account:
        """How many of the dialogues that were asked for are scored.

        Args:
            scored: how many dialogues were.
            only: keys of the dialogues that were asked for; without it all that have gold.
        """
        if only is None:
            without = [each for each in self.unscored.items() if each[1] != NO_GOLD]
            return Account("dialogue", scored + len(without), scored + len(without), scored, count_reasons(without))
        without = [each for each in self.unscored.items() if dialogue_key(each[0]) in only]
        unknown = sorted(only - self.digest.keys() - {dialogue_key(name) for name, _ in without})
        reasons = count_reasons(chain(without, ((name, NOT_IN_FILE) for name in unknown)))
        return Account("dialogue", len(only), len(only) - len(unknown), scored, reasons)

    def account_under(self, account: Account, scored: int, skips_missing: bool) -> Account:
        """The account of the same dialogues under another rule set, which may skip those without prediction or not."""
        reasons = [each for each in account.reasons if each.reason != NO_PREDICTION]
        if skips_missing and self.missing.dialogues:
            reasons.insert(0, Reason(NO_PREDICTION, self.missing.dialogues, self.missing.first_dialogue))
        return Account(account.unit, account.asked, account.found, scored, tuple(reasons))

    def absent(self, only: frozenset[str] | None) -> Notice:
        """The dialogues that were asked for by name and have no gold in the input; a count of 0 where there is none."""
        if only is None:
            return Notice("not-in-file", 0, "")
        without = {dialogue_key(name) for name, reason in self.unscored.items() if reason != NO_GOLD}
        keys = sorted(only - self.digest.keys() - without)
        message = f"{len(keys)} of {len(only)} dialogues that --only names are not in the file, or have no gold there"
        return Notice("not-in-file", len(keys), message, tuple(keys[:_EXAMPLES]))
