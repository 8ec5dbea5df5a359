"""Mistakes counted by slot and kind, and values confused with each other."""

from __future__ import annotations

from collections import Counter, defaultdict

from ..model import Dialogue, Value
from .classes import outcomes
from .prepare import Prepared


class Mistakes:
    """Takes dialogues one by one.

    Example:
        >>> found = Mistakes()
        >>> found.add(Dialogue("d", ()), Prepared("d", [(0, {"hotel-area": "east"}, {"hotel-area": "west"}, {}, {})], None))
        >>> dict(found.by_slot["hotel-area"]), dict(found.values["hotel-area"])
        ({('wrong', 'new'): 1}, {('east', 'west'): 1})
    """

    def __init__(self) -> None:
        self.by_slot: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.values: dict[str, Counter[tuple[str | None, str | None]]] = defaultdict(Counter)

    def add(self, dialogue: Dialogue, prepared: Prepared) -> None:
        """Counts every slot of every turn; correct ones only among values."""
        for (_, gold, pred, _, _), found in zip(prepared.steps, outcomes(prepared.steps, prepared.agree), strict=True):
            for slot, outcome in found.items():
                wanted, said = _shown(gold.get(slot)), _shown(pred.get(slot))
                # One of several alternatives was met: that is no confusion.
                self.values[slot][said if outcome.kind == "correct" else wanted, said] += 1
                if outcome.kind != "correct":
                    self.by_slot[slot][outcome.kind, "carried-over" if outcome.carried else "new"] += 1

    def merge(self, other: Mistakes) -> None:
        """Takes what another part of the corpus has."""
        for slot, kinds in other.by_slot.items():
            self.by_slot[slot].update(kinds)
        for slot, pairs in other.values.items():
            self.values[slot].update(pairs)

    def worst_slots(self, most: int) -> list[str]:
        """The slots with most mistakes."""
        return sorted(self.by_slot, key=lambda slot: (-self.by_slot[slot].total(), slot))[:most]


def _shown(value: Value | None) -> str | None:
    return value if value is None or isinstance(value, str) else " | ".join(value)
