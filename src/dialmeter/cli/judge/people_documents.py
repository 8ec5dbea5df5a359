"""The JSON documents of the commands that compare judges with people."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.document import AccountRecord, Count, Interval, IntervalMethod, Number, Text
from ...judges.people.correlate import DimensionAgreement, LeftOutComparison
from ...judges.people.result import AgreementDifference, DifferingItem
from .documents import JudgeDocument, ModelUsage


class CorrelationScore(Struct, kw_only=True):
    """The correlation of a judge with the mean rating of people.

    Attributes:
        level: reply or dialogue (over items), system (over the means of systems), within-context (the mean over contexts).
        n: number of items, systems or contexts.
        p: the p value of no correlation, which assumes independent items; absent below five systems and within contexts.
    """

    measure: Literal["Pearson", "Spearman", "Kendall"]
    value: Number
    ci: Interval
    n: Count
    unscored: Count
    judge: str
    dimension: str
    level: Literal["reply", "dialogue", "system", "within-context"]
    p: float | UnsetType = UNSET
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: str


class PeopleCounts(Struct, kw_only=True):
    """Number of items, contexts, systems, dimensions and judges."""

    items: Count
    contexts: Count
    systems: Count
    dimensions: Count
    judges: Count


class JudgeHumanDocument(JudgeDocument, kw_only=True):
    """Agreement of judges with people: one score per measure, judge, dimension and level.

    Attributes:
        main_dimension: the dimension of the differing items.
        resample: the unit that is resampled for intervals and tests.
        intervals: the method of the intervals; null if there are none.
        raters: the agreement of the raters of every dimension.
        left_out: the comparison of judges with a left-out rater.
        differences: the comparison of the first judge with the others on the same items.
        differing: judge → items on which judge and people disagree most.
    """

    command: Literal["judge human"] = "judge human"
    scores: list[CorrelationScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: PeopleCounts
    main_dimension: str
    resample: Literal["contexts", "items"]
    intervals: IntervalMethod | None
    raters: list[DimensionAgreement]
    left_out: list[LeftOutComparison]
    differences: list[AgreementDifference]
    differing: dict[str, list[DifferingItem]]
    usage: list[ModelUsage]
