"""Find likely errors of gold, from the votes of trackers and from annotations of the same words in other dialogues."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from msgspec import Struct

from ...core.document import Count, Number
from ...errors import InputError
from ...model import dialogue_key, domain_of
from ...stats.formulas import Floats
from ...tracking.gold_patch import Correction, GoldPatch
from .trackers import TrackerSet, Utterances
from .votes import IntArray, Mentions, SlotMention, TurnSpan, Votes

_WORDS = re.compile(r"\w+(?:[:.']\w+)*")
_MIN_DIALOGUES = 5
"""Minimum number of other dialogues with the same words for a vote."""


class SameWords(Struct, frozen=True):
    """Number of other dialogues in which users say a value and talk about its domain, and number of these in which gold has it."""

    dialogues: Count
    annotated: Count

    @property
    def weight(self) -> float:
        """The log odds that gold has the value if users say it; 0 if there are too few dialogues.

        Example:
            >>> round(SameWords(18, 17).weight, 3), SameWords(2, 2).weight
            (2.197, 0.0)
        """
        if self.dialogues < _MIN_DIALOGUES:
            return 0.0
        rate = (self.annotated + 1) / (self.dialogues + 2)
        return round(math.log(rate / (1 - rate)), 9)


def words_of_mentions(
    trackers: TrackerSet, mentions: Mentions, utterances: Mapping[str, Mapping[int, Utterances]]
) -> dict[int, SameWords]:
    """Return, by index of a mention, how gold annotates its value in other dialogues; absent if the user does not say the value."""
    pairs = trackers.pairs
    texts = {key: plain(" ".join(turn.user for turn in turns.values())) for key, turns in utterances.items()}
    by_word: dict[str, set[str]] = defaultdict(set)
    for key, text in texts.items():
        for word in text.split():
            by_word[word].add(key)
    by_domain: dict[str, set[str]] = defaultdict(set)
    annotated: dict[int, set[str]] = defaultdict(set)
    for each in mentions.listed:
        if each.gold:
            annotated[each.cell].add(each.dialogue)
            by_domain[domain_of(pairs.slot_names[each.slot])].add(each.dialogue)

    @cache
    def saying(cell: int) -> set[str]:
        """Return the dialogues that say a value and talk about its domain."""
        value = pairs.values[cell]
        text = plain(value) if isinstance(value, str) else ""
        if not text.strip():
            return set()
        spoken = set.intersection(*(by_word[word] for word in text.split()))
        return {
            key for key in spoken & by_domain[domain_of(pairs.slot_names[pairs.cell_slots[cell]])] if text in texts[key]
        }

    return {
        index: SameWords(len(said) - 1, len(annotated[each.cell] & said - {each.dialogue}))
        for index, each in enumerate(mentions.listed)
        if each.dialogue in (said := saying(each.cell))
    }


def plain(text: str) -> str:
    """Return a text as lower-case words, with a space on both sides.

    Example:
        >>> plain("The Cow Pizza Kitchen, at 17:00!")
        ' the cow pizza kitchen at 17:00 '
    """
    return f" {' '.join(_WORDS.findall(text.lower()))} "


Kind = Literal["other-value", "not-predicted", "not-in-gold", "late", "early", "wrong-domain", "inconsistent"]
KINDS: dict[Kind, str] = {
    "other-value": "most trackers have another value than gold",
    "not-predicted": "few or no trackers have the value of gold",
    "not-in-gold": "most trackers have a value, but gold has none",
    "late": "a value starts later in gold than in most trackers",
    "early": "a value starts earlier in gold than in most trackers",
    "wrong-domain": "most trackers have the value of gold in another domain",
    "inconsistent": "gold is different in other dialogues in which users say the same words",
}


class Vote(Struct, frozen=True):
    """A prediction of a tracker in the dialogue: a slot, a value, and its first turn."""

    slot: str
    value: str
    first: int


class Utterance(Struct, frozen=True):
    """A text of a speaker at a turn."""

    turn: Count
    speaker: str
    text: str


class CorrectedScore(Struct, frozen=True):
    """The score of a tracker after a correction of gold."""

    system: str
    measure: str
    value: Number


class Candidate(Struct, frozen=True):
    """A likely error of gold.

    Attributes:
        turn: the first turn that a correction would change.
        slot: the slot as written in gold.
        gold: the value of gold; null is no value.
        proposed_slot: the slot to which the correction gives a value; it differs from ``slot`` for the wrong domain.
        proposed: the value that the correction gives; null is no value.
        strength: the weight of the votes against gold minus that of the votes for it.
        votes: for each tracker, its values in these slots; empty if it has none.
        same_words: annotations of gold in other dialogues in which users say the value; null if the user does not say it.
        rank: 1 is the strongest; candidates of equal strength share the first rank of their group. 0 is not ranked.
        tied: number of candidates that share the rank, including this one.
        talk: the utterances of the turn and of the turn before, if the files have them.
        corrected: the score of each tracker if only this candidate were corrected.
    """

    kind: Kind
    dialogue: str
    turn: Count
    slot: str
    gold: str | None
    proposed_slot: str
    proposed: str | None
    strength: float
    corrections: tuple[Correction, ...]
    votes: dict[str, list[Vote]]
    same_words: SameWords | None = None
    rank: Count = 0
    tied: Count = 0
    talk: list[Utterance] = []
    corrected: list[CorrectedScore] = []


class _WeighedMention(Struct, frozen=True):
    """A mention with the weight of the votes for it minus that against it, and annotations of the same words elsewhere."""

    index: int
    mention: SlotMention
    votes: float
    words: SameWords | None

    @property
    def support(self) -> float:
        """The sum of the votes of trackers and the vote of the same words elsewhere."""
        return round(self.votes + (self.words.weight if self.words else 0), 9)

    @property
    def by_words(self) -> bool:
        """True if the support is against gold only because of the same words elsewhere."""
        return self.votes >= 0 > self.support if self.mention.gold else self.votes <= 0 < self.support


class CandidateFinder:
    """Search for candidates.

    Args:
        words: for each mention, annotations of the same words, if the user says them.
    """

    def __init__(self, trackers: TrackerSet, mentions: Mentions, votes: Votes, words: Mapping[int, SameWords]) -> None:
        self._set = trackers
        self._mentions = mentions
        self._votes = votes
        self._words = words
        self._indices: dict[str, list[int]] = defaultdict(list)
        for index, mention in enumerate(mentions.listed):
            self._indices[mention.dialogue].append(index)
        self.refused: list[str] = []
        """Dialogue and slot of candidates that no patch can correct: gold has the slot under two names, or already has the value."""

    def find(self) -> list[Candidate]:
        """Return all candidates, the strongest first; those of equal strength are sorted by dialogue, turn and slot."""
        candidates: list[Candidate] = []
        for indices in self._indices.values():
            weighed = [
                _WeighedMention(
                    index, self._mentions.listed[index], float(self._votes.support[index]), self._words.get(index)
                )
                for index in indices
            ]
            candidates += [each for each in self._of_dialogue(weighed) if each is not None and self._fits(each)]
        return sorted(candidates, key=lambda each: (-each.strength, each.dialogue, each.turn, each.slot, each.kind))

    def _fits(self, candidate: Candidate) -> bool:
        """Return True if the corrections can be applied to gold."""
        key = dialogue_key(candidate.dialogue)
        read = next(each.reads[key] for each in self._set.voters if key in each.reads)
        try:
            GoldPatch(candidate.corrections).apply(read, self._set.words)
        except InputError:
            self.refused.append(f"{candidate.dialogue}: {candidate.slot}")
            return False
        return True

    def _of_dialogue(self, weighed: list[_WeighedMention]) -> Iterator[Candidate | None]:
        doubtful = [each for each in weighed if each.mention.gold and each.support < 0]
        proposed = [each for each in weighed if not each.mention.gold and each.support > 0]
        done: set[int] = set()
        pairs = [
            (kind, old, new)
            for old in doubtful
            for new in proposed
            if (kind := self._relation(old.mention, new)) is not None
        ]
        # The strongest pairs come first; a mention is part of only one candidate.
        for kind, old, new in sorted(
            pairs, key=lambda each: (each[1].support - each[2].support, each[1].index, each[2].index)
        ):
            if done.isdisjoint((old.index, new.index)):
                done |= {old.index, new.index}
                yield self._propose_replacement(kind, old, new)
        for old in (each for each in doubtful if each.index not in done):
            turns = self._turns(old.mention, old.mention.gold)
            corrections = self._set.corrections(old.mention.dialogue, old.mention.slot, turns, None)
            removal: Kind = "inconsistent" if old.by_words else "not-predicted"
            yield self._candidate(removal, old, None, -old.support, corrections)
        for new in (each for each in proposed if each.index not in done):
            key, slot = new.mention.dialogue, new.mention.slot
            turns = self._turns(new.mention, [self._span(new.index)])
            free = [turn for turn in turns if not self._set.has_value(key, turn, slot)]
            corrections = self._set.corrections(key, slot, free or turns, new.mention.cell)
            addition: Kind = "inconsistent" if new.by_words else "not-in-gold" if free else "other-value"
            yield self._candidate(addition, None, new, new.support, corrections)
        for each in weighed:
            if each.mention.gold and each.support >= 0:
                yield from self._propose_other_start(each)

    def _relation(self, old: SlotMention, new: _WeighedMention) -> Kind | None:
        """Return the kind of error if a proposed value replaces a doubtful one, otherwise None."""
        if old.slot == new.mention.slot:
            span = self._span(new.index)
            overlaps = any(each.first <= span.last and span.first <= each.last for each in old.gold)
            return "other-value" if overlaps else None
        pairs = self._set.pairs
        names = [pairs.slot_names[slot] for slot in (old.slot, new.mention.slot)]
        same_slot = names[0].partition("-")[2] == names[1].partition("-")[2] != ""
        same_value = pairs.values[old.cell] == pairs.values[new.mention.cell]
        return "wrong-domain" if same_slot and same_value and domain_of(names[0]) != domain_of(names[1]) else None

    def _span(self, index: int) -> TurnSpan:
        """Return the span of a mention: the first and the last turn with most weight of the trackers that have it."""
        mentions, weights = self._mentions, self._votes.for_it
        first, last = (_heaviest(self._weights(index, turns, weights)) for turns in (mentions.first, mentions.last))
        return TurnSpan(first, max(first, last))

    def _weights(self, index: int, turns: IntArray, weights: Floats) -> dict[int, float]:
        """Return the total weight of the trackers that have a mention, by turn."""
        by_turn: dict[int, float] = defaultdict(float)
        for tracker, first in enumerate(self._mentions.first[:, index]):
            if first >= 0:
                by_turn[int(turns[tracker, index])] += float(weights[tracker, self._mentions.listed[index].slot])
        return by_turn

    def _turns(self, mention: SlotMention, spans: Sequence[TurnSpan]) -> list[int]:
        numbers = self._mentions.turns[mention.dialogue]
        return [turn for turn in numbers if any(span.first <= turn <= span.last for span in spans)]

    def _propose_replacement(self, kind: Kind, old: _WeighedMention, new: _WeighedMention) -> Candidate | None:
        turns = self._turns(old.mention, old.mention.gold)
        key = old.mention.dialogue
        # The old value is removed at all of its turns. In the same slot, the new one starts where it starts in trackers.
        start = self._span(new.index).first if kind == "other-value" else turns[0]
        removed = turns if kind == "wrong-domain" else [turn for turn in turns if turn < start]
        corrections = self._set.corrections(key, old.mention.slot, removed, None)
        new_turns = [turn for turn in turns if turn >= start]
        corrections += self._set.corrections(key, new.mention.slot, new_turns, new.mention.cell)
        by_words = old.by_words and new.by_words
        # In one slot, a vote for the new value is the vote against the old one. Votes in two slots are two votes.
        strength = new.support if kind == "other-value" else new.support - old.support
        return self._candidate("inconsistent" if by_words else kind, old, new, strength, corrections)

    def _propose_other_start(self, weighed: _WeighedMention) -> Iterator[Candidate | None]:
        """Yield a candidate if a value starts at another turn in gold than in most trackers."""
        mention = weighed.mention
        start = mention.gold[0].first
        weights = self._weights(weighed.index, self._mentions.first, self._votes.timing)
        if not weights:
            return
        best = _heaviest(weights)
        # Trackers have different habits, such as waiting for an answer. Therefore gold has a vote on turns.
        strength = round(2 * weights[best] - sum(weights.values()) - float(self._votes.timing[-1, mention.slot]), 9)
        if best == start or strength <= 0:
            return
        is_late = best < start
        span = TurnSpan(best, start - 1) if is_late else TurnSpan(start, best - 1)
        turns = self._turns(mention, [span])
        corrections = self._set.corrections(mention.dialogue, mention.slot, turns, mention.cell if is_late else None)
        old, new = (None, weighed) if is_late else (weighed, None)
        yield self._candidate("late" if is_late else "early", old, new, strength, corrections)

    def _candidate(
        self,
        kind: Kind,
        old: _WeighedMention | None,
        new: _WeighedMention | None,
        strength: float,
        corrections: list[Correction],
    ) -> Candidate | None:
        """Return a candidate, or None if there is nothing to correct."""
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
            self._votes_by_tracker(one.mention.dialogue, slots),
            (new or one).words,
        )

    def _votes_by_tracker(self, key: str, slots: list[int]) -> dict[str, list[Vote]]:
        pairs, mentions = self._set.pairs, self._mentions
        held = [(index, each) for index in self._indices[key] if (each := mentions.listed[index]).slot in slots]
        return {
            tracker.name: sorted(
                (
                    Vote(pairs.slot_names[each.slot], self._set.value_of(each.cell), int(mentions.first[number, index]))
                    for index, each in held
                    if mentions.first[number, index] >= 0
                ),
                key=lambda vote: (vote.slot, vote.first, vote.value),
            )
            for number, tracker in enumerate(self._set.voters)
        }


def _heaviest(weights: Mapping[int, float]) -> int:
    """Return the turn with most weight, the first of equal ones."""
    return max(sorted(weights), key=lambda turn: round(weights[turn], 9))
