"""The score of a system on any file: rewards decide, or acts and goals. With it comes whether faults of the user go with failure.

In dialogues of the demo data with goals and acts, success is looked up in its tables. Other dialogues with acts have no database,
and success is computed from bookings, answers to requests, and offers: an offer meets the goal if the system names an entity and
no value that it gives for it contradicts the constraints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ..core.comparison import Resampling
from ..errors import DialmeterError, InputError
from ..model import USER, Conversation, DomainGoal, Goal, Step, TaskGoal, Trajectory
from ..progress import track_reading
from ..readers.conversations import Conversations, Trajectories, is_log, open_conversations, open_trajectories
from ..simulation.outcome import GoalSuccess
from ..simulation.outcome import outcome as looked_up
from ..simulation.world import TOWN, World, town
from ..systems.measures import SystemMeasure, SystemOutcome, SystemSettings, parse_system_measure
from ..systems.result import SystemResult
from ..systems.scorer import score_system
from ..users.goals import goal_digest, goal_units
from ..users.items.log_items import read_items
from ..users.prepared_dialogue import PreparedDialogue, stated_slots
from ..users.profile import NO_OFFER, PLACEHOLDER, SLOT_VALUES
from ..users.scorer import UserScorer
from ..values.maps import ValueMap

_TIME = re.compile(r"\d\d:\d\d")
_ANY = frozenset({"dontcare", "dont care", "do not care", "don't care", "any"})


def act_success(dialogue: PreparedDialogue) -> GoalSuccess:
    """Compute the success of a system in a dialogue from its acts.

    Example:
        >>> from dialmeter.model import Act, Move
        >>> user = Move("user", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),))
        >>> system = Move("system", acts=(Act("Hotel-Inform", "hotel", "name", ("the inn",)), Act("Hotel-Inform", "hotel", "area", ("east",))))
        >>> goal = {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}
        >>> act_success(UserScorer().prepare(Conversation("d1", (user, system), goal)))
        GoalSuccess(bookings=(0, 0), answers=(0, 1), matches=(1, 1), conveyed=True)
    """
    booked, answered, requests, matched, searched = [], 0, 0, 0, 0
    for domain, goal in dialogue.goal.items():
        informed = stated_slots(dialogue, domain)
        requests += len(goal.requests)
        answered += sum(slot.lower() in informed for slot in goal.requests)
        if goal.book:
            booked.append(any(dialogue.system_turn(turn.number, domain).reference for turn in dialogue.turns[1::2]))
        if goal.info:
            searched += 1
            matched += _meets(dialogue, domain, goal)
    return GoalSuccess((sum(booked), len(booked)), (answered, requests), (matched, searched))


def _meets(dialogue: PreparedDialogue, domain: str, goal: DomainGoal) -> bool:
    """Return True if the system makes an offer, and the values of its last offer agree with the goal."""
    traits = dialogue.setup.traits(domain)
    offer: dict[str, set[str]] = {}
    made = False
    for turn in dialogue.turns[1::2]:
        entries = turn.acts.get(domain, [])
        if any(parts & NO_OFFER for parts, _, _ in entries):
            offer, made = {}, False
            continue
        values: dict[str, set[str]] = {}
        for parts, slot, value in entries:
            if value and parts & SLOT_VALUES and not parts & PLACEHOLDER:
                values.setdefault(slot, set()).add(value)
        names_new_entity = any(values[slot] != offer.get(slot) for slot in traits.entity_slots & values.keys())
        offer = values if names_new_entity else {**offer, **values}
        made = made or dialogue.system_turn(turn.number, domain).made or (traits.taxi and bool(values))
    return made and all(
        any(_agrees(slot.lower(), value.lower(), each) for each in offer.get(slot.lower(), (value.lower(),)))
        for slot, value in goal.info.items()
    )


def _agrees(slot: str, constraint: str, value: str) -> bool:
    """Return True if a value meets a constraint. A departure may be later than the given time, and an arrival earlier."""
    if _TIME.fullmatch(constraint) and _TIME.fullmatch(value) and slot.startswith(("leave", "arrive")):
        return value >= constraint if slot.startswith("leave") else value <= constraint
    return constraint in _ANY or constraint == value


def system_outcome(conversation: Conversation, success: GoalSuccess) -> SystemOutcome:
    """Return the outcome of a dialogue with acts.

    Example:
        >>> system_outcome(Conversation("d1", ()), GoalSuccess((1, 1), (0, 1), (1, 1))).success
        False
    """
    return SystemOutcome(
        id=conversation.id,
        task=conversation.id,
        trial=0,
        success=success.complete,
        ending="limit" if conversation.cut else "user_stop",
        turns=sum(move.speaker == USER for move in conversation.moves),
        bookings=success.bookings,
        answers=success.answers,
        matches=success.matches,
        goal=goal_digest(goal_units(conversation.goal or {})).hex()[:10],
    )


def as_trajectory(conversation: Conversation) -> Trajectory:
    """Convert a dialogue with acts to a trajectory, the form of dialogues in runs of systems."""
    steps = tuple(
        Step(index, move.speaker, move.text, acts=move.acts or ()) for index, move in enumerate(conversation.moves)
    )
    return Trajectory(
        id=conversation.id,
        task=conversation.id,
        steps=steps,
        ending="limit" if conversation.cut else "user_stop",
        goal=TaskGoal(conversation.task or goal_text(conversation.goal or {})),
    )


def goal_text(goal: Goal) -> str:
    """Return a goal as text, with one line per domain.

    Example:
        >>> goal_text({"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))})
        'hotel: area=east; ask for phone'
    """
    lines = []
    for domain, domain_goal in goal.items():
        parts = [
            ("" if name == "info" else f"{name.replace('_', ' ')} ")
            + ", ".join(f"{slot}={value}" for slot, value in part.items())
            for name, part in domain_goal.parts.items()
        ]
        parts += [f"ask for {', '.join(domain_goal.requests)}"] if domain_goal.requests else []
        lines.append(f"{domain}: {'; '.join(parts)}")
    return "\n".join(lines)


def score_acts(
    conversations: Conversations | Iterable[Conversation],
    scorer: UserScorer,
    *,
    measures: tuple[SystemMeasure, ...] = (),
    resampling: Resampling | None = None,
    choose: Callable[[Iterable[Conversation]], Iterable[Conversation]] = track_reading,
    on_row: Callable[[Trajectory, SystemOutcome], None] | None = None,
) -> SystemResult:
    """Score a system on dialogues with goals and acts.

    Args:
        scorer: scorer of users; it knows the names of acts and values.
        measures: measures to compute (default: goal completion and three rates).
        choose: chooses the dialogues to score.
        on_row: gets every dialogue with its outcome.

    Raises:
        InputError: no dialogue can be scored.
    """
    corpus = conversations if isinstance(conversations, Conversations) else None
    world: World | None = town() if scorer.profile.name == TOWN else None
    outcomes: list[SystemOutcome] = []
    refused: list[InputError] = []
    for conversation in choose(conversations):
        try:
            prepared = scorer.prepare(conversation)
            if not any(move.acts for move in conversation.moves if move.speaker != USER):
                raise InputError("the system has no acts", dialogue=conversation.id)
            success = act_success(prepared) if world is None else looked_up(conversation, world)
        except InputError as error:
            refused.append(error.at(file=corpus.name if corpus is not None else None))
            continue
        outcomes.append(system_outcome(conversation, success))
        if on_row is not None:
            on_row(as_trajectory(conversation), outcomes[-1])
    refused += corpus.refused if corpus is not None else []
    if not outcomes:
        raise InputError(f"no dialogue can be scored{f'; first error: {refused[0]}' if refused else ''}")
    return SystemResult(
        act_settings(scorer),
        outcomes,
        measures=measures,
        refused=refused,
        notices=corpus.notices if corpus is not None else (),
        resampling=resampling,
    )


def act_settings(scorer: UserScorer) -> SystemSettings:
    """Return the settings for dialogues with acts, for signatures."""
    if scorer.profile.name == TOWN:
        return SystemSettings(success=TOWN)
    names = f"map={scorer.value_map.label}" if scorer.value_map is not None and scorer.rules.values.map else ""
    return SystemSettings(success=f"acts({','.join(filter(None, (scorer.profile.shown, names)))})")


def score_log(
    source: str | Iterable[Trajectory],
    measures: Iterable[str] = (),
    settings: SystemSettings = SystemSettings(),  # noqa: B008  frozen
    *,
    format: str | None = None,
    goals: str | None = None,
    profile: str = "multiwoz",
    value_map: ValueMap | None = None,
    only: frozenset[str] | None = None,
    resampling: Resampling | None = None,
    on_row: Callable[[Trajectory, SystemOutcome], None] | None = None,
) -> tuple[str, SystemResult]:
    """Score a system on a log with rewards, or on dialogues with goals and acts; return the format and the result.

    Args:
        source: the path of a file or folder, or trajectories.
        measures: measures to compute.
        settings: the scorer, and what infrastructure errors count as.
        format: the format of the file; detected if not given.
        goals: for dialogues with acts, a file with their goals.
        profile: for dialogues with acts, the profile of the corpus.
        value_map: for dialogues with acts, the forms of each value.
        only: ids of dialogues or of tasks; the others are not read.
        resampling: settings of the intervals; None for no intervals.
        on_row: gets every dialogue with its outcome.

    Raises:
        DialmeterError: no dialogue can be scored, or ``only`` names a dialogue that is not there.
    """
    opened: str | Conversations | Trajectories | Iterable[Trajectory] = source
    if isinstance(source, str):
        opened = (
            open_trajectories(source, format) if is_log(source, format) else open_conversations(source, format, goals)
        )
    file = opened if isinstance(opened, Conversations | Trajectories) else None
    missing = set(only or ())

    def choose(dialogues: Iterable[Any]) -> Iterator[Any]:
        """Yield the dialogues of ``only``, by their id or by their task."""
        for each in track_reading(dialogues):
            names = {each.id} if isinstance(each, Conversation) else {each.id, each.task}
            missing.difference_update(names)
            if only is None or names & only:
                yield each

    if isinstance(opened, Conversations):
        scorer = UserScorer(profile=profile, value_map=value_map)
        parsed = tuple(map(parse_system_measure, measures))
        result = score_acts(opened, scorer, measures=parsed, resampling=resampling, choose=choose, on_row=on_row)
    else:
        read: list[Trajectory] = []

        def take(trajectory: Trajectory, outcome: SystemOutcome) -> None:
            read.append(trajectory)
            if on_row is not None:
                on_row(trajectory, outcome)

        result = score_system(opened, [*measures], settings, resampling=resampling, progress=choose, on_row=take)
        result.find_user_faults = partial(user_faults, read, resampling)
    if missing:
        name = file.name if file is not None else ""
        raise DialmeterError(
            f"{name}: {len(missing)} of {len(only or ())} dialogues of --only are not there; "
            f"the first is {min(missing)!r} (`dialmeter find {name} -f ids` prints the ids)"
        )
    return file.format if file is not None else "", result


def log_settings(
    path: str, settings: SystemSettings, format: str | None, profile: str, value_map: ValueMap | None
) -> SystemSettings:
    """Return the settings under which a file is scored: those of a log, or those of dialogues with acts."""
    return settings if is_log(path, format) else act_settings(UserScorer(profile=profile, value_map=value_map))


def user_faults(
    trajectories: list[Trajectory], resampling: Resampling | None
) -> tuple[float, tuple[float, float]] | None:
    """Return how much more often the user has a severe fault in failed dialogues of a task than in its successful ones.

    Returns:
        The mean difference over tasks that have both outcomes, and its interval; None if the log does not show that faults of
        the user and failure go together.
    """
    if resampling is None:
        return None
    items = read_items(trajectories, resampling=resampling)
    severe = items.faults()[-1] if items.dialogues else None
    if severe is None or severe.difference is None or severe.ci is None or severe.ci[0] <= 0:
        return None
    return severe.difference, severe.ci
