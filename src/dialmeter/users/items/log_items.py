"""Goal values and events of a whole log: GoalRecall with its confidence interval, verdicts by kind, events, faults and failure.

The association between faults of the user and failure is measured over all dialogues, and within tasks that have both outcomes.
Tasks differ in their demands on the user and in their failure rates. So the first count says more about tasks than about users, and
the conclusion uses only the second. Users are compared on the same tasks: paired differences of recall and of faults. A run of goal values
has a row for each dialogue, which can be shown as lines of text, message by message.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import asdict, replace

from ..._version import __version__
from ...core.account import Account, count_reasons, refused_dialogues
from ...core.comparison import (
    Resampling,
    SystemComparison,
    common_tasks,
    correct_by_holm,
    sign_interval,
    task_difference,
)
from ...core.record import finish_run
from ...core.result import Result
from ...core.run_writer import RunWriter
from ...english import english_notices, known_words
from ...errors import DialmeterError, InputError, one_line
from ...measure import Score
from ...model import ABORTED, USER, Notice, Trajectory, dialogue_key
from ...numeric import np
from ...readers.conversations import Trajectories
from ...readers.layouts.agents import goal_key, other_goals
from ...readers.records.outcomes import CLOSE
from ...stats.formulas import ratio
from ...stats.resampling import bootstrap
from ..events import Event
from .goal_items import KINDS, VERDICTS, GoalItem, ItemOutcome, goal_recall, outcomes_of, sheet_digest
from .text_events import FAULTS, LogWords, text_events

NO_ITEMS = "without goal values"
_COUNTED = VERDICTS[:3]
_SEVERE = frozenset({"missed", "wrong", "early_stop"})
"""Classes of events that can make a dialogue fail on their own."""
_MIN_TASKS = 5
"""Minimum number of tasks with both outcomes for a conclusion."""
UNSAID = frozenset({"confirmed", "missed", "not_asked", "not_needed"})
"""Verdicts of goal values without any form in the user's messages."""


KIND = "items"
"""The kind of a run of goal values."""


class ItemRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dialogue of a log, which is a row of a run.

    Attributes:
        outcomes: the verdicts on the values of its goal; empty if it has none.
        events: violations of the instruction by the user.
        success: None if the log has no reward.
        lost_by: the party to blame for a failure, according to the events; empty if the dialogue did not fail.
    """

    id: str
    trajectory: Trajectory
    outcomes: tuple[ItemOutcome, ...] = ()
    events: tuple[Event, ...] = ()
    success: bool | None = None
    lost_by: str = ""

    @property
    def task(self) -> str:
        """The id of the task."""
        return self.trajectory.task

    @property
    def goal(self) -> str:
        """The digest of the instruction."""
        goal = self.trajectory.goal
        return goal_key(goal.instruction) if goal is not None else ""

    def has_event(self, names: Iterable[str]) -> bool:
        """Return True if the dialogue has an event of one of these classes."""
        return any(event.name in names for event in self.events)


class Share(NamedTuple):
    """Number of dialogues with a fault, and number of all dialogues."""

    faulty: int
    all: int


class FaultTable(Struct, frozen=True):
    """The association between a fault of the user and failure.

    Attributes:
        fault: the name of the fault.
        failed: share among all failed dialogues.
        successful: share among all successful dialogues.
        tasks: number of tasks with both outcomes.
        failed_within: share among the failed dialogues of these tasks.
        successful_within: share among the successful dialogues of these tasks.
        difference: mean over these tasks of the share in failed dialogues minus the share in successful dialogues.
        ci: confidence interval of this difference, over tasks.
        conclusion: the conclusion from this interval.
    """

    fault: str
    failed: Share
    successful: Share
    tasks: int
    failed_within: Share
    successful_within: Share
    difference: float | None
    ci: tuple[float, float] | None = None
    conclusion: str = ""


def fault_table(
    name: str,
    dialogues: Sequence[ItemRow],
    is_fault: Callable[[ItemRow], bool],
    resampling: Resampling | None = None,
) -> FaultTable:
    """Count a fault in failed and successful dialogues. Dialogues without a reward do not count.

    Example:
        >>> trial = Trajectory(id="1:0", task="1")
        >>> dialogues = [ItemRow(id="1:0", trajectory=trial, success=success) for success in (True, False)]
        >>> fault_table("a fault", dialogues, lambda dialogue: not dialogue.success).difference
        1.0
    """
    by_task: dict[str, dict[bool, list[bool]]] = {}
    for dialogue in dialogues:
        if dialogue.success is not None:
            by_task.setdefault(dialogue.task, {True: [], False: []})[dialogue.success].append(is_fault(dialogue))
    both = {task: faults for task, faults in sorted(by_task.items()) if faults[True] and faults[False]}
    gaps = [sum(faults[False]) / len(faults[False]) - sum(faults[True]) / len(faults[True]) for faults in both.values()]
    ci = _interval([(gap, 1) for gap in gaps], resampling, low=-1.0)
    if len(gaps) < _MIN_TASKS:
        conclusion = f"none: only {len(gaps)} tasks have both outcomes"
    elif not any(gaps):
        conclusion = "no difference"
    elif ci is None or ci[0] <= 0 <= ci[1]:
        conclusion = "cannot tell"
    else:
        conclusion = "associated with failure" if ci[0] > 0 else "associated with success"
    return FaultTable(
        name,
        _share(by_task, False),
        _share(by_task, True),
        len(both),
        _share(both, False),
        _share(both, True),
        sum(gaps) / len(gaps) if gaps else None,
        ci,
        conclusion,
    )


def _share(by_task: Mapping[str, Mapping[bool, Sequence[bool]]], success: bool) -> Share:
    faults = [each for outcomes in by_task.values() for each in outcomes[success]]
    return Share(sum(faults), len(faults))


def _interval(
    rows: Sequence[tuple[float, float]], resampling: Resampling | None, low: float = 0.0
) -> tuple[float, float] | None:
    """Return the confidence interval of a ratio of at least ``low``, over tasks; None for fewer than two tasks."""
    if resampling is None or len(rows) < 2:
        return None
    formulas = {"m": replace(ratio(), low=low)}
    return bootstrap(np.array(rows), formulas, expand=False, **asdict(resampling))["m"].ci


class LogItems(Result):
    """The goal values and events of all dialogues of a log.

    Args:
        dialogues: all dialogues with an instruction.
        without: number of other dialogues.
        source: the source of the goal values, for the signature.
        resampling: settings of the confidence intervals; None for no intervals.
        refused: dialogues that cannot be read.
        notices: warnings about the log.
    """

    def __init__(
        self,
        dialogues: Sequence[ItemRow],
        without: int = 0,
        *,
        source: str = "named-in-instruction",
        resampling: Resampling | None = None,
        refused: Sequence[InputError] = (),
        notices: Sequence[Notice] = (),
    ) -> None:
        self.all_dialogues = list(dialogues)
        self.dialogues = [each for each in self.all_dialogues if each.outcomes]
        self.without = without + len(self.all_dialogues) - len(self.dialogues)
        self.source = source
        self.resampling = resampling
        self.refused = list(refused)
        self.notices = list(notices)
        unchecked = [each.id for each in self.dialogues if any(item.verdict == "unchecked" for item in each.outcomes)]
        if unchecked:
            message = (
                f"{len(unchecked)} dialogues whose user speaks another language than its instruction; values in words cannot be "
                "checked there"
            )
            self.notices.append(Notice("other-language", len(unchecked), message, tuple(unchecked[:5])))

    @cached_property
    def verdicts(self) -> dict[str, dict[str, int]]:
        """Verdict → kind of goal value → number of goal values."""
        counts = Counter((each.verdict, each.item.kind) for dialogue in self.dialogues for each in dialogue.outcomes)
        return {
            verdict: {kind: counts[verdict, kind] for kind in KINDS if counts[verdict, kind]} for verdict in VERDICTS
        }

    @cached_property
    def events(self) -> dict[str, int]:
        """Class of events → number of events."""
        counts = Counter(event.name for dialogue in self.all_dialogues for event in dialogue.events)
        return {name: counts[name] for name in FAULTS}

    @cached_property
    def lost_by(self) -> dict[str, int]:
        """Party to blame → number of failed dialogues."""
        return dict(sorted(Counter(each.lost_by for each in self.all_dialogues if each.lost_by).items()))

    @property
    def items(self) -> int:
        """Number of goal values."""
        return sum(len(each.outcomes) for each in self.dialogues)

    @cached_property
    def account(self) -> Account:
        """Number of dialogues with goal values, and reasons for the others."""
        unreadable = refused_dialogues(self.refused)
        asked = len(self.dialogues) + self.without + len(unreadable)
        reasons = count_reasons([*unreadable, *([("", NO_ITEMS)] * self.without)])
        return Account("dialogue", asked, asked, len(self.dialogues), reasons)

    @property
    def counts(self) -> dict[str, int]:
        """Number of dialogues with an instruction, of dialogues with goal values, and of goal values."""
        return {
            "dialogues": len(self.all_dialogues),
            "with_goal_values": len(self.dialogues),
            "goal_values": self.items,
        }

    @cached_property
    def scores(self) -> list[Score]:
        """GoalRecall over all goal values, with a confidence interval over tasks."""
        outcomes = [each for dialogue in self.dialogues for each in dialogue.outcomes]
        has_value = goal_recall(outcomes) is not None
        tasks = sorted({dialogue.task for dialogue in self.dialogues})
        goals = {
            (dialogue.task, dialogue.goal, tuple(each.item for each in dialogue.outcomes))
            for dialogue in self.dialogues
        }
        digest = hashlib.sha256(b"\n".join(sorted(map(encode, goals)))).hexdigest()[:10]
        fields = (f"values:{self.source}", f"tasks:{len(tasks)}", f"d:{len(self.dialogues)}", f"data:{digest}")
        recalls = parts_of(self, RECALL)
        ci = _interval([recalls[task] for task in tasks], self.resampling) if has_value else None
        return [
            _score(
                outcomes,
                ci=ci,
                reason="" if has_value else "no goal value was conveyed, confirmed or missed",
                signature=sign_interval("|".join(("GoalRecall", *fields, f"v:{__version__}")), self.resampling, ci),
            )
        ]

    def by(self, group: str) -> list[Score]:
        """Return the recall of goal values by ``kind``.

        Raises:
            DialmeterError: ``group`` is not ``kind``.
        """
        if group != "kind":
            raise DialmeterError(f"cannot group goal value scores by {group!r}: use 'kind'")
        scores = []
        for kind in KINDS:
            outcomes = [each for dialogue in self.dialogues for each in dialogue.outcomes if each.item.kind == kind]
            if outcomes:
                scores.append(_score(outcomes, group={"kind": kind}, signature=f"{self.signature}|kind:{kind}"))
        return scores

    def worst(self, n: int = 10) -> list[ItemRow]:
        """Return the dialogues with events, sorted by number of missed goal values, then by number of events, in descending order."""
        with_events = [each for each in self.all_dialogues if each.events]

        def rank(dialogue: ItemRow) -> tuple[int, int, str]:
            missed = sum(each.verdict == "missed" for each in dialogue.outcomes)
            return -missed, -len(dialogue.events), dialogue.id

        return sorted(with_events, key=rank)[:n]

    def faults(self) -> list[FaultTable]:
        """Return the associations of faults and failure: a goal value that is never said, then each class of events that occurs."""
        events = {name: {name} for name, count in self.events.items() if count and name != "missed"}
        severe = ", ".join(name for name in FAULTS if name in _SEVERE)

        def table(title: str, names: Iterable[str], dialogues: Sequence[ItemRow]) -> FaultTable:
            return fault_table(title, dialogues, lambda dialogue: dialogue.has_event(names), self.resampling)

        return [
            fault_table(
                "a goal value is never said",
                self.dialogues,
                lambda dialogue: any(each.verdict in UNSAID for each in dialogue.outcomes),
                self.resampling,
            ),
            # A dialogue without goal values cannot have a missed one.
            table("a goal value is missed", {"missed"}, self.dialogues),
            *(table(name, names, self.all_dialogues) for name, names in events.items()),
            table(f"any of {severe}", _SEVERE, self.all_dialogues),
        ]


def _score(outcomes: Sequence[ItemOutcome], **details: Any) -> Score:
    n = sum(each.verdict in _COUNTED for each in outcomes)
    return Score(measure="GoalRecall", value=goal_recall(outcomes), n=n, unscored=len(outcomes) - n, **details)


def read_items(
    trajectories: Iterable[Trajectory],
    sheet: Mapping[str, Sequence[GoalItem]] | None = None,
    *,
    only: frozenset[str] | None = None,
    resampling: Resampling | None = None,
    progress: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = iter,
) -> LogItems:
    """Find the goal values of a log, with the rule or from a sheet, and its events.

    All dialogues are held in memory, because any of them may list the places.

    Args:
        trajectories: an open log, or dialogues.
        sheet: task → its goal values.
        only: keys of the dialogues to read; None for all.
        resampling: settings of the confidence intervals; None for no intervals.
        progress: wraps the dialogues, for example in a progress bar.

    Example:
        >>> read_items([Trajectory(id="1:0", task="1")]).without
        1
    """
    log = [each for each in progress(trajectories) if only is None or dialogue_key(each.id) in only]
    opened = trajectories if isinstance(trajectories, Trajectories) else None
    dialogues = item_rows(log, sheet)
    return LogItems(
        dialogues,
        len(log) - len(dialogues),
        source=source_of(sheet),
        resampling=resampling,
        refused=opened.refused if opened is not None else (),
        notices=[*(opened.notices if opened is not None else ()), *language_notices(log)],
    )


def source_of(sheet: Mapping[str, Sequence[GoalItem]] | None) -> str:
    """Return the source of goal values, for signatures."""
    return "named-in-instruction" if sheet is None else f"sheet@{sheet_digest(sheet)}"


def language_notices(trajectories: Iterable[Trajectory]) -> list[Notice]:
    """A warning if instructions or messages of the user are not English, because goal values and events are found by English words."""
    words = {}
    for each in trajectories:
        instruction = known_words([each.goal.instruction] if each.goal is not None else ())
        said = known_words(step.text for step in each.steps if step.speaker == USER)
        words[each.id] = said if instruction.is_english else instruction
    return english_notices(words, "goal values and events are found by English words, so some may be missing or wrong")


def item_rows(
    trajectories: Sequence[Trajectory], sheet: Mapping[str, Sequence[GoalItem]] | None = None
) -> list[ItemRow]:
    """Return the dialogues that have an instruction or goal values, each with its goal values and events."""
    log = LogWords.of(trajectories)
    scorers = {name for each in trajectories for name in each.rewards}
    # With several scorers, none of them says whether a dialogue failed.
    scorer = next(iter(scorers)) if len(scorers) == 1 else ""
    rows = []
    for each in trajectories:
        items = None if sheet is None else sheet.get(each.task, ())
        outcomes = tuple(outcomes_of(each, log.places, items))
        if outcomes or (each.goal is not None and each.goal.instruction):
            events = tuple(text_events(each, outcomes, log))
            reward, aborted = each.rewards.get(scorer), each.ending in ABORTED
            success = None if reward is None else not aborted and reward >= 1 - CLOSE
            # The user is to blame for a failure if an event can explain it. A log cannot show more.
            blamed = "user" if any(event.name in _SEVERE for event in events) else "unknown"
            party = "" if success is not False else "nobody" if aborted else blamed
            rows.append(
                ItemRow(id=each.id, trajectory=each, outcomes=outcomes, events=events, success=success, lost_by=party)
            )
    return rows


ItemComparison = SystemComparison[LogItems]
RECALL = "GoalRecall"
WITHOUT = {
    "Without(any)": frozenset(FAULTS),
    **{f"Without({name})": frozenset({name}) for name in FAULTS if name != "missed"},
}
"""Measure → classes of events. The value is the share of dialogues without these events; higher is better."""


def compare_items(results: Mapping[str, LogItems], resampling: Resampling) -> ItemComparison:
    """Compare users with the first one, on the tasks that all logs have.

    Only tasks count for which both users have a value. The confidence interval and the p value are those of the t test over tasks,
    with Holm's correction.

    Raises:
        DialmeterError: the logs have no common task, or goal values from different sheets.
    """
    common, notices = common_tasks(
        {name: {dialogue.task for dialogue in each.all_dialogues} for name, each in results.items()}
    )
    if len({result.source for result in results.values()}) > 1:
        raise DialmeterError("the logs have goal values from different sheets")
    restricted = {
        name: LogItems(
            [dialogue for dialogue in result.all_dialogues if dialogue.task in common],
            source=result.source,
            resampling=result.resampling,
        )
        for name, result in results.items()
    }
    first, *others = restricted
    trials = {name: Counter(dialogue.task for dialogue in result.all_dialogues) for name, result in restricted.items()}
    occurring = {name for result in restricted.values() for name, count in result.events.items() if count}
    measures = [RECALL, *(name for name, events in WITHOUT.items() if name == "Without(any)" or events & occurring)]

    def parts_with_value(name: str, measure: str) -> dict[str, tuple[float, float]]:
        return {task: pair for task, pair in parts_of(restricted[name], measure).items() if pair[1]}

    differences = [
        task_difference(
            measure,
            (first, parts_with_value(first, measure)),
            (other, parts_with_value(other, measure)),
            resampling,
            equal_trials=trials[first] == trials[other],
        )
        for other in others
        for measure in measures
    ]
    valid = [each for each in differences if each.difference is not None]
    goals = [{dialogue.task: dialogue.goal for dialogue in result.all_dialogues} for result in restricted.values()]
    return ItemComparison(
        results=restricted, versus=list(correct_by_holm(valid)), notices=[*notices, *other_goals(goals)]
    )


def parts_of(result: LogItems, measure: str) -> dict[str, tuple[float, float]]:
    """Return task → numerator and denominator. A task without a value has the denominator 0."""
    parts: dict[str, tuple[float, float]] = {}
    for dialogue in result.dialogues if measure == RECALL else result.all_dialogues:
        if measure == RECALL:
            verdicts = [each.verdict for each in dialogue.outcomes if each.verdict in _COUNTED]
            met, total = len(verdicts) - verdicts.count("missed"), len(verdicts)
        else:
            met, total = not dialogue.has_event(WITHOUT[measure]), 1
        above, below = parts.get(dialogue.task, (0.0, 0.0))
        parts[dialogue.task] = above + met, below + total
    return parts


def score_of(result: LogItems, measure: str) -> Score:
    """Return the value over all tasks of a log."""
    if measure == RECALL:
        return result.scores[0]
    pairs = parts_of(result, measure).values()
    total = sum(below for _, below in pairs)
    return Score(
        measure=measure,
        value=sum(above for above, _ in pairs) / total if total else None,
        n=round(total),
        unscored=0,
        signature="|".join((measure, *result.signature.split("|")[1:])),
    )


def finish_items_run(writer: RunWriter, result: LogItems, about: Mapping[str, Any]) -> None:
    """Close the run with the scores over all dialogues, and the recall and the number of events of each dialogue."""
    columns: dict[str, list[float | None]] = {
        "GoalRecall": [goal_recall(each.outcomes) for each in result.all_dialogues],
        "Events": [float(len(each.events)) for each in result.all_dialogues],
    }
    finish_run(
        writer,
        about,
        result,
        columns=columns,
        findings={"verdicts": result.verdicts, "events": result.events, "faults": result.faults()},
    )


def item_lines(row: ItemRow) -> Iterator[str]:
    """Yield the dialogue as lines of plain text.

    Example:
        >>> from dialmeter.model import Step, Trajectory
        >>> steps = (Step(1, "user", "My code is ZX81AB."),)
        >>> event = Event("invented", "text", "", "reservation id", (1,), said="zx81ab")
        >>> print("\\n".join(item_lines(ItemRow(id="1:0", trajectory=Trajectory(id="1:0", task="1", steps=steps), events=(event,)))))
        dialogue 1:0   task 1   ended by unknown
        message 1  user    My code is ZX81AB.
            ! invented: zx81ab (reservation id)
    """
    trajectory = row.trajectory
    outcome = {True: "   successful", False: "   failed", None: ""}[row.success]
    yield f"dialogue {one_line(row.id, 80)}   task {one_line(trajectory.task, 80)}   ended by {trajectory.ending}{outcome}"
    if trajectory.goal is not None and trajectory.goal.instruction:
        yield f"goal  {one_line(trajectory.goal.instruction, 2000)}"
    for each in row.outcomes:
        message = "" if each.at is None else f" (message {each.at})"
        condition = f" [{each.item.condition}]" if each.item.condition else ""
        yield f"  {each.verdict}: {one_line(each.item.value, 80)}{condition}{message}"
    events_at: dict[int, list[Event]] = {}
    for event in row.events:
        events_at.setdefault(event.turns[-1] if event.turns else -1, []).append(event)
    for step in trajectory.steps:
        yield f"message {step.at}  {one_line(step.speaker, 12):6}  {one_line(step.text, 300)}".rstrip()
        for call in step.calls:
            yield f"    calls {one_line(call.name, 60)}{', which reports an error' if call.failed else ''}"
        yield from (f"    {_event_line(event)}" for event in events_at.pop(step.at, ()))
    unplaced = [event for events in events_at.values() for event in events]
    if unplaced:
        yield "never said"
        yield from (f"  {_event_line(event)}" for event in unplaced)


def _event_line(event: Event) -> str:
    words = one_line(event.said, 120)
    about = one_line(event.about, 80)
    return f"! {event.name}: {words}{f' ({about})' if words and about else about}"
