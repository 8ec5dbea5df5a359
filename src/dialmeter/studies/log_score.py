"""The score of a system on any file: rewards decide, or acts and goals. With it comes whether faults of the user go with failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from ..core.comparison import Resampling
from ..errors import DialmeterError
from ..model import Conversation, Trajectory
from ..readers.conversations import Conversations, Trajectories, is_log, open_conversations, open_trajectories
from ..systems.measures import SystemOutcome, SystemSettings, parse_system_measure
from ..systems.result import SystemResult
from ..systems.scorer import score_system
from ..users.items.log_items import LogItems, dialogue_items
from ..users.scorer import UserScorer
from ..values.maps import ValueMap
from .act_success import act_settings, score_acts

Progress: TypeAlias = Callable[[Iterable[Any]], Iterable[Any]]


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
    progress: Callable[[Conversations | Trajectories], Progress] = lambda _: lambda dialogues: dialogues,
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
        progress: returns what wraps the dialogues of an open file, for example in a progress bar.
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
        for each in progress(file)(dialogues) if file is not None else dialogues:
            names = {each.id} if isinstance(each, Conversation) else {each.id, each.task}
            missing.difference_update(names)
            if only is None or names & only:
                yield each

    if isinstance(opened, Conversations):
        scorer = UserScorer(profile=profile, value_map=value_map)
        parsed = tuple(map(parse_system_measure, measures))
        result = score_acts(opened, scorer, measures=parsed, resampling=resampling, progress=choose, on_row=on_row)
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
    pairs = dialogue_items(trajectories)
    items = LogItems([each for _, each in pairs], len(trajectories) - len(pairs), resampling=resampling)
    severe = items.faults()[-1] if items.dialogues else None
    if severe is None or severe.difference is None or severe.ci is None or severe.ci[0] <= 0:
        return None
    return severe.difference, severe.ci
