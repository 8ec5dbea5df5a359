"""The JSON documents of the studies of trackers: bias, curve, human, sensitivity, board."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.comparison import PairedDifference
from ...core.document import AccountRecord, Count, Interval, IntervalMethod, Number, ScoreRecord, Text
from ...studies.bias import (
    BiasVerdict,
    DialogueTraits,
    MeasureCorrelation,
    SignChange,
    TraitCorrelation,
    TraitDifference,
)
from ...studies.board import RuleRanks
from ...studies.curve import CurveEstimate, CurvePoint, CurveTrend
from ...studies.human import LambdaFit, RaterAgreement
from ...studies.sensitivity import SchemaSensitivity
from ...tracking.diagnosis.suspicions import Finding
from .documents import TrackerDocument, TrackerScore


class StudiedScore(Struct, kw_only=True):
    """A score of a tracker in a study. A trivial tracker has no name of a system."""

    system: str | UnsetType = UNSET
    measure: Text
    value: Number
    ci: Interval
    n: Count
    unscored: Count
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class BiasCounts(Struct, kw_only=True):
    """Number of systems, dialogues and turns, and of dialogues with mistakes."""

    systems: Count
    dialogues: Count
    turns: Count
    dialogues_with_mistakes: Count


class BiasSummary(Struct, kw_only=True):
    """The study of one tracker in sentences."""

    system: str
    sentences: list[str]


class YardstickRecord(Struct, kw_only=True):
    """A trivial tracker on the gold states of a system."""

    system: str
    yardstick: str
    about: str
    scores: list[StudiedScore]


class TrackerBiasDocument(TrackerDocument, kw_only=True):
    """The dependence of measures on the position of mistakes. Values are fractions; correlations are between -1 and 1.

    Attributes:
        between: correlations between measures.
        charts: files that --charts wrote, each with its data in a .csv file.
        dialogues: with --all-dialogues.
    """

    command: Literal["tracker bias"] = "tracker bias"
    scores: list[StudiedScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: BiasCounts
    confidence: float
    correlations: list[TraitCorrelation]
    pairs: list[TraitDifference]
    between: list[MeasureCorrelation]
    verdicts: list[BiasVerdict]
    sign_changes: list[SignChange]
    summary: list[BiasSummary]
    yardsticks: list[YardstickRecord]
    dialogues: list[DialogueTraits] | UnsetType = UNSET
    charts: list[str]


class CurveFileRecord(Struct, kw_only=True):
    """A prediction file of a curve."""

    file: str
    ratio: Number
    seed: str | None
    domain: str | None
    dialogues: Count
    turns: Count
    data: str


class CurveScore(ScoreRecord, kw_only=True):
    """A score of one file of a curve."""

    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text
    file: str
    ratio: Number
    seed: str | None
    domain: str | None


class CurveCounts(Struct, kw_only=True):
    """Number of files, ratios, seeds and domains."""

    files: Count
    ratios: Count
    seeds: Count
    domains: Count


class CurveDomains(Struct, kw_only=True):
    """A measure by domain, the mean over domains, and the value over all files together."""

    ratio: Number
    measure: str
    domains: dict[str, CurveEstimate]
    mean: CurveEstimate
    pooled: CurveEstimate


class TrackerCurveDocument(TrackerDocument, kw_only=True):
    """Scores of every file; points and trends of curves; scores by domain. Values are fractions.

    Attributes:
        intervals: the method of the intervals, or null with --ci 0.
        reference: the measure that the others are compared with.
        scale: slopes per tenfold training data (log), or per whole training set (linear).
    """

    command: Literal["tracker curve"] = "tracker curve"
    scores: list[CurveScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: CurveCounts
    intervals: IntervalMethod | None
    reference: str | None
    scale: Literal["log", "linear"]
    files: list[CurveFileRecord]
    points: list[CurvePoint]
    trends: list[CurveTrend]
    domains: list[CurveDomains]
    charts: list[str]


class CorrelationRecord(Struct, kw_only=True, omit_defaults=True):
    """A correlation, or a difference of two, with its interval and its p value."""

    value: Number
    ci: Interval
    n: Count
    unscored: Count
    p: Number
    reason: str = ""


class HumanScore(Struct, kw_only=True, omit_defaults=True):
    """The correlation of a measure with the mean rating per dialogue."""

    measure: str
    statistic: Literal["pearson", "spearman", "kendall"]
    value: Number
    ci: Interval
    n: Count
    unscored: Count
    p: Number
    reason: str = ""
    signature: str


class MeasurePair(Struct, kw_only=True, omit_defaults=True):
    """Pearson of the first measure minus Pearson of the second, with Zou's interval."""

    first: str
    second: str
    value: Number
    ci: Interval
    n: Count
    unscored: Count
    p: Number
    reason: str = ""


