"""The JSON documents of the commands on users."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from ...core.comparison import PairedDifference, TaskDifference
from ...core.document import (
    AccountRecord,
    Count,
    Document,
    Interval,
    IntervalMethod,
    NoticeRecord,
    Number,
    ScoreRecord,
    Text,
)
from ...core.ladder import Ladder
from ...users.blame import Confusion, Loss
from ...users.blame.words import LabelFinding
from ...users.events import Event
from ...users.result import WorstDialogue


class UserDocument(Document, kw_only=True):
    """A document on users."""

    kind: Literal["user"] = "user"


class UserScore(ScoreRecord, kw_only=True):
    """A score of a user.

    Attributes:
        n: number of scored dialogues.
        unscored: number of dialogues in which the domain occurs, but nothing is wanted or counted.
        domain: a domain, or combined.
    """

    domain: Text
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class UserDocumentCounts(Struct, kw_only=True):
    """Number of dialogues, turns and events.

    Attributes:
        refused: number of dialogues that cannot be scored.
    """

    dialogues: Count
    turns: Count
    refused: Count
    events: Count


class BlameExample(Struct, kw_only=True):
    """An example of a lost point."""

    dialogue: Text
    loss: Loss


class BlameRecord(Struct, kw_only=True):
    """The parties that lost points, and the reasons.

    Attributes:
        first: a sentence about the confusion that lost the most points; empty if nobody misheard.
        failed: number of dialogues in which a unit of the goal is missing, or that were cut.
        dialogues: number of dialogues by the party with most of their losses: missing units (recall), surplus units (precision).
        points: number of lost points by side, measure and party.
        confusions: number of lost points by what was said and heard, the most frequent first, with the gain if it were mended.
        reasons: number of lost points by reason.
        examples: one lost point for each reason.
    """

    first: str
    failed: Count
    dialogues: dict[str, dict[str, Count]]
    points: dict[str, dict[str, dict[str, Count]]]
    confusions: list[Confusion]
    reasons: dict[str, Count]
    examples: list[BlameExample]


class UserScoreDocument(UserDocument, kw_only=True):
    """The six measures over all domains together, then by domain. Values are fractions.

    Attributes:
        format: the format of the dialogues.
        intervals: the method of the intervals, or null with --ci 0.
        events: number of events by class and domain.
        worst: up to three dialogues that lost points, the worst first; null if a measure has no value.
        refused: every unscored dialogue, with the reason.
        verdicts: with --blame.
    """

    command: Literal["user score"] = "user score"
    scores: list[UserScore]
    account: AccountRecord
    counts: UserDocumentCounts
    format: Text
    intervals: IntervalMethod | None
    events: dict[str, dict[str, Count]]
    worst: list[WorstDialogue]
    refused: list[Text]
    verdicts: BlameRecord | UnsetType = UNSET


class UserCheckCounts(Struct, kw_only=True):
    """Number of dialogues, turns, domains, constraints and requests in the file."""

    dialogues: Count
    turns: Count
    domains: Count
    constraints: Count
    requests: Count


class UserCheckDocument(UserDocument, kw_only=True):
    """The validation of a file. The scores are those of users that say exactly their goals; there are no scores if no
    dialogue can be scored.

    Attributes:
        fit: true if there are no problems; the exit code is then 0.
        problems: one for each dialogue that cannot be scored.
    """

    command: Literal["user check"] = "user check"
    scores: list[UserScore]
    account: AccountRecord
    counts: UserCheckCounts
    format: Text
    fit: bool
    problems: list[NoticeRecord]


class ComparedUserScore(UserScore, kw_only=True):
    """A score of one of several users."""

    system: Text


class UserCompareCounts(Struct, kw_only=True):
    """Number of dialogues and users."""

    dialogues: Count
    systems: Count


class UserCompareDocument(UserDocument, kw_only=True):
    """A comparison of users on the dialogues with the same goals, each with the first user.

    Attributes:
        versus: the paired differences: the user's value minus the base's.
        ladder: for each user after the first, its verdict under I-GCDF1 and what the verdict depends on.
        domain: the domain that was compared, or combined.
        intervals: the method of intervals and tests.
    """

    command: Literal["user compare"] = "user compare"
    scores: list[ComparedUserScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: UserCompareCounts
    versus: list[PairedDifference]
    ladder: list[Ladder]
    domain: Text
    intervals: IntervalMethod


class CrossScoreRecord(ScoreRecord, kw_only=True):
    """A measure of a user with a system.

    Attributes:
        value: a fraction; for Turns, turns of the user per dialogue.
        n: number of dialogues, or of bookings in goals, that the value is a mean over.
        unscored: number of dialogues that have nothing to count.
        difference: the value minus that of the first user with the same system; null for the first user.
        difference_ci_reason: the reason why the difference has no interval.
    """

    user: str
    system: str
    difference: Number
    difference_ci: Interval
    signature: str
    ci_reason: Text | UnsetType = UNSET
    difference_ci_reason: Text | UnsetType = UNSET


class CrossCounts(Struct, kw_only=True):
    """Number of users, systems, dialogues and goals."""

    users: Count
    systems: Count
    dialogues: Count
    goals: Count


class SystemScore(ScoreRecord, kw_only=True):
    """A score of a system.

    Attributes:
        n: number of tasks with a value.
        unscored: number of tasks with fewer trials than Pass(k) needs.
    """

    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class EndingCounts(Struct, kw_only=True):
    """Number of dialogues with one ending, by outcome."""

    successful: Count
    failed: Count
    unscored: Count


class CrossSystemRecord(Struct, kw_only=True):
    """The scores of a system with one user, as in `system score`.

    Attributes:
        endings: number of dialogues by ending.
    """

    user: Text
    system: Text
    scores: list[SystemScore]
    endings: dict[str, EndingCounts]


class UserCrossDocument(UserDocument, kw_only=True):
    """Every user with every system on the same goals.

    Attributes:
        systems: the scores of every system with each user.
        versus: user → comparison of every system with the first one on the same goals; ci and p are those of the t test over goals.
    """

    command: Literal["user cross"] = "user cross"
    scores: list[CrossScoreRecord]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: CrossCounts
    systems: list[CrossSystemRecord]
    versus: dict[str, list[TaskDifference]]


class PlayCounts(Struct, kw_only=True):
    """Number of dialogues and turns, of cut dialogues, and of dialogues that reached their goals."""

    dialogues: Count
    turns: Count
    cut: Count
    completed: Count


class UserPlayDocument(UserDocument, kw_only=True):
    """The dialogues of a simulated user with a system.

    Attributes:
        out: the file of the dialogues.
    """

    command: Literal["user play"] = "user play"
    account: AccountRecord
    counts: PlayCounts
    out: str
    user: str
    system: str
    noise: float
    seed: Count


class QueryCounts(Struct, kw_only=True):
    """Number of matching dialogues, and number of these in the document."""

    found: Count
    shown: Count


class MatchingDialogue(Struct, kw_only=True):
    """A dialogue that matches the query.

    Attributes:
        goal: the domains of the goal.
        events: the events that match the query.
        losses: the lost points that match the query, with --party or --why.
    """

    dialogue: str
    goal: list[str]
    inform: Number = field(name="I-GCDF1")
    request: Number = field(name="R-GCDF1")
    events: list[Event]
    losses: list[Loss] | UnsetType = UNSET


class UserQueryDocument(UserDocument, kw_only=True):
    """The dialogues that match a query, in the order of the file or run, at most --limit."""

    command: Literal["user query"] = "user query"
    counts: QueryCounts
    dialogues: list[MatchingDialogue]


class LabelCounts(Struct, kw_only=True):
    """Number of dialogues and of findings."""

    dialogues: Count
    findings: Count


class UserLabelsDocument(UserDocument, kw_only=True):
    """Turns of users whose text and acts do not agree.

    Attributes:
        kinds: number of findings by kind.
        findings: all findings, in the order of the file.
    """

    command: Literal["user labels"] = "user labels"
    account: AccountRecord
    counts: LabelCounts
    kinds: dict[str, Count]
    findings: list[LabelFinding]


class UnderstandCounts(Struct, kw_only=True):
    """Number of dialogues and turns."""

    dialogues: Count
    turns: Count


class ReadingRecord(Struct, kw_only=True):
    """Accuracy of the units of one kind that were found in text. Domain and slot are empty for all units together."""

    kind: Literal["inform", "request"]
    domain: str
    slot: str
    right: Count
    found: Count
    given: Count
    precision: float | None
    recall: float | None


class EffectRecord(Struct, kw_only=True):
    """A score from acts, and the same score from text."""

    measure: str
    by_acts: float
    from_text: float
    bias: float
    correlation: float | None
    n: Count


class UserUnderstandDocument(UserDocument, kw_only=True):
    """The accuracy of acts that were found in text.

    Attributes:
        reader: the name of the reader that finds acts.
        summary: precision and recall as a text.
        reading: the accuracy of all units together, then by domain and slot.
        effects: the effect of the reader on the scores of dialogues with goals.
    """

    command: Literal["user understand"] = "user understand"
    account: AccountRecord
    counts: UnderstandCounts
    reader: Text
    summary: str
    reading: list[ReadingRecord]
    effects: list[EffectRecord]


class PatternCounts(Struct, kw_only=True):
    """Number of dialogues."""

    dialogues: Count


class UserPatternsDocument(UserDocument, kw_only=True):
    """Patterns of constraints and requests, information that the system gives without a request, and domains that the
    dialogues never mention.

    Attributes:
        patterns: kind → domain → pattern → count.
        goals: domain → number of goals with it.
    """

    command: Literal["user patterns"] = "user patterns"
    counts: PatternCounts
    patterns: dict[str, dict[str, dict[str, Count]]]
    goals: dict[str, Count]
