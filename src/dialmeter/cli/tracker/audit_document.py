"""The document of ``dialmeter tracker audit``."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.document import AccountRecord, Count, Number, Text
from ...studies.audit.audit import Reliability
from ...studies.audit.candidates import Kind, Vote
from ...tracking.gold_patch import Correction
from .documents import ComparedScore, TrackerDocument


class TalkRecord(Struct, kw_only=True):
    """An utterance."""

    turn: Count
    speaker: Text
    text: str


class CorrectedScore(Struct, kw_only=True):
    """The score of a tracker if one candidate alone were corrected."""

    system: str
    measure: Text
    value: Number


class SameWordsRecord(Struct, kw_only=True):
    """In how many other dialogues users say a value and talk about its domain, and in how many of these gold has the value."""

    dialogues: Count
    annotated: Count


class CandidateRecord(Struct, kw_only=True):
    """A likely error of gold.

    Attributes:
        rank: 1 is the strongest; candidates of equal strength share the first rank of their group.
        tied: how many candidates share the rank, itself included.
        turn: the first turn that a correction would change.
        gold: null is no value.
        proposed: null is no value.
        strength: the weight of the votes against gold less that of the votes for it.
        votes: by tracker, what it has in the slots in question; empty is no value.
        talk: the turn and the one before, where the files have utterances.
        same_words: null where the user does not say the value.
    """

    rank: Count
    tied: Count
    kind: Kind
    dialogue: str
    turn: Count
    slot: str
    gold: str | None
    proposed_slot: str
    proposed: str | None
    strength: float
    corrections: list[Correction]
    votes: dict[str, list[Vote]]
    talk: list[TalkRecord]
    same_words: SameWordsRecord | None
    corrected: list[CorrectedScore]


class TrackerAuditDocument(TrackerDocument, kw_only=True):
    """Likely errors of gold, the strongest first. With --read-sheet: what annotators said, and the digest of the patch.

    Attributes:
        scores: of every tracker on gold as it is.
        trackers: what the votes of each are worth.
        kinds: how many candidates there are of each kind, whether they are listed or not.
        verdicts: with --read-sheet, how many candidates have which verdict.
        patch: with --read-sheet, the digest that signatures show.
    """

    command: Literal["tracker audit"] = "tracker audit"
    scores: list[ComparedScore]
    account: AccountRecord | UnsetType = UNSET
    accounts: dict[str, AccountRecord] | UnsetType = UNSET
    counts: dict[str, Count]
    trackers: list[Reliability] | UnsetType = UNSET
    kinds: dict[str, Count] | UnsetType = UNSET
    candidates: list[CandidateRecord] | UnsetType = UNSET
    verdicts: dict[str, Count] | UnsetType = UNSET
    patch: Text | UnsetType = UNSET
