"""The document of ``tracker board``."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.comparison import PairedDifference
from ...core.document import Count, Number, ScoreRecord, Text
from ...studies.board.rule_ranks import RuleRanks
from ...tracking.diagnosis.suspicions import Finding
from .documents import TrackerDocument


class BoardScore(ScoreRecord, kw_only=True):
    """A score of a system on a board.

    Attributes:
        letters: systems of the board that share a letter under the measure do not differ significantly; empty without a test.
    """

    board: str
    system: str
    letters: str
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class BoardSystemRecord(Struct, kw_only=True):
    """A system of a board.

    Attributes:
        file: the name of its file, without folders.
        best_rank: under all measures, rule sets and maps; null for a system that is not ranked.
        given_gold: the share of turns that equal gold, if the file was given gold states; null for the others.
    """

    system: str
    file: str
    sha256: str
    format: str
    source: str
    licence: str
    date: str
    best_rank: Count | None
    worst_rank: Count | None
    diagnosis: list[Finding]
    given_gold: Number


class BoardRecord(Struct, kw_only=True):
    """A board.

    Attributes:
        systems: the best under the first measure first; systems that are not ranked come last.
        data: the digest of gold.
        ranks: under every measure of the board, then under every rule set and value map.
        versus: the paired tests of all pairs.
    """

    title: str
    dialogues: Count
    turns: Count
    data: str
    confidence: float
    systems: list[BoardSystemRecord]
    ranks: list[RuleRanks]
    versus: list[PairedDifference]


class BoardCounts(Struct, kw_only=True):
    """How many boards there are, and systems on all of them."""

    boards: Count
    systems: Count


class TrackerBoardDocument(TrackerDocument, kw_only=True):
    """Boards of trackers, one for each gold. Values are fractions.

    Attributes:
        files: what was written into the folder of --out.
    """

    command: Literal["tracker board"] = "tracker board"
    scores: list[BoardScore]
    counts: BoardCounts
    boards: list[BoardRecord]
    files: list[str]