class RaterRecord(Struct, kw_only=True):
    """A rater, and the correlation of every measure with the ratings."""

    rater: str
    n: Count
    mean: float
    pearson: dict[str, CorrelationRecord]


class UnmatchedRatings(Struct, kw_only=True):
    """Dialogues that only have ratings, or are only in the file."""

    only_rated: list[str]
    only_in_file: list[str]


class TrackerHumanDocument(TrackerDocument, kw_only=True):
    """Correlations of measures with the mean rating per dialogue. With --make-sheets, and with --read-sheets without
    FILE, scores are empty, and there are only counts and warnings.

    Attributes:
        lambda_fit: with --fit-lambda.
    """

    command: Literal["tracker human"] = "tracker human"
    scores: list[HumanScore]
    counts: dict[str, Count]
    confidence: float | UnsetType = UNSET
    pairs: list[MeasurePair] | UnsetType = UNSET
    agreement: list[RaterAgreement] | UnsetType = UNSET
    raters: list[RaterRecord] | UnsetType = UNSET
    unmatched: UnmatchedRatings | UnsetType = UNSET
    lambda_fit: LambdaFit | UnsetType = UNSET


class VariantScore(TrackerScore, kw_only=True):
    """A score under one wording of the schema."""

    variant: str


class SensitivityCounts(Struct, kw_only=True):
    """Number of variants, dialogues and turns. The original schema counts as a variant."""

    variants: Count
    dialogues: Count
    turns: Count


class TrackerSensitivityDocument(TrackerDocument, kw_only=True):
    """One tracker under several wordings of the schema. Values are fractions; a sensitivity may exceed 1.

    Attributes:
        intervals: the method of the intervals, or null with --ci 0.
    """

    command: Literal["tracker sensitivity"] = "tracker sensitivity"
    scores: list[VariantScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: SensitivityCounts
    intervals: IntervalMethod | None
    sensitivities: list[SchemaSensitivity]


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
        best_rank: the best rank under all measures, rule sets and maps; null for a system that is not ranked.
        given_gold: the share of turns that equal gold, if gold states were given to the system; null for other systems.
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
        systems: sorted by the first measure, best first; systems that are not ranked are last.
        gold: the digest of gold, the same in every format.
        ranks: the ranks under every measure of the board, then under every rule set and value map.
        versus: the paired tests of all pairs of systems.
    """

    title: str
    dialogues: Count
    turns: Count
    gold: str
    confidence: float
    systems: list[BoardSystemRecord]
    ranks: list[RuleRanks]
    versus: list[PairedDifference]


class BoardCounts(Struct, kw_only=True):
    """Number of boards, and of systems on all boards."""

    boards: Count
    systems: Count


class TrackerBoardDocument(TrackerDocument, kw_only=True):
    """Boards of trackers, one for each gold. Values are fractions.

    Attributes:
        files: the files written to the folder of --out.
    """

    command: Literal["tracker board"] = "tracker board"
    scores: list[BoardScore]
    counts: BoardCounts
    boards: list[BoardRecord]
    files: list[str]
