"""What is asked of a judge: distinct items, and how they are cut into batches that do not depend on who asks."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from .cases import Case
from .hashing import item_hash
from .judge import Item, Judge

_BATCH = 256
_AGAIN = "/again"


class Unit(NamedTuple):
    """An item with the keys of its scores: two where a judge is asked twice, to see whether it says the same."""

    keys: tuple[str, ...]
    item: Item


class Shard(Struct, frozen=True):
    """A batch of items for one judge.

    Attributes:
        judge: the name under which it is reported.
        number: the shard's place among those that this judge is asked.
        first: the place of its first item among all items.
        units: what is asked.
    """

    judge: str
    number: int
    first: int
    units: tuple[Unit, ...]

    def __str__(self) -> str:
        return f"judge {self.judge}, replies {self.first + 1} to {self.first + len(self.units)}"


def keys_of(case: Case) -> tuple[str, str]:
    """The keys of the human and of the adversarial reply."""
    human = item_hash(case.context, case.reply)
    same = case.reply == case.adversarial
    return human, human + _AGAIN if same else item_hash(case.context, case.adversarial)


def units_of(cases: Sequence[Case], keys: Sequence[tuple[str, str]]) -> list[Unit]:
    """Distinct items, those of one context together."""
    groups: dict[str, dict[str, Item]] = {}
    twice: set[str] = set()
    for case, (human, adversarial) in zip(cases, keys, strict=True):
        group = groups.setdefault(item_hash(case.context, ""), {})
        group.setdefault(human, (case.context, case.reply))
        if adversarial.endswith(_AGAIN):
            twice.add(human)
        else:
            group.setdefault(adversarial, (case.context, case.adversarial))
    return [
        Unit((key, key + _AGAIN) if key in twice else (key,), item)
        for group in groups.values()
        for key, item in group.items()
    ]


def shards_of(name: str, judge: Judge, units: Sequence[Unit], known: Container[str]) -> Iterator[Shard]:
    """The batches of which not all is known.

    They are cut first and what is known is left out then, because a network's score may depend, in its last digit, on what stands
    in the batch: so a run that goes on asks in the same batches as one that was not disturbed.
    """
    size = max(1, int(getattr(judge, "batch_size", _BATCH)))
    number = 0
    for first in range(0, len(units), size):
        new = tuple(unit for unit in units[first : first + size] if not all(key in known for key in unit.keys))
        if new:
            yield Shard(name, number, first, new)
            number += 1
