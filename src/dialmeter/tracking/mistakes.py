"""What slots held at all turns: gold value and predicted value, and how often a mistake was made anew."""

from __future__ import annotations

from collections import Counter, defaultdict

from msgspec import Struct, field

from ..model import Value
from .pairs import PairRules
from .walk import Walk

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
        """How often a slot held which values; one of several alternatives that was met stands alone."""
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
