"""Items and events over a whole log: ItemRecall with its interval, verdicts by kind, events, and whether faults go with failure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import asdict

from ..._version import __version__
from ...core.account import Account, count_reasons, refused_dialogues
from ...core.comparison import Resampling
from ...core.result import Result, percent
from ...errors import DialmeterError, InputError
from ...measure import Score
from ...model import Notice, Trajectory
from ...readers.agents.parts import CLOSE, goal_key
from ..events import Event
from .faults import UNSAID, DialogueItems, FaultTable, fault_table
from .goal_items import KINDS, GoalItem
from .text_events import FAULTS, LogWords, text_events
from .verdicts import VERDICTS, ItemOutcome, item_recall, outcomes_of

NO_ITEMS = "without items"
BY_RULE = "named-in-instruction"
_COUNTED = VERDICTS[:3]
_HEAVY = frozenset({"missed", "wrong", "early_stop"})
"""Events that can make a dialogue fail by themselves."""


class LogItems(Result):
    """The items and events of all dialogues of a log.

    Args:
        dialogues: all that have an instruction.
        without: how many others there are.
        source: where the items come from, for the signature.
        resampling: of intervals; none without it.
        refused: dialogues that cannot be read.
        notices: of the log.
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
        self.every = list(dialogues)
        self.dialogues = [each for each in self.every if each.outcomes]
        self.without = without + len(self.every) - len(self.dialogues)
        self.source = source
        self.resampling = resampling
        self.refused = list(refused)
        self.notices = list(notices)

    @cached_property
    def verdicts(self) -> dict[str, dict[str, int]]:
        """Verdict → kind of item → how many."""
        counts = Counter((each.verdict, each.item.kind) for talk in self.dialogues for each in talk.outcomes)
        return {
            verdict: {kind: counts[verdict, kind] for kind in KINDS if counts[verdict, kind]} for verdict in VERDICTS
        }

    @cached_property
    def events(self) -> dict[str, int]:
        """Class of events → how many."""
        counts = Counter(event.name for talk in self.every for event in talk.events)
        return {name: counts[name] for name in FAULTS}

    @cached_property
    def parties(self) -> dict[str, int]:
        """Whose fault failed dialogues are → how many."""
        return dict(sorted(Counter(each.party for each in self.every if each.party).items()))

    @property
    def items(self) -> int:
        """How many items there are."""
        return sum(len(each.outcomes) for each in self.dialogues)

    @cached_property
    def account(self) -> Account:
        """How many dialogues have items, and why the others do not count."""
        unread = refused_dialogues(self.refused)
        asked = len(self.dialogues) + self.without + len(unread)
        reasons = count_reasons([*unread, *([("", NO_ITEMS)] * self.without)])
        return Account("dialogue", asked, asked, len(self.dialogues), reasons)

    @property
    def counts(self) -> dict[str, int]:
        """Dialogues with an instruction, those of them that have items, and items."""
        return {"dialogues": len(self.every), "with_items": len(self.dialogues), "items": self.items}

    @cached_property
    def scores(self) -> list[Score]:
        """ItemRecall over all items, with an interval over tasks."""
        outcomes = [each for talk in self.dialogues for each in talk.outcomes]
        has_value = item_recall(outcomes) is not None
        tasks = sorted({talk.task for talk in self.dialogues})
        digest = hashlib.sha256("\n".join(tasks).encode()).hexdigest()[:10]
        fields = (f"items:{self.source}", f"tasks:{len(tasks)}", f"d:{len(self.dialogues)}", f"data:{digest}")
        return [
            _score(
                outcomes,
                ci=self._interval(tasks) if len(tasks) > 1 and has_value else None,
                reason="" if has_value else "no item was conveyed, confirmed or missed",
                signature="|".join(("ItemRecall", *fields, f"v:{__version__}")),
            )
        ]

    def _interval(self, tasks: Sequence[str]) -> tuple[float, float] | None:
        import numpy as np

        from ...stats import bootstrap, ratio

        how = self.resampling
        if how is None:
            return None
        matrix = np.array([self.recall_parts[task] for task in tasks])
        return bootstrap(matrix, {"m": ratio()}, expand=False, **asdict(how))["m"].ci

    @cached_property
    def recall_parts(self) -> dict[str, tuple[float, float]]:
        """Task → items conveyed or confirmed, and these with the missed ones."""
        found: dict[str, tuple[float, float]] = {}
        for talk in self.dialogues:
            verdicts = [each.verdict for each in talk.outcomes if each.verdict in _COUNTED]
            met, whole = found.get(talk.task, (0.0, 0.0))
            found[talk.task] = (met + len(verdicts) - verdicts.count("missed"), whole + len(verdicts))
        return found

    def fault_parts(self, names: frozenset[str]) -> dict[str, tuple[float, float]]:
        """Task → dialogues with an event of these classes, and all dialogues."""
        found: dict[str, tuple[float, float]] = {}
        for talk in self.every:
            faulty, whole = found.get(talk.task, (0.0, 0.0))
            found[talk.task] = (faulty + has_event(talk, names), whole + 1)
        return found

    def by(self, group: str) -> list[Score]:
        """The recall of items by ``kind``.

        Raises:
            DialmeterError: no such group.
        """
        if group != "kind":
            raise DialmeterError(f"scores of items are by kind, not by {group!r}")
        found = []
        for kind in KINDS:
            outcomes = [each for talk in self.dialogues for each in talk.outcomes if each.item.kind == kind]
            if outcomes:
                found.append(_score(outcomes, group={"kind": kind}, signature=f"{self.signature}|kind:{kind}"))
        return found

    def worst(self, n: int = 10) -> list[DialogueItems]:
        """The dialogues with most missed items, then with most events."""
        found = [each for each in self.every if each.events]

        def rank(talk: DialogueItems) -> tuple[int, int, str]:
            missed = sum(each.verdict == "missed" for each in talk.outcomes)
            return -missed, -len(talk.events), talk.id

        return sorted(found, key=rank)[:n]

    @property
    def summary(self) -> str:
        """ItemRecall, and how many items it is over."""
        return f"ItemRecall {percent(self.value)}; {self.items} items in {len(self.dialogues)} dialogues"

    def faults(self) -> list[FaultTable]:
        """Faults of the user and failure: an item that is never said, then every class of events that occurs."""
        unsaid = fault_table(
            "an item is never said",
            self.dialogues,
            lambda talk: any(each.verdict in UNSAID for each in talk.outcomes),
            self.resampling,
        )
        found = [unsaid]
        for name, count in self.events.items():
            if name == "missed" or count:
                # A dialogue without items cannot have missed one.
                talks = self.dialogues if name == "missed" else self.every
                title = "an item is missed" if name == "missed" else name
                found.append(
                    fault_table(title, talks, lambda talk, name=name: has_event(talk, {name}), self.resampling)  # type: ignore[misc]
                )
        heavy = ", ".join(name for name in FAULTS if name in _HEAVY)
        found.append(fault_table(f"any of {heavy}", self.every, lambda talk: has_event(talk, _HEAVY), self.resampling))
        return found


