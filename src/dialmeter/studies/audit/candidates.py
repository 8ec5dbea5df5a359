"""Likely errors of gold, from the votes of trackers and from what gold does elsewhere with the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ...errors import InputError
from ...model import dialogue_key, domain_of
from ...tracking.gold_patch import Correction, GoldPatch
from .mentions import Mentions, SlotMention, TurnSpan
from .same_words import SameWords
from .trackers import TrackerSet
from .votes import Votes

if TYPE_CHECKING:
    from ...stats.formulas import Floats
    from .mentions import IntArray

Kind = Literal["other-value", "not-predicted", "not-in-gold", "late", "early", "wrong-domain", "inconsistent"]
KINDS: dict[Kind, str] = {
    "other-value": "most trackers have another value than gold",
    "not-predicted": "no tracker, or few, have the value of gold",
    "not-in-gold": "most trackers have a value, and gold has none",
    "late": "gold begins a value later than most trackers",
    "early": "gold begins a value earlier than most trackers",
    "wrong-domain": "most trackers have the value of gold in another domain",
    "inconsistent": "gold does otherwise in other dialogues where users say the same words",
}


class Vote(Struct, frozen=True):
    """What a tracker has in the dialogue: a slot, a value, and its first turn."""

    slot: str
    value: str
    first: int


class Candidate(Struct, frozen=True):
    """A likely error of gold.

    Attributes:
        kind: one of ``KINDS``.
        dialogue: its id.
        turn: the first turn that a correction would change.
        slot: as gold writes it.
        gold: the value of gold; None is no value.
        proposed_slot: the slot that the correction gives a value; another one than ``slot`` for the wrong domain.
        proposed: the value that the correction gives; None is no value.
        strength: the weight of the votes against gold less that of the votes for it.
        corrections: what the patch would hold.
        votes: by tracker, what it has in the slots in question; nothing where it has no value.
        same_words: what gold does in other dialogues where users say the value.
    """

    kind: Kind
    dialogue: str
    turn: int
    slot: str
    gold: str | None
    proposed_slot: str
    proposed: str | None
    strength: float
    corrections: tuple[Correction, ...]
    votes: dict[str, list[Vote]]
    same_words: SameWords | None = None


class _Weighed(Struct, frozen=True):
    """A mention with the weight of trackers for it, less that against it, and what gold does elsewhere with the same words."""

    place: int
    mention: SlotMention
    votes: float
    words: SameWords | None

    @property
    def support(self) -> float:
        """The votes, and that of the same words elsewhere."""
        return round(self.votes + (self.words.weight if self.words else 0), 9)

    @property
    def by_words(self) -> bool:
        """Do the words elsewhere turn the votes of trackers against gold?"""
        return self.votes >= 0 > self.support if self.mention.gold else self.votes <= 0 < self.support


class CandidateFinder:
    """Finds candidates.

    Args:
        trackers: with gold.
        mentions: of the trackers that vote.
        votes: their weights.
        words: by mention, what gold does with the same words; None where the user does not say them.
    """

    def __init__(
        self, trackers: TrackerSet, mentions: Mentions, votes: Votes, words: Mapping[int, SameWords | None]
    ) -> None:
        self._set = trackers
        self._mentions = mentions
        self._votes = votes
        self._words = words
        self.refused: list[str] = []
        """The places of candidates that no patch can correct: gold writes the slot under two names, or the value already."""

    def find(self) -> list[Candidate]:
        """All candidates, the strongest first; of equal strength in the order of dialogue, turn and slot."""
        found: list[Candidate] = []
        weighed = (
            _Weighed(place, mention, float(self._votes.support[place]), self._words.get(place))
            for place, mention in enumerate(self._mentions.listed)
        )
        for _, group in groupby(weighed, key=lambda each: each.mention.dialogue):
            found += [each for each in self._of_dialogue(list(group)) if each is not None and self._fits(each)]
        return sorted(found, key=lambda each: (-each.strength, each.dialogue, each.turn, each.slot, each.kind))

    def _fits(self, candidate: Candidate) -> bool:
        """Do the corrections fit gold as it is written?"""
        key = dialogue_key(candidate.dialogue)
        read = next(each.reads[key] for each in self._set.voters if key in each.reads)
        try:
            GoldPatch(candidate.corrections).apply(read, self._set.words)
        except InputError:
            self.refused.append(f"{candidate.dialogue}: {candidate.slot}")
            return False
        return True

    def _of_dialogue(self, weighed: list[_Weighed]) -> Iterator[Candidate | None]:
        doubted = [each for each in weighed if each.mention.gold and each.support < 0]
        wanted = [each for each in weighed if not each.mention.gold and each.support > 0]
        done: set[int] = set()
        pairs = [
            (kind, old, new)
            for old in doubted
            for new in wanted
            if (kind := self._relation(old.mention, new)) is not None
        ]
        # The strongest pairs first; a mention is part of one candidate.
        for kind, old, new in sorted(
            pairs, key=lambda each: (each[1].support - each[2].support, each[1].place, each[2].place)
        ):
            if done.isdisjoint((old.place, new.place)):
                done |= {old.place, new.place}
                yield self._replaced(kind, old, new)
        for each in doubted:
            if each.place not in done:
                yield self._removed(each)
        for each in wanted:
            if each.place not in done:
                yield self._added(each)
        for each in weighed:
            if each.mention.gold and each.support >= 0:
                yield from self._moved(each)

    def _relation(self, old: SlotMention, new: _Weighed) -> Kind | None:
        """Does a wanted value take the place of a doubted one?"""
        if old.slot == new.mention.slot:
            span = self._span(new.place)
            overlaps = any(run.first <= span.last and span.first <= run.last for run in old.gold)
            return "other-value" if overlaps else None
        pairs = self._set.pairs
        names = [pairs.slot_names[slot] for slot in (old.slot, new.mention.slot)]
        same_slot = names[0].partition("-")[2] == names[1].partition("-")[2] != ""
        same_value = pairs.values[old.cell] == pairs.values[new.mention.cell]
        return "wrong-domain" if same_slot and same_value and domain_of(names[0]) != domain_of(names[1]) else None

    def _span(self, place: int) -> TurnSpan:
        """The turns at which most trackers that hold a value hold it: the first and the last turn with most weight."""
        first, last = (
            _heaviest(self._weights(place, turns, self._votes.for_it))
            for turns in (self._mentions.first, self._mentions.last)
        )
        return TurnSpan(first, max(first, last))

    def _weights(self, place: int, turns: IntArray, weights: Floats) -> dict[int, float]:
        """The weight of the trackers that hold a value, by the turn that each has for it.

        Args:
            place: of the mention.
            turns: by tracker and mention.
            weights: by tracker and slot.
        """
        found: dict[int, float] = {}
        for tracker in range(len(self._set.voters)):
            if self._mentions.first[tracker, place] >= 0:
                turn = int(turns[tracker, place])
                found[turn] = found.get(turn, 0) + float(weights[tracker, self._mentions.listed[place].slot])
        return found

    def _turns(self, mention: SlotMention, runs: Iterable[TurnSpan]) -> list[int]:
        spans = list(runs)
        numbers = self._mentions.turns[mention.dialogue]
        return [turn for turn in numbers if any(run.first <= turn <= run.last for run in spans)]

    def _replaced(self, kind: Kind, old: _Weighed, new: _Weighed) -> Candidate | None:
        turns = self._turns(old.mention, old.mention.gold)
        key = old.mention.dialogue
        # The old value goes at all of its turns; in the same slot, the new one comes where trackers have it.
        begins = self._span(new.place).first if kind == "other-value" else turns[0]
        gone = turns if kind == "wrong-domain" else [turn for turn in turns if turn < begins]
        corrections = self._set.corrections(key, old.mention.slot, gone, None)
        new_turns = [turn for turn in turns if turn >= begins]
        corrections += self._set.corrections(key, new.mention.slot, new_turns, new.mention.cell)
        by_words = old.by_words and new.by_words
        # In one slot, a vote for the new value is the vote against the old one. Votes in two slots are two votes.
        strength = new.support if kind == "other-value" else new.support - old.support
        return self._candidate("inconsistent" if by_words else kind, old, new, strength, corrections)

    def _removed(self, old: _Weighed) -> Candidate | None:
        turns = self._turns(old.mention, old.mention.gold)
        corrections = self._set.corrections(old.mention.dialogue, old.mention.slot, turns, None)
        return self._candidate(
            "inconsistent" if old.by_words else "not-predicted", old, None, -old.support, corrections
        )

    def _added(self, new: _Weighed) -> Candidate | None:
        key, slot = new.mention.dialogue, new.mention.slot
        turns = self._turns(new.mention, [self._span(new.place)])
        free = [turn for turn in turns if not self._set.has_value(key, turn, slot)]
        corrections = self._set.corrections(key, slot, free or turns, new.mention.cell)
        kind: Kind = "inconsistent" if new.by_words else "not-in-gold" if free else "other-value"
        return self._candidate(kind, None, new, new.support, corrections)

    def _moved(self, held: _Weighed) -> Iterator[Candidate | None]:
        """A value that gold begins at another turn than most trackers."""
        mention = held.mention
        began = mention.gold[0].first
        weights = self._weights(held.place, self._mentions.first, self._votes.timing)
        if not weights:
            return
        best = _heaviest(weights)
        # Trackers have different habits, such as waiting for an answer: gold has a vote on turns.
        strength = round(2 * weights[best] - sum(weights.values()) - float(self._votes.timing[-1, mention.slot]), 9)
        if best == began or strength <= 0:
            return
        late = best < began
        span = TurnSpan(best, began - 1) if late else TurnSpan(began, best - 1)
        turns = self._turns(mention, [span])
        corrections = self._set.corrections(mention.dialogue, mention.slot, turns, mention.cell if late else None)
        new, old = (held, None) if late else (None, held)
        yield self._candidate("late" if late else "early", old, new, strength, corrections)

    def _candidate(
        self, kind: Kind, old: _Weighed | None, new: _Weighed | None, strength: float, corrections: list[Correction]
    ) -> Candidate | None:
        """A candidate; None where there is nothing to correct."""
        one = old or new
        assert one is not None
        if not corrections:
            self.refused.append(
                f"{self._set.names[one.mention.dialogue]}: {self._set.pairs.slot_names[one.mention.slot]}"
            )
            return None
        first = corrections[0]
        slots = list(dict.fromkeys(each.mention.slot for each in (old, new) if each is not None))
        proposed = next((each for each in corrections if each.value is not None), first)
        return Candidate(
            kind,
            first.dialogue,
            min(each.first for each in corrections),
            first.slot,
            first.gold,
            proposed.slot,
            proposed.value,
            round(strength, 9),
            tuple(corrections),
            self._of_trackers(one.mention.dialogue, slots),
            (new or one).words,
        )

    def _of_trackers(self, key: str, slots: list[int]) -> dict[str, list[Vote]]:
        pairs, mentions = self._set.pairs, self._mentions
        places = self._places.get(key, [])
        return {
            tracker.name: sorted(
                (
                    Vote(
                        pairs.slot_names[mention.slot],
                        self._set.value_of(mention.cell),
                        int(mentions.first[number, place]),
                    )
                    for place in places
                    if (mention := mentions.listed[place]).slot in slots and mentions.first[number, place] >= 0
                ),
                key=lambda vote: (vote.slot, vote.first, vote.value),
            )
            for number, tracker in enumerate(self._set.voters)
        }

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """By dialogue, the places of its mentions."""
        found: dict[str, list[int]] = {}
        for place, mention in enumerate(self._mentions.listed):
            found.setdefault(mention.dialogue, []).append(place)
        return found


def _heaviest(weights: Mapping[int, float]) -> int:
    """The turn with most weight, the first of equal ones."""
    return max(sorted(weights), key=lambda turn: round(weights[turn], 9))
