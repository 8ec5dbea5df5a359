"""The documents of the commands on users."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from ...core.comparison import PairedDifference
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
from ...users.blame import Loss
from ...users.blame.label_check import LabelFinding
from ...users.events import Event
from ...users.result import WorstDialogue
from ..system.documents import EndingCounts, SystemScore


class UserDocument(Document, kw_only=True):
    """A document on users."""

    kind: Literal["user"] = "user"


class UserScore(ScoreRecord, kw_only=True):
    """A score of a user.

    Attributes:
        n: how many dialogues were scored.
        unscored: dialogues in which the domain is in play and nothing is wanted or counted.
        domain: a domain, or combined.
    """

    domain: Text
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class UserDocumentCounts(Struct, kw_only=True):
    """How much was scored.

    Attributes:
        refused: dialogues that cannot be scored.
    """

    dialogues: Count
    turns: Count
    refused: Count
    events: Count


class Parties(Struct, kw_only=True, rename={"not_needed": "not needed"}):
    """How much is attributed to whom."""

    user: Count
    system: Count
    understanding: Count
    goal: Count
    label: Count
    not_needed: Count
    unknown: Count


class BlameExample(Struct, kw_only=True):
    """A lost point of a party, as an example."""

    dialogue: Text
    loss: Loss


class BlameRecord(Struct, kw_only=True):
    """Who lost the points.

    Attributes:
        failed: dialogues in which a wanted unit is missing, or that were cut.
        dialogues: dialogues by the party with most of their losses: of what is missing (recall), of what was too much (precision).
        points: lost points by side, measure and party.
        reasons: lost points by reason.
        examples: one lost point for each reason.
    """

    failed: Count
    dialogues: dict[str, Parties]
    points: dict[str, dict[str, Parties]]
    reasons: dict[str, Count]
    examples: list[BlameExample]


class UserScoreDocument(UserDocument, kw_only=True):
    """The six measures over all domains together, then by domain. Values are fractions.

    Attributes:
        format: the format that the dialogues were read as.
        intervals: how intervals were made, or null with --ci 0.
        events: how often each class of events happened, by domain.
        worst: up to three dialogues that lost something, the worst first; null where a measure has no value.
        refused: every dialogue that is unscored, and why.
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
    """How much the file holds."""

    dialogues: Count
    turns: Count
    domains: Count
    constraints: Count
    requests: Count


class UserCheckDocument(UserDocument, kw_only=True):
    """Whether every dialogue can be scored. The scores are those of users that say exactly their goals; there are none
    where no dialogue can be scored.

    Attributes:
        fit: true where there are no problems; then the exit code is 0.
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
    """How much was compared."""

    dialogues: Count
    systems: Count


class UserCompareDocument(UserDocument, kw_only=True):
    """Users on the dialogues that all of them had with the same goal, each against the first.

    Attributes:
        versus: a difference is the user's value less the base's.
        domain: the domain that was compared, or combined.
        intervals: how intervals and tests were made.
    """

    command: Literal["user compare"] = "user compare"
    scores: list[ComparedUserScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: UserCompareCounts
    versus: list[PairedDifference]
    domain: Text
    intervals: IntervalMethod


class CrossScoreRecord(ScoreRecord, kw_only=True):
    """A measure of a user with a system.

    Attributes:
        value: a fraction; for Turns, turns of the user per dialogue.
        n: what the value is a mean over: dialogues, or wanted bookings.
        unscored: dialogues that have nothing to count.
        difference: the value less that of the first user with the same system; null for that user.
        difference_ci_reason: why the difference has no interval.
    """

    user: str
    system: str
    difference: Number
    difference_ci: Interval
    signature: str
    ci_reason: Text | UnsetType = UNSET
    difference_ci_reason: Text | UnsetType = UNSET


class CrossCounts(Struct, kw_only=True):
    """How much was played."""

    users: Count
    systems: Count
    dialogues: Count
    goals: Count


class CrossSystemRecord(Struct, kw_only=True):
    """A system with one user, as `system score` gives it.

    Attributes:
        endings: how dialogues ended.
    """

    user: Text
    system: Text
    scores: list[SystemScore]
    endings: dict[str, EndingCounts]


class UserCrossDocument(UserDocument, kw_only=True):
    """Every user with every system on the same goals.

    Attributes:
        systems: the systems with each user.
        versus: by user, every system against the first one within goals; p is that of the exact sign test.
    """

    command: Literal["user cross"] = "user cross"
    scores: list[CrossScoreRecord]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: CrossCounts
    systems: list[CrossSystemRecord]
    versus: dict[str, list[PairedDifference]]


class PlayCounts(Struct, kw_only=True):
    """How much was played."""

    dialogues: Count
    turns: Count
    cut: Count
    completed: Count


class UserPlayDocument(UserDocument, kw_only=True):
    """The dialogues of a simulated user with a system.

    Attributes:
        out: the file.
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
    """How many dialogues were found, and how many of them are in the document."""

    found: Count
    shown: Count


