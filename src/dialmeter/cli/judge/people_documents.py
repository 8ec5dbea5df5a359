"""The documents of the commands that compare judges with people."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.document import AccountRecord, Count, Interval, IntervalMethod, Number, Text
from ...judges.people.compare import AgreementDifference
from ...judges.people.raters import DimensionAgreement, LeftOutComparison
from ...judges.people.result import DifferingItem
from .documents import JudgeDocument, ModelUsage


class CorrelationScore(Struct, kw_only=True):
    """The correlation of a judge with the mean rating of people.

    Attributes:
        level: reply or dialogue (over items), system (over the means of systems), within-context (the mean over contexts).
        n: items, systems or contexts.
        p: of no correlation, as if items were independent; absent below five systems and within contexts.
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
    """How much there is of what."""

    items: Count
    contexts: Count
    systems: Count
    dimensions: Count
    judges: Count


class JudgeHumanDocument(JudgeDocument, kw_only=True):
    """Agreement of judges with people: one score per measure, judge, dimension and level.

    Attributes:
        main_dimension: the dimension that differing items are about.
        resample: what is drawn for intervals and tests.
        intervals: how they were made; null for none.
        raters: agreement of the raters of every dimension.
        left_out: judges against a left-out rater.
        differences: the first judge against the others on the same items.
        differing: by judge, the items of which judge and people think most differently.
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