def _score(outcomes: Sequence[ItemOutcome], **details: Any) -> Score:
    n = sum(each.verdict in _COUNTED for each in outcomes)
    return Score(measure="ItemRecall", value=item_recall(outcomes), n=n, unscored=len(outcomes) - n, **details)


def has_event(talk: DialogueItems, names: Iterable[str]) -> bool:
    """Has a dialogue an event of one of these classes?"""
    return any(event.name in names for event in talk.events)


def read_items(found: Iterable[Trajectory], resampling: Resampling | None = None) -> LogItems:
    """The items that the rule finds in a log, and its events. The dialogues are held in memory, because any of them may list the places.

    Args:
        found: the dialogues.
        resampling: of intervals; none without it.

    Example:
        >>> read_items([Trajectory(id="1:0", task="1")]).without
        1
    """
    every = list(found)
    talks = [talk for _, talk in dialogue_items(every)]
    return LogItems(talks, len(every) - len(talks), resampling=resampling)


def dialogue_items(
    every: Sequence[Trajectory], sheet: Mapping[str, Sequence[GoalItem]] | None = None
) -> list[tuple[Trajectory, DialogueItems]]:
    """The dialogues that have an instruction or items, each with its items and events."""
    log = LogWords.of(every)
    pairs = []
    for each in every:
        items = None if sheet is None else sheet.get(each.task, ())
        outcomes: Sequence[ItemOutcome] = outcomes_of(each, log.places, items)
        if outcomes or (each.goal is not None and each.goal.instruction):
            events = tuple(text_events(each, outcomes, log))
            success = _success(each)
            party = "" if success is not False else _party(each, events)
            goal = goal_key(each.goal.instruction) if each.goal is not None else ""
            pairs.append((each, DialogueItems(each.id, each.task, success, tuple(outcomes), events, party, goal)))
    return pairs


def _success(found: Trajectory) -> bool | None:
    reward = next(iter(found.rewards.values()), None)
    return None if reward is None else found.ending != "crash" and reward >= 1 - CLOSE


def _party(found: Trajectory, events: Sequence[Event]) -> str:
    """Whose fault a failed dialogue is: the user's where an event can explain it; the log cannot tell more."""
    if found.ending == "crash":
        return "nobody"
    return "user" if any(event.name in _HEAVY for event in events) else "unknown"