class FoundDialogue(Struct, kw_only=True):
    """A dialogue that was looked for.

    Attributes:
        goal: the goal's domains.
        events: the events that the query is about.
        losses: the lost points that the query is about, with --party or --why.
    """

    dialogue: str
    goal: list[str]
    inform: Number = field(name="I-GCDF1")
    request: Number = field(name="R-GCDF1")
    events: list[Event]
    losses: list[Loss] | UnsetType = UNSET


class UserQueryDocument(UserDocument, kw_only=True):
    """Dialogues that were looked for, in the order of the file or run, at most --limit of them."""

    command: Literal["user query"] = "user query"
    counts: QueryCounts
    dialogues: list[FoundDialogue]


class LabelCounts(Struct, kw_only=True):
    """How many dialogues were looked at, and how many findings there are."""

    dialogues: Count
    findings: Count


class UserLabelsDocument(UserDocument, kw_only=True):
    """Turns of users whose words and acts do not agree.

    Attributes:
        kinds: findings by kind.
        findings: all of them, in the order of the file.
    """

    command: Literal["user labels"] = "user labels"
    account: AccountRecord
    counts: LabelCounts
    kinds: dict[str, Count]
    findings: list[LabelFinding]


class UnderstandCounts(Struct, kw_only=True):
    """How much was read."""

    dialogues: Count
    turns: Count


class ReadingRecord(Struct, kw_only=True):
    """Units of a kind that were found in words; domain and slot are empty for all together."""

    kind: Literal["inform", "request"]
    domain: str
    slot: str
    right: Count
    found: Count
    given: Count
    precision: float | None
    recall: float | None


class EffectRecord(Struct, kw_only=True):
    """A score from acts and from text."""

    measure: str
    by_acts: float
    from_text: float
    bias: float
    correlation: float | None
    n: Count


class UserUnderstandDocument(UserDocument, kw_only=True):
    """How well acts are found in words.

    Attributes:
        reader: what finds them.
        summary: precision and recall in words.
        reading: all units together, then by domain and slot.
        effects: what reading does to the scores of dialogues with goals.
    """

    command: Literal["user understand"] = "user understand"
    account: AccountRecord
    counts: UnderstandCounts
    reader: Text
    summary: str
    reading: list[ReadingRecord]
    effects: list[EffectRecord]


class PatternCounts(Struct, kw_only=True):
    """How many dialogues were looked at."""

    dialogues: Count


class UserPatternsDocument(UserDocument, kw_only=True):
    """How constraints and requests are expressed, what the system gives unasked, and domains that are never talked of.

    Attributes:
        patterns: kind → domain → pattern → how often.
        goals: how many goals have a domain.
    """

    command: Literal["user patterns"] = "user patterns"
    counts: PatternCounts
    patterns: dict[str, dict[str, dict[str, Count]]]
    goals: dict[str, Count]
