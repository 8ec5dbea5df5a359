"""The JSON documents of the commands on trackers."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from ...core.comparison import PairedDifference
from ...core.document import AccountRecord, Count, Document, IntervalMethod, NoticeRecord, Number, ScoreRecord, Text
from ...core.ladder import Ladder
from ...studies.power import PowerStudy
from ...tracking.compare import Disagreement, TurnTest
from ...tracking.diagnosis.findings import Mistake
from ...tracking.diagnosis.suspicions import Finding
from ...tracking.rule_sets.explain_rules import Flip


class TrackerDocument(Document, kw_only=True):
    """A document on trackers."""

    kind: Literal["tracker"] = "tracker"


class TrackerScore(ScoreRecord, kw_only=True):
    """A score of a tracker, with the keys of its group."""

    domain: str | UnsetType = UNSET
    slot: str | UnsetType = UNSET
    without_domain: str | UnsetType = field(default=UNSET, name="without-domain")
    service: str | UnsetType = UNSET
    seen: str | UnsetType = UNSET
    turn: Count | UnsetType = UNSET
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class WorstTrackerDialogue(Struct, kw_only=True):
    """A dialogue with mistakes."""

    dialogue: str
    value: float
    wrong_turns: Count


class WorstTrackerDialogues(Struct, kw_only=True):
    """Up to three dialogues with mistakes, the worst first.

    Attributes:
        measure: the measure that ranks them.
    """

    measure: Text
    dialogues: list[WorstTrackerDialogue]


class ScoreCounts(Struct, kw_only=True):
    """Number of dialogues and turns, and of changes of slots by outcome."""

    dialogues: Count
    turns: Count
    exact_turns: Count
    local_turns: Count
    missed: Count | UnsetType = UNSET
    wrong: Count | UnsetType = UNSET
    over: Count | UnsetType = UNSET
    correct: Count | UnsetType = UNSET


class TrackerScoreDocument(TrackerDocument, kw_only=True):
    """The scores of one prediction file: first of the whole file, then of every group of --by. Values are fractions.

    Attributes:
        format: the format of the predictions.
        intervals: the method of the intervals, or null with --ci 0.
        diagnosis: likely faults of the files, rather than of the tracker; see howto/diagnosis.md.
        mistakes: with --by slot: the pairs of different gold and predicted values that occur at most turns; null is no value.
    """

    command: Literal["tracker score"] = "tracker score"
    scores: list[TrackerScore]
    account: AccountRecord
    counts: ScoreCounts
    format: Text
    intervals: IntervalMethod | None
    worst: WorstTrackerDialogues
    diagnosis: list[Finding]
    mistakes: list[Mistake] | UnsetType = UNSET


class TrackerCheckCounts(Struct, kw_only=True):
    """Number of dialogues, turns, slots and values in the file."""

    dialogues: Count
    turns: Count
    slots: Count
    values: Count
    predicted_slots: Count


class TrackerCheckDocument(TrackerDocument, kw_only=True):
    """The validation of a file. The scores are those of gold against itself.

    Attributes:
        problems: faults that `score` would reject.
        fit: true if there are no problems; the exit code is then 0.
        diagnosis: likely faults of the files, rather than of the tracker; see howto/diagnosis.md.
    """

    command: Literal["tracker check"] = "tracker check"
    scores: list[TrackerScore]
    account: AccountRecord
    counts: TrackerCheckCounts
    problems: list[NoticeRecord]
    format: Text
    fit: bool
    diagnosis: list[Finding]


class ComparedScore(TrackerScore, kw_only=True):
    """A score of one of several trackers."""

    system: str


class SystemCounts(Struct, kw_only=True):
    """Number of systems, dialogues and turns."""

    systems: Count
    dialogues: Count
    turns: Count


class RankAgreement(Struct, kw_only=True):
    """Kendall's tau of the ranks of systems under two measures."""

    first: str
    second: str
    tau: Number


class TrackerCompareDocument(TrackerDocument, kw_only=True):
    """A comparison of systems on the same dialogues. Values are fractions. A difference is the system's value minus the base's.

    Attributes:
        ladder: for each system after the first, its verdict under the first measure and what the verdict depends on.
        ranks: measure → system → rank.
        mcnemar: with --mcnemar.
        disagreements: with --disagree.
        power: with --power.
    """

    command: Literal["tracker compare"] = "tracker compare"
    scores: list[ComparedScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: SystemCounts
    versus: list[PairedDifference]
    ladder: list[Ladder]
    ranks: dict[str, dict[str, Count]]
    tau: list[RankAgreement]
    mcnemar: list[TurnTest]
    disagreements: list[Disagreement]
    power: PowerStudy | UnsetType = UNSET


class RulesScore(ScoreRecord, kw_only=True):
    """JGA under a rule set. If the rule set is not applicable, there is no value and no signature."""

    rules: Text
    reason: Text | UnsetType = UNSET
    signature: str


class RulesCounts(Struct, kw_only=True):
    """Number of turns and rule sets."""

    turns: Count
    rule_sets: Count


class RuleEffect(Struct, kw_only=True):
    """A rule that flips turns by itself, and the number of these turns. A turn counts once, even if several rule sets flip it."""

    rule: Text
    turns: Count


class TrackerRulesDocument(TrackerDocument, kw_only=True):
    """The scores of one file under several rule sets. The first rule set is the base of the comparison.

    Attributes:
        causes: the rules that flip most turns are first.
        flips: for every other rule set, the turns that are right under one of the two and wrong under the other.
    """

    command: Literal["tracker rules"] = "tracker rules"
    scores: list[RulesScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: RulesCounts
    causes: list[RuleEffect]
    flips: dict[str, list[Flip]]
