"""Plant errors into gold, to measure how many of them an audit finds; `audit_study.py` uses this module."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

from dialmeter.model import dialogue_key, domain_of
from dialmeter.readers.pairs.slot_names import slot_namer
from dialmeter.studies.audit.candidates import Candidate
from dialmeter.studies.audit.trackers import TrackerSet
from dialmeter.studies.audit.votes import Mentions, SlotMention
from dialmeter.tracking.gold_patch import Correction

PlantedKind = Literal["other-value", "dropped", "late", "early", "wrong-domain"]
KINDS: tuple[PlantedKind, ...] = ("other-value", "dropped", "late", "early", "wrong-domain")


class PlantedError(NamedTuple):
    """A planted error: its kind, dialogue (by key), the canonical names of the slots that it changes, and the changes."""

    kind: PlantedKind
    dialogue: str
    slots: tuple[str, ...]
    corrections: tuple[Correction, ...]


class Planter:
    """Plants errors into the first mentions of gold.

    Args:
        trackers: the trackers and their gold.
        mentions: the mentions of gold.
        seed: decides the places and kinds of errors.
    """

    def __init__(self, trackers: TrackerSet, mentions: Mentions, seed: int) -> None:
        self._set = trackers
        self._turns = mentions.turns
        self._random = Random(seed)
        gold = [each for each in mentions.listed if each.gold]
        first: dict[tuple[str, int], SlotMention] = {}
        for each in sorted(gold, key=lambda each: each.gold[0].first):
            first.setdefault((each.dialogue, each.slot), each)
        self.first = [first[key] for key in sorted(first, key=lambda key: (key[0], trackers.pairs.slot_names[key[1]]))]
        self._held = set(first)
        """Slots of dialogues that gold or a planted error holds."""
        self._cells: dict[int, list[int]] = {}
        for each in gold:
            cells = self._cells.setdefault(each.slot, [])
            if each.cell not in cells:
                cells.append(each.cell)
        for cells in self._cells.values():
            cells.sort(key=lambda cell: str(trackers.pairs.values[cell]))

    def plant(self, share: float) -> list[PlantedError]:
        """Plant one error in each of a share of the first mentions."""
        chosen = self._random.sample(self.first, round(share * len(self.first)))
        return [self._error(mention) for mention in chosen]

    def _error(self, mention: SlotMention) -> PlantedError:
        for kind in self._random.sample(KINDS, len(KINDS)):
            made = self._made(kind, mention)
            if made is not None and made.corrections:
                return made
        raise AssertionError("a value can always be dropped")

    def _made(self, kind: PlantedKind, mention: SlotMention) -> PlantedError | None:
        key, slot, run = mention.dialogue, mention.slot, mention.gold[0]
        name = self._set.pairs.slot_names[slot]

        def change(turns: Sequence[int], cell: int | None, other: int = slot) -> tuple[Correction, ...]:
            return tuple(self._set.corrections(key, other, turns, cell))

        turns = [turn for turn in self._turns[key] if run.first <= turn <= run.last]
        if kind == "dropped":
            return PlantedError(kind, key, (name,), change(turns, None))
        if kind == "other-value":
            others = [cell for cell in self._cells[slot] if cell != mention.cell]
            return PlantedError(kind, key, (name,), change(turns, self._random.choice(others))) if others else None
        by = self._random.choice((1, 2))
        if kind == "late":
            return PlantedError(kind, key, (name,), change(turns[:by], None)) if len(turns) > by else None
        if kind == "early":
            before = [turn for turn in self._turns[key] if turn < run.first][-by:]
            return PlantedError(kind, key, (name,), change(before, mention.cell)) if before else None
        return self._elsewhere(mention, turns)

    def _elsewhere(self, mention: SlotMention, turns: Sequence[int]) -> PlantedError | None:
        """Move the value to the same slot of another domain that occurs in gold."""
        pairs, key = self._set.pairs, mention.dialogue
        name = pairs.slot_names[mention.slot]
        places = [
            (cell, slot)
            for slot, cells in sorted(self._cells.items())
            for cell in cells
            if pairs.slot_names[slot].partition("-")[2] == name.partition("-")[2]
            and domain_of(pairs.slot_names[slot]) != domain_of(name)
            and pairs.values[cell] == pairs.values[mention.cell]
            and (key, slot) not in self._held
        ]
        if not places:
            return None
        cell, slot = self._random.choice(places)
        self._held.add((key, slot))
        removed = self._set.corrections(key, mention.slot, turns, None)
        added = self._set.corrections(key, slot, turns, cell)
        return PlantedError("wrong-domain", key, (name, pairs.slot_names[slot]), (*removed, *added))


class Precision(NamedTuple):
    """The share of the first candidates that are planted errors; for ties, the mean over all orders, and its limits."""

    at: int
    value: float
    low: float
    high: float


def precision_at(hits: Sequence[bool], strengths: Sequence[float], at: int) -> Precision:
    """Return the precision of the first candidates.

    Args:
        hits: True for each candidate that is a planted error, the strongest candidate first.
        strengths: strengths of the candidates; equal ones are a tie.
        at: number of first candidates.

    Example:
        >>> precision_at([True, False, True], [2.0, 1.0, 1.0], 2)
        Precision(at=2, value=0.75, low=0.5, high=1.0)
    """
    at = min(at, len(hits))
    if not at:
        return Precision(0, 0.0, 0.0, 0.0)
    limit = strengths[at - 1]
    before = [hit for hit, strength in zip(hits, strengths, strict=True) if strength > limit]
    tied = [hit for hit, strength in zip(hits, strengths, strict=True) if strength == limit]
    room = at - len(before)
    sure = sum(before)
    low, high = max(0, room - (len(tied) - sum(tied))), min(room, sum(tied))
    return Precision(at, (sure + room * sum(tied) / len(tied)) / at, (sure + low) / at, (sure + high) / at)


def touched_slots(candidate: Candidate) -> set[tuple[str, str]]:
    """Return the slots that a candidate would correct: the key of the dialogue, and the canonical name.

    Example:
        >>> added = Correction("D1.json", "hotel-book day", 0, 1, None, "friday")
        >>> touched_slots(Candidate("late", "d1", 0, "hotel-book day", None, "hotel-book day", "friday", 1.0, (added,), {}))
        {('d1', 'hotel-day')}
    """
    name_of = slot_namer()
    return {(dialogue_key(each.dialogue), name_of(each.slot)) for each in candidate.corrections}
