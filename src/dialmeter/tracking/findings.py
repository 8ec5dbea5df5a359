"""What is noticed of a corpus while its dialogues are walked: turns without a partner, the digest of gold, mistakes."""

from __future__ import annotations

from msgspec import Struct, field

from .digest import GoldDigest
from .mistakes import Mistakes
from .pairs import PairRules
from .walk import Walk

_ENOUGH = 1000
_EXAMPLES = 10


class Unpaired(Struct):
    """Turns that are on one side only: how many, and the first ten."""

    turns: int = 0
    dialogues: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, dialogue_id: str, numbers: list[int], whole: bool) -> None:
        """Counts the turns of one dialogue."""
        self.turns += len(numbers)
        self.dialogues += whole
        if len(self.examples) < _EXAMPLES:
            listed = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
            self.examples.append(dialogue_id if whole else f"{dialogue_id} turn {listed}")

    def merge(self, other: Unpaired) -> None:
        """Takes what another part of the corpus has; its examples stand behind ours."""
        self.turns += other.turns
        self.dialogues += other.dialogues
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
        mistakes: what slots held.
    """

    digest: GoldDigest = field(default_factory=GoldDigest)
    missing: Unpaired = field(default_factory=Unpaired)
    extra: Unpaired = field(default_factory=Unpaired)
    gold_slots: set[str] = field(default_factory=set)
    hedged: dict[str, str] = field(default_factory=dict)
    gold_changes: int = 0
    gold_losses: int = 0
    mistakes: Mistakes = field(default_factory=Mistakes)

    def note(self, walk: Walk, pairs: PairRules) -> None:
        """Takes what a walk noticed of the dialogue that it has taken."""
        if walk.has_gold:
            self.digest.add(walk.id, walk.gold_form)
        if walk.missing:
            self.missing.note(walk.id, walk.missing, whole=len(walk.missing) == walk.has_gold)
        if walk.surplus:
            self.extra.note(walk.id, walk.surplus, whole=not walk.has_gold)
        for pair, number in walk.hedged:
            self.hedged.setdefault(pairs.said(pair), f"{walk.id} turn {number}")
        if self.gold_changes < _ENOUGH:
            self.gold_changes += walk.gold_changes
            self.gold_losses += walk.gold_losses
            walk.counts_losses = self.gold_changes < _ENOUGH

    def merge(self, other: Findings) -> None:
        """Takes what was noticed of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        self.digest.merge(other.digest)
        self.missing.merge(other.missing)
        self.extra.merge(other.extra)
        self.gold_slots |= other.gold_slots
        self.hedged.update({value: place for value, place in other.hedged.items() if value not in self.hedged})
        if self.gold_changes < _ENOUGH:
            self.gold_changes += other.gold_changes
            self.gold_losses += other.gold_losses
        self.mistakes.merge(other.mistakes)
