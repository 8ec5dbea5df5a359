"""The documents of the studies of trackers: bias, curve, human."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from ...core.document import AccountRecord, Count, Interval, IntervalMethod, Number, ScoreRecord, Text
from ...studies.bias.correlations import DialogueTraits, Filter
from ...studies.human.human import RaterAgreement
from .documents import TrackerDocument


class StudiedScore(Struct, kw_only=True):
    """A score of one of the trackers of a study; the name of the system is absent for a trivial tracker."""

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
    """How much was studied."""

    systems: Count
    dialogues: Count
    turns: Count
    dialogues_with_mistakes: Count


class TraitCorrelationRecord(Struct, kw_only=True):
    """Pearson's r of a trait with a measure over dialogues.

    Attributes:
        filter: all dialogues; those that the published study kept for the two measures; those with a mistake.
        partner: the measure that the published filter is taken with.
    """

    system: str
    trait: str
    measure: str
    filter: Filter
    r: Number
    ci: Interval
    n: Count
    left_out: Count
    reason: str | None
    partner: str | None


class TraitDifferenceRecord(Struct, kw_only=True):
    """r(first) - r(second) with Zou's interval; strength is |r(first)| - |r(second)|."""

    system: str
    trait: str
    first: str
    second: str
    filter: Filter
    first_r: Number
    second_r: Number
    difference: Number
    ci: Interval
    strength: Number
    strength_ci: Interval
    n: Count
    left_out: Count
    reason: str | None


class MeasureCorrelationRecord(Struct, kw_only=True):
    """The correlation between two measures."""

    system: str
    first: str
    second: str
    filter: Filter
    r: Number
    ci: Interval
    n: Count
    left_out: Count
    reason: str | None


class BiasVerdictRecord(Struct, kw_only=True):
    """Does a trait move the reference (GCA) less than the rival?

    Attributes:
        outcome: by strength.
        as_tested: by signed correlations, as in the papers.
        published: correlations of FGA and GCA as printed in the papers.
    """

    system: str
    trait: str
    filter: Filter
    rival: str
    reference: str
    rival_r: Number
    reference_r: Number
    outcome: Literal["holds", "fails", "undecided", "no value"]
    strength: Number
    strength_ci: Interval
    as_tested: Literal["holds", "fails", "undecided", "no value"]
    difference: Number
    ci: Interval
    n: Count
    reason: str | None
    published: Interval
    sentence: str


class SignChangeRecord(Struct, kw_only=True):
    """A correlation whose sign, intervals without 0, depends on the published filter."""

    system: str
    trait: str
    measure: str
    none: float
    published: float
    sentence: str


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
    """Do measures depend on where mistakes fall? Values are fractions; correlations lie between -1 and 1.

    Attributes:
        between: correlations between measures.
        charts: files that --charts wrote, each with a .csv file of its data.
        dialogues: with --rows.
    """

    command: Literal["tracker bias"] = "tracker bias"
    scores: list[StudiedScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: BiasCounts
    confidence: float
    correlations: list[TraitCorrelationRecord]
    pairs: list[TraitDifferenceRecord]
    between: list[MeasureCorrelationRecord]
    verdicts: list[BiasVerdictRecord]
    sign_changes: list[SignChangeRecord]
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


class EstimateRecord(Struct, kw_only=True, omit_defaults=True):
    """A mean over files, or a slope: Student's interval over files (seeds), bootstrap interval over dialogues."""

    value: Number
    seeds: Interval = field(name="ci_seeds")
    dialogues: Interval = field(name="ci_dialogues")
    n: Count
    left_out: Count
    reason: str = ""


class CurveCounts(Struct, kw_only=True):
    """How many files there are, and of what."""

    files: Count
    ratios: Count
    seeds: Count
    domains: Count


class CurvePoint(Struct, kw_only=True):
    """A measure at one share of the training data."""

    domain: str | None
    ratio: Number
    measure: str
    seeds: list[str | None]
    value: EstimateRecord
    difference: EstimateRecord | None
    distance: EstimateRecord | None


class CurveTrend(Struct, kw_only=True):
    """How a measure changes with more training data."""

    domain: str | None
    measure: str
    of: Literal["value", "difference", "distance"]
    slope: EstimateRecord
    verdict: Literal["grows", "shrinks", "unclear"]


class CurveDomains(Struct, kw_only=True):
    """A measure by domain, their mean, and over all files together."""

    ratio: Number
    measure: str
    domains: dict[str, EstimateRecord]
    mean: EstimateRecord
    pooled: EstimateRecord


class TrackerCurveDocument(TrackerDocument, kw_only=True):
    """Scores of every file; points and trends of curves; scores by domain. Values are fractions.

    Attributes:
        intervals: how intervals were made, or null with --ci 0.
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
    """Dialogues that are only rated, or only in the file."""

    only_rated: list[str]
    only_in_file: list[str]


class TrackerHumanDocument(TrackerDocument, kw_only=True):
    """Correlations of measures with the mean rating per dialogue. After --make-sheets, and after --read-sheets without
    FILE, scores are empty and only counts and warnings follow."""

    command: Literal["tracker human"] = "tracker human"
    scores: list[HumanScore]
    counts: dict[str, Count]
    confidence: float | UnsetType = UNSET
    pairs: list[MeasurePair] | UnsetType = UNSET
    agreement: list[RaterAgreement] | UnsetType = UNSET
    raters: list[RaterRecord] | UnsetType = UNSET
    unmatched: UnmatchedRatings | UnsetType = UNSET
