"""The documents of the commands on systems."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.comparison import PairedDifference
from ...core.document import AccountRecord, Count, Document, IntervalMethod, NoticeRecord, ScoreRecord, Text
from ...systems.result import Effort, TaskOutcome


class SystemDocument(Document, kw_only=True):
    """A document on systems."""

    kind: Literal["system"] = "system"


class SystemScore(ScoreRecord, kw_only=True):
    """A score of a system.

    Attributes:
        n: how many tasks have a value.
        unscored: tasks with fewer trials than Pass(k) needs.
    """

    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class SystemDocumentCounts(Struct, kw_only=True):
    """How much there is.

    Attributes:
        refused: dialogues that cannot be read.
    """

    dialogues: Count
    tasks: Count
    successes: Count
    refused: Count


class EndingCounts(Struct, kw_only=True):
    """Dialogues that ended in one way."""

    successful: Count
    failed: Count
    unscored: Count


class SystemScoreDocument(SystemDocument, kw_only=True):
    """Success and Pass(k), with intervals over tasks. Values are fractions.

    Attributes:
        format: the format that the log was read as.
        intervals: how intervals were made, or null with --ci 0.
        efforts: numbers per dialogue: turns, calls of tools, costs, seconds.
        endings: how dialogues ended.
        tasks: every task with its trials and successes.
        refused: every dialogue that cannot be read, and why.
    """

    command: Literal["system score"] = "system score"
    scores: list[SystemScore]
    account: AccountRecord
    counts: SystemDocumentCounts
    format: Text
    intervals: IntervalMethod | None
    efforts: list[Effort]
    endings: dict[str, EndingCounts]
    tasks: list[TaskOutcome]
    refused: list[Text]


class ComparedSystemScore(SystemScore, kw_only=True):
    """A score of one of several systems, on the common tasks."""

    system: Text


class SystemCompareCounts(Struct, kw_only=True):
    """How much was compared."""

    tasks: Count
    systems: Count


class SystemCompareDocument(SystemDocument, kw_only=True):
    """Systems on the tasks that all of them have, each against the first.

    Attributes:
        versus: a difference is the mean over tasks of the system's value less the base's; p is that of the exact sign
            test over the tasks that differ.
    """

    command: Literal["system compare"] = "system compare"
    scores: list[ComparedSystemScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: SystemCompareCounts
    versus: list[PairedDifference]
    intervals: IntervalMethod | None


class LogCounts(Struct, kw_only=True):
    """How much a log holds.

    Attributes:
        dialogues: that can be read.
        refused: that cannot.
        trials: the most dialogues of a task.
        goals: dialogues with a goal in words.
        actions: dialogues with expected calls of tools.
        rewards: dialogues with a reward.
        tool_calls: of agents and users.
        tool_errors: calls that the tool answered with an error.
        unseen_texts: messages with a call whose text the other side never sees.
    """

    dialogues: Count
    refused: Count
    tasks: Count
    trials: Count
    goals: Count
    actions: Count
    rewards: Count
    tool_calls: Count
    tool_errors: Count
    unseen_texts: Count


class SystemCheckDocument(SystemDocument, kw_only=True):
    """What a log holds, and what cannot be used.

    Attributes:
        format: the format that the log was read as.
        fit: true where there are no problems; then the exit code is 0.
        roles: how many messages of each role there are.
        endings: how many dialogues ended in which way.
        tools: how often each tool is called.
        scorers: how many dialogues have a reward of each scorer.
        sources: what ended dialogues, in the words of the log.
        basis: the parts that rewards are made of, where the log lists them.
        problems: one for each dialogue that cannot be used.
    """

    command: Literal["system check"] = "system check"
    account: AccountRecord
    counts: LogCounts
    format: Text
    fit: bool
    roles: dict[str, Count]
    endings: dict[str, Count]
    tools: dict[str, Count]
    scorers: dict[str, Count]
    sources: dict[str, Count]
    basis: dict[str, Count]
    problems: list[NoticeRecord]
