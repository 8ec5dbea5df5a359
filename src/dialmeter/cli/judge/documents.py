"""The JSON documents of the commands on judges."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from ...core.document import AccountRecord, Count, Document, Interval, Number, Text
from ...core.ladder import Ladder
from ...judges.compare import Average, JudgeComparison, PositionBias
from ...judges.explanation import Explained
from ...judges.train.ratings import Quality
from ...judges.validity import AttackValidity


class JudgeDocument(Document, kw_only=True):
    """A document on judges."""

    kind: Literal["judge"] = "judge"


class AttackCounts(Struct, kw_only=True):
    """Number of dialogues, cases and written lines or files.

    Attributes:
        left_out: number of published cases that are not valid cases and were skipped.
        written: number of lines or files in --out.
    """

    dialogues: Count | UnsetType = UNSET
    cases: Count
    left_out: Count | UnsetType = UNSET
    written: Count


class AttackYield(Struct, kw_only=True):
    """The cases that one attack made.

    Attributes:
        tried: number of attempts of a variant on a reply.
        why: reason → number of rejected attempts.
        skipped: variant that needs a missing resource → what to install.
    """

    attack: str
    tried: Count
    made: Count
    rejected: Count
    by_variant: dict[str, Count] = field(name="variants")
    why: dict[str, Count]
    skipped: dict[str, str]


class JudgeAttackDocument(JudgeDocument, kw_only=True):
    """The yield of attacks on a corpus. The cases are in the file of --out.

    Attributes:
        seed: the random seed; null if published cases were read.
        resources: pipelines, lexicons and similar resources, with versions.
    """

    command: Literal["judge attack"] = "judge attack"
    account: AccountRecord
    counts: AttackCounts
    seed: int | None
    resources: list[str]
    yields: list[AttackYield]


class ErrorScore(Struct, kw_only=True):
    """The error rate of a judge under an attack.

    Attributes:
        expected: the score that an ideal judge gives to the adversarial reply: lower, similar or at-most.
        value: the error rate; null with a reason.
        higher: the share of cases in which the human reply has the higher rating.
        difference: the mean difference between the replies. A positive value favours the human reply, also for judges for
            which lower is better.
        ci_reason, difference_ci_reason: the reason why the error rate or the difference has no interval.
    """

    measure: Literal["error"]
    judge: str
    attack: str
    corpus: str
    facet: str
    expected: str
    value: Number
    ci: Interval
    ci_reason: Text | UnsetType = UNSET
    n: Count
    unscored: Count
    higher: Number
    similar: Number
    lower: Number
    difference: Number
    difference_ci: Interval
    difference_ci_reason: Text | UnsetType = UNSET
    threshold: Number
    degenerate: bool
    trivial: bool
    reason: str | UnsetType = UNSET
    signature: str


class JudgeCounts(Struct, kw_only=True):
    """Number of cases, attacks, corpora, judges and failures."""

    cases: Count
    attacks: Count
    corpora: Count
    judges: Count
    failures: Count


class FailingCase(Struct, kw_only=True):
    """A case in which a judge did not score as expected."""

    case: str
    attack: str
    reply: str
    adversarial: str
    human_score: Number
    adversarial_score: Number


class Stability(Struct, kw_only=True):
    """The agreement of a judge with itself over repeats.

    Attributes:
        sd: the mean standard deviation of the answers about one reply.
        same: the share of replies with equal answers in all repeats.
        alpha: Krippendorff's alpha (interval), with the repeats as raters; null if all answers are equal.
    """

    repeats: Count
    asked: Count
    sd: float
    same: float
    same_ci: Interval
    alpha: Number


class ModelUsage(Struct, kw_only=True):
    """The use of an endpoint.

    Attributes:
        judges: the judges that use it.
        requests: number of requests, failed ones included.
        answers: number of received answers.
        cached: number of answers from the cache.
        busy: number of requests that the server rejected because there were too many.
        estimated: number of answers whose tokens the server did not count.
        cost: null without --price.
    """

    model: str
    judges: list[str]
    requests: Count
    answers: Count
    cached: Count
    busy: Count
    prompt_tokens: Count
    answer_tokens: Count
    estimated: Count
    cost: Number


class JudgeScoreDocument(JudgeDocument, kw_only=True):
    """Error rates of judges under attack: one score per corpus, attack and judge. Values are fractions."""

    command: Literal["judge score"] = "judge score"
    scores: list[ErrorScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: JudgeCounts
    threshold: str
    verdict: Literal["paper", "published"]
    averages: list[Average]
    ladder: list[Ladder]
    comparisons: list[JudgeComparison]
    position_bias: list[PositionBias]
    failing: dict[str, list[FailingCase]]
    stability: dict[str, Stability]
    usage: list[ModelUsage]


class ImportanceScore(Struct, kw_only=True):
    """The weight of the words of adversarial replies relative to human replies.

    Attributes:
        value: adversarial divided by human; null if the divisor is zero.
    """

    measure: Literal["importance"]
    judge: str
    value: Number
    n: Count
    attack: str
    words: Literal["changed", "all"]
    how: Literal["sum", "mean"]
    human: Number
    adversarial: Number


class ExplainCounts(Struct, kw_only=True):
    """Number of cases, and number of explained cases."""

    cases: Count
    explained: Count


class ExplainedCaseRecord(Struct, kw_only=True):
    """Shapley values of the words of both replies of a case."""

    case: str
    attack: str
    human: Explained
    adversarial: Explained


class JudgeExplainDocument(JudgeDocument, kw_only=True):
    """Shapley values of the words of both replies of each case, and for each attack the weight of the words of adversarial
    replies relative to human replies."""

    command: Literal["judge explain"] = "judge explain"
    scores: list[ImportanceScore]
    account: AccountRecord
    counts: ExplainCounts
    base: Literal["masked", "zero"]
    cases: list[ExplainedCaseRecord]


class TrainingScore(Struct, kw_only=True):
    """A score of a seed, or of the most frequent class, on held-out ratings."""

    measure: Literal["accuracy", "uar", "macro_f1", "spearman"]
    value: Number
    n: Count
    judge: str


class TrainingCounts(Struct, kw_only=True):
    """Number of trained seeds, and number of test ratings."""

    seeds: Count
    test: Count


class TrainingMeans(Struct, kw_only=True):
    """The means over seeds."""

    accuracy: float
    uar: float
    macro_f1: float
    spearman: float


class TrainedSeed(Struct, kw_only=True):
    """The result of training with one seed.

    Attributes:
        watched: the quality after each epoch.
    """

    seed: Count
    epochs: Count
    test: Quality
    watched: list[Quality]


class JudgeTrainSatisfactionDocument(JudgeDocument, kw_only=True):
    """The scores of each seed on held-out ratings, and of the most frequent class."""

    command: Literal["judge train satisfaction"] = "judge train satisfaction"
    scores: list[TrainingScore]
    counts: TrainingCounts
    means: TrainingMeans
    epochs: list[TrainedSeed]


class RobustError(Struct, kw_only=True):
    """The error rate of a head under an attack, on dialogues that are not in its training data."""

    measure: Literal["error"]
    judge: Literal["before", "after, attack seen", "after, attack held out"]
    attack: str
    expected: str
    value: Number
    ci: Interval
    n: Count


class RobustCounts(Struct, kw_only=True):
    """Number of cases, training pairs, attacks in training, and test cases."""

    cases: Count
    pairs: Count
    attacks: Count
    tested: Count


class JudgeTrainRobustDocument(JudgeDocument, kw_only=True):
    """Error rates before and after training on preference pairs."""

    command: Literal["judge train robust"] = "judge train robust"
    scores: list[RobustError]
    counts: RobustCounts
    features: Literal["ngram", "minilm"]
    pairs: dict[str, int]


class ValidityCounts(Struct, kw_only=True):
    """Number of cases and readers."""

    cases: Count
    readers: Count


class ReaderAgreement(Struct, kw_only=True):
    """Cohen's kappa of two readers on the cases that both read."""

    readers: tuple[Count, Count]
    kappa: Number | None
    n: Count


class JudgeValidityDocument(JudgeDocument, kw_only=True):
    """Verdicts of readers on cases."""

    command: Literal["judge validity"] = "judge validity"
    account: AccountRecord | UnsetType = UNSET
    counts: ValidityCounts
    validity: list[AttackValidity]
    agreement: list[ReaderAgreement]
