"""Items and events of a whole log: ItemRecall with its confidence interval, verdicts by kind, events, faults and failure.

Users are compared on the same tasks: paired differences of recall and of faults, and the t test over tasks.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.json import encode
from msgspec.structs import asdict

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
from ...core.result import Result, percent
from ...english import english_notices, known_words
from ...errors import DialmeterError, InputError
from ...measure import Score
from ...model import ABORTED, USER, Notice, Trajectory
from ...readers.layouts.agents import CLOSE, goal_key, other_goals
from ..events import Event
from .faults import UNSAID, DialogueItems, FaultTable, fault_table
from .goal_items import KINDS, GoalItem
from .text_events import FAULTS, LogWords, text_events
from .verdicts import VERDICTS, ItemOutcome, item_recall, outcomes_of

NO_ITEMS = "without items"
BY_RULE = "named-in-instruction"
_COUNTED = VERDICTS[:3]
_SEVERE = frozenset({"missed", "wrong", "early_stop"})
"""Classes of events that can make a dialogue fail on their own."""


class LogItems(Result):
    """The items and events of all dialogues of a log.

    Args:
        dialogues: all dialogues with an instruction.
        without: number of other dialogues.
        source: the source of the items, for the signature.
        resampling: settings of the confidence intervals; None for no intervals.
        refused: dialogues that cannot be read.
        notices: warnings about the log.
    """

    def __init__(
        self,
        dialogues: Sequence[DialogueItems],
        without: int = 0,
        *,
        source: str = BY_RULE,
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
        """Verdict → kind of item → number of items."""
        counts = Counter((each.verdict, each.item.kind) for talk in self.dialogues for each in talk.outcomes)
        return {
            verdict: {kind: counts[verdict, kind] for kind in KINDS if counts[verdict, kind]} for verdict in VERDICTS
        }

    @cached_property
    def events(self) -> dict[str, int]:
        """Class of events → number of events."""
        counts = Counter(event.name for talk in self.all_dialogues for event in talk.events)
        return {name: counts[name] for name in FAULTS}

    @cached_property
    def parties(self) -> dict[str, int]:
        """Party to blame → number of failed dialogues."""
        return dict(sorted(Counter(each.party for each in self.all_dialogues if each.party).items()))

    @property
    def items(self) -> int:
        """Number of items."""
        return sum(len(each.outcomes) for each in self.dialogues)

    @cached_property
    def account(self) -> Account:
        """Number of dialogues with items, and reasons for the others."""
        unreadable = refused_dialogues(self.refused)
        asked = len(self.dialogues) + self.without + len(unreadable)
        reasons = count_reasons([*unreadable, *([("", NO_ITEMS)] * self.without)])
        return Account("dialogue", asked, asked, len(self.dialogues), reasons)

    @property
    def counts(self) -> dict[str, int]:
        """Number of dialogues with an instruction, of dialogues with items, and of items."""
        return {"dialogues": len(self.all_dialogues), "with_items": len(self.dialogues), "items": self.items}

    @cached_property
    def scores(self) -> list[Score]:
        """ItemRecall over all items, with a confidence interval over tasks."""
        outcomes = [each for talk in self.dialogues for each in talk.outcomes]
        has_value = item_recall(outcomes) is not None
        tasks = sorted({talk.task for talk in self.dialogues})
        goals = {(talk.task, talk.goal, tuple(each.item for each in talk.outcomes)) for talk in self.dialogues}
        digest = hashlib.sha256(b"\n".join(sorted(map(encode, goals)))).hexdigest()[:10]
        fields = (f"items:{self.source}", f"tasks:{len(tasks)}", f"d:{len(self.dialogues)}", f"data:{digest}")
        ci = self._interval(tasks) if len(tasks) > 1 and has_value else None
        return [
            _score(
                outcomes,
                ci=ci,
                reason="" if has_value else "no item was conveyed, confirmed or missed",
                signature=sign_interval("|".join(("ItemRecall", *fields, f"v:{__version__}")), self.resampling, ci),
            )
        ]

    def _interval(self, tasks: Sequence[str]) -> tuple[float, float] | None:
        import numpy as np

        from ...stats import bootstrap, ratio

        if self.resampling is None:
            return None
        matrix = np.array([self.recall_parts[task] for task in tasks])
        return bootstrap(matrix, {"m": ratio()}, expand=False, **asdict(self.resampling))["m"].ci

    @cached_property
    def recall_parts(self) -> dict[str, tuple[float, float]]:
        """Task → number of conveyed and confirmed items, and number of conveyed, confirmed and missed items."""
        parts: dict[str, tuple[float, float]] = {}
        for talk in self.dialogues:
            verdicts = [each.verdict for each in talk.outcomes if each.verdict in _COUNTED]
            met, total = parts.get(talk.task, (0.0, 0.0))
            parts[talk.task] = (met + len(verdicts) - verdicts.count("missed"), total + len(verdicts))
        return parts

    def fault_parts(self, names: frozenset[str]) -> dict[str, tuple[float, float]]:
        """Return task → number of dialogues with an event of these classes, and number of all dialogues."""
        parts: dict[str, tuple[float, float]] = {}
        for talk in self.all_dialogues:
            faulty, total = parts.get(talk.task, (0.0, 0.0))
            parts[talk.task] = (faulty + has_event(talk, names), total + 1)
        return parts

    def by(self, group: str) -> list[Score]:
        """Return the recall of items by ``kind``.

        Raises:
            DialmeterError: ``group`` is not ``kind``.
        """
        if group != "kind":
            raise DialmeterError(f"cannot group item scores by {group!r}: use 'kind'")
        scores = []
        for kind in KINDS:
            outcomes = [each for talk in self.dialogues for each in talk.outcomes if each.item.kind == kind]
            if outcomes:
                scores.append(_score(outcomes, group={"kind": kind}, signature=f"{self.signature}|kind:{kind}"))
        return scores

    def worst(self, n: int = 10) -> list[DialogueItems]:
        """Return the dialogues with events, sorted by number of missed items, then by number of events, in descending order."""
        with_events = [each for each in self.all_dialogues if each.events]

        def rank(talk: DialogueItems) -> tuple[int, int, str]:
            missed = sum(each.verdict == "missed" for each in talk.outcomes)
            return -missed, -len(talk.events), talk.id

        return sorted(with_events, key=rank)[:n]

    @property
    def summary(self) -> str:
        """ItemRecall, and the number of items and dialogues, in one line."""
        return f"ItemRecall {percent(self.value)}; {self.items} items in {len(self.dialogues)} dialogues"

    def faults(self) -> list[FaultTable]:
        """Return the associations of faults and failure: an item that is never said, then each class of events that occurs."""
        unsaid = fault_table(
            "an item is never said",
            self.dialogues,
            lambda talk: any(each.verdict in UNSAID for each in talk.outcomes),
            self.resampling,
        )
        tables = [unsaid]
        for name, count in self.events.items():
            if name == "missed" or count:
                # A dialogue without items cannot have a missed item.
                talks = self.dialogues if name == "missed" else self.all_dialogues
                title = "an item is missed" if name == "missed" else name
                tables.append(
                    fault_table(title, talks, lambda talk, name=name: has_event(talk, {name}), self.resampling)  # type: ignore[misc]
                )
        severe = ", ".join(name for name in FAULTS if name in _SEVERE)
        tables.append(
            fault_table(f"any of {severe}", self.all_dialogues, lambda talk: has_event(talk, _SEVERE), self.resampling)
        )
        return tables


def _score(outcomes: Sequence[ItemOutcome], **details: Any) -> Score:
    n = sum(each.verdict in _COUNTED for each in outcomes)
    return Score(measure="ItemRecall", value=item_recall(outcomes), n=n, unscored=len(outcomes) - n, **details)


def has_event(talk: DialogueItems, names: Iterable[str]) -> bool:
    """Return True if a dialogue has an event of one of these classes."""
    return any(event.name in names for event in talk.events)


def read_items(trajectories: Iterable[Trajectory], resampling: Resampling | None = None) -> LogItems:
    """Find the items of a log with the rule, and its events.

    All dialogues are held in memory, because any of them may list the places.

    Args:
        trajectories: the dialogues.
        resampling: settings of the confidence intervals; None for no intervals.

    Example:
        >>> read_items([Trajectory(id="1:0", task="1")]).without
        1
    """
    log = list(trajectories)
    talks = [talk for _, talk in dialogue_items(log)]
    return LogItems(talks, len(log) - len(talks), resampling=resampling, notices=language_notices(log))


def language_notices(trajectories: Iterable[Trajectory]) -> list[Notice]:
    """A warning if instructions or messages of the user are not English, because items and events are found by English words."""
    words = {}
    for each in trajectories:
        instruction = known_words([each.goal.instruction] if each.goal is not None else ())
        said = known_words(step.text for step in each.steps if step.speaker == USER)
        words[each.id] = said if instruction.is_english else instruction
    return english_notices(words, "items and events are found by English words, so some may be missing or wrong")


def dialogue_items(
    trajectories: Sequence[Trajectory], sheet: Mapping[str, Sequence[GoalItem]] | None = None
) -> list[tuple[Trajectory, DialogueItems]]:
    """Return the dialogues that have an instruction or items, each with its items and events."""
    log = LogWords.of(trajectories)
    scorers = {name for each in trajectories for name in each.rewards}
    # With several scorers, none of them says whether a dialogue failed.
    scorer = next(iter(scorers)) if len(scorers) == 1 else ""
    pairs = []
    for each in trajectories:
        items = None if sheet is None else sheet.get(each.task, ())
        outcomes: Sequence[ItemOutcome] = outcomes_of(each, log.places, items)
        if outcomes or (each.goal is not None and each.goal.instruction):
            events = tuple(text_events(each, outcomes, log))
            success = _success(each, scorer)
            party = "" if success is not False else _party(each, events)
            goal = goal_key(each.goal.instruction) if each.goal is not None else ""
            pairs.append((each, DialogueItems(each.id, each.task, success, tuple(outcomes), events, party, goal)))
    return pairs


def _success(trajectory: Trajectory, scorer: str) -> bool | None:
    reward = trajectory.rewards.get(scorer)
    return None if reward is None else trajectory.ending not in ABORTED and reward >= 1 - CLOSE


def _party(trajectory: Trajectory, events: Sequence[Event]) -> str:
    """Return the party to blame for a failed dialogue: the user if an event can explain it. A log cannot show more."""
    if trajectory.ending in ABORTED:
        return "nobody"
    return "user" if any(event.name in _SEVERE for event in events) else "unknown"


ItemComparison = SystemComparison[LogItems]
RECALL = "ItemRecall"
WITHOUT = {
    "Without(any)": frozenset(FAULTS),
    **{f"Without({name})": frozenset({name}) for name in FAULTS if name != "missed"},
}
"""Measure → classes of events. The value is the share of dialogues without these events; higher is better."""


def compare_items(results: Mapping[str, LogItems], resampling: Resampling) -> ItemComparison:
    """Compare users with the first one, on the tasks that all logs have.

    Only tasks count for which both users have a value. The confidence interval and the p value are those of the t test over tasks,
    with Holm's correction.

    Args:
        results: user name → result.
        resampling: confidence, resamples and seed.

    Raises:
        DialmeterError: the logs have no common task, or items from different sheets.
    """
    common, notices = common_tasks({name: {talk.task for talk in each.all_dialogues} for name, each in results.items()})
    if len({result.source for result in results.values()}) > 1:
        raise DialmeterError("the logs have items from different sheets")
    restricted = {
        name: LogItems(
            [talk for talk in result.all_dialogues if talk.task in common],
            source=result.source,
            resampling=result.resampling,
        )
        for name, result in results.items()
    }
    first, *others = restricted
    occurring = {name for result in restricted.values() for name, count in result.events.items() if count}
    measures = [RECALL, *(name for name, events in WITHOUT.items() if name == "Without(any)" or events & occurring)]
    differences = [
        task_difference(
            measure,
            (first, parts_of(restricted[first], measure)),
            (other, parts_of(restricted[other], measure)),
            resampling,
            equal_trials=_trials(restricted[first]) == _trials(restricted[other]),
        )
        for other in others
        for measure in measures
    ]
    valid = [each for each in differences if each.difference is not None]
    goals = [{talk.task: talk.goal for talk in result.all_dialogues} for result in restricted.values()]
    return ItemComparison(
        results=restricted, versus=list(correct_by_holm(valid)), notices=[*notices, *other_goals(goals)]
    )


def _trials(result: LogItems) -> Counter[str]:
    return Counter(talk.task for talk in result.all_dialogues)


def parts_of(result: LogItems, measure: str) -> dict[str, tuple[float, float]]:
    """Return task → numerator and denominator, for the tasks that have a value."""
    if measure == RECALL:
        return {task: pair for task, pair in result.recall_parts.items() if pair[1]}
    return {task: (total - faulty, total) for task, (faulty, total) in result.fault_parts(WITHOUT[measure]).items()}


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
