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
    """Number of other dialogues in which the user says the value and talks about its domain, and number of these in which gold
    has the value."""

    dialogues: Count
    annotated: Count


class CandidateRecord(Struct, kw_only=True):
    """A likely error of gold.

    Attributes:
        rank: 1 is the strongest; candidates of equal strength share the first rank of their group.
        tied: number of candidates that share the rank, this one included.
        turn: the first turn that a correction would change.
        gold: null is no value.
        proposed: null is no value.
        strength: the weight of the votes against gold minus the weight of the votes for it.
        votes: tracker → its values of the slots in question; an empty string is no value.
        talk: the utterances of the turn and of the turn before, if the files have them.
        same_words: null if the user does not say the value.
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
    """Likely errors of gold, the strongest first. With --read-sheets: the verdicts of annotators, and the digest of the patch.

    Attributes:
        scores: the scores of every tracker on the unchanged gold.
        trackers: the reliability of each tracker, which weights its votes.
        kinds: number of candidates of each kind, unlisted ones included.
        verdicts: with --read-sheets, number of candidates by verdict.
        patch: with --read-sheets, the digest that signatures show.
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
