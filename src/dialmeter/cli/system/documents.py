"""The JSON documents of the commands on systems."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ...core.comparison import TaskDifference
from ...core.document import AccountRecord, Count, Document, IntervalMethod, NoticeRecord, ScoreRecord, Text
from ...core.ladder import Ladder
from ...systems.result import Effort, TaskOutcome


class SystemDocument(Document, kw_only=True):
    """A document on systems."""

    kind: Literal["system"] = "system"


class SystemScore(ScoreRecord, kw_only=True):
    """A score of a system.

    Attributes:
        n: number of tasks with a value.
        unscored: number of tasks with fewer trials than Pass(k) needs.
    """

    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    signature: Text


class SystemDocumentCounts(Struct, kw_only=True):
    """Number of dialogues, tasks and successes.

    Attributes:
        refused: number of dialogues that cannot be read.
    """

    dialogues: Count
    tasks: Count
    successes: Count
    refused: Count


class EndingCounts(Struct, kw_only=True):
    """Number of dialogues with one ending, by outcome."""

    successful: Count
    failed: Count
    unscored: Count


class SystemScoreDocument(SystemDocument, kw_only=True):
    """Success and Pass(k), with intervals over tasks. Values are fractions.

    Attributes:
        left_out: the scores with infrastructure errors left out; empty if there are none, or --infrastructure asks for one value.
        format: the format of the log.
        intervals: the method of the intervals, or null with --ci 0.
        efforts: turns, tool calls, costs and seconds per dialogue.
        endings: number of dialogues by ending.
        tasks: every task with its trials and successes.
        refused: every dialogue that cannot be read, with the reason.
    """

    command: Literal["system score"] = "system score"
    scores: list[SystemScore]
    left_out: list[SystemScore]
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
    """Number of tasks and systems."""

    tasks: Count
    systems: Count


class SystemCompareDocument(SystemDocument, kw_only=True):
    """A comparison of systems on their common tasks, each with the first system.

    Attributes:
        versus: the paired differences: the mean over tasks of the system's value minus the base's; ci and p are those of the
            t test over tasks.
        ladder: the verdict on every later system, and what it depends on.
        intervals: the method of the intervals of scores, and of bootstrap_ci.
    """

    command: Literal["system compare"] = "system compare"
    scores: list[ComparedSystemScore]
    account: AccountRecord
    accounts: dict[str, AccountRecord]
    counts: SystemCompareCounts
    versus: list[TaskDifference]
    ladder: list[Ladder]
    intervals: IntervalMethod | None


class LogCounts(Struct, kw_only=True):
    """The size of a log.

    Attributes:
        dialogues: number of dialogues that can be read.
        refused: number of dialogues that cannot be read.
        trials: maximum number of dialogues of a task.
        goals: number of dialogues with a goal in words.
        actions: number of dialogues with expected tool calls.
        rewards: number of dialogues with a reward.
        tool_calls: number of tool calls of agents and users.
        tool_errors: number of tool calls with an error as the answer.
        unseen_texts: number of messages with a call whose text the other side does not see.
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
    """The content of a log, and the dialogues that cannot be used.

    Attributes:
        format: the format of the log.
        fit: true if there are no problems; the exit code is then 0.
        roles: number of messages by role.
        endings: number of dialogues by ending.
        tools: number of calls by tool.
        scorers: number of dialogues with a reward, by scorer.
        sources: number of dialogues by ending, as named in the log.
        basis: the parts of rewards, if the log lists them.
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
