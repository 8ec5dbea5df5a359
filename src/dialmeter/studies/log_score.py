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
from ..users.items.log_items import read_items
from ..values.maps import ValueMap
from .act_success import act_scorer, score_acts

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
    parsed = tuple(map(parse_system_measure, measures))
    if isinstance(source, str) and not is_log(source, format):
        conversations = open_conversations(source, format, goals)
        chosen = _Chosen(only, conversations.name)
        result = score_acts(
            conversations,
            act_scorer(profile, value_map),
            measures=parsed,
            resampling=resampling,
            progress=lambda dialogues: chosen.of(progress(conversations)(dialogues)),
            on_row=on_row,
        )
        return conversations.format, chosen.checked(result)
    log = open_trajectories(source, format) if isinstance(source, str) else source
    chosen = _Chosen(only, log.name if isinstance(log, Trajectories) else "")
    read: list[Trajectory] = []

    def take(trajectory: Trajectory, outcome: SystemOutcome) -> None:
        read.append(trajectory)
        if on_row is not None:
            on_row(trajectory, outcome)

    wrap = progress(log) if isinstance(log, Trajectories) else lambda dialogues: dialogues
    result = score_system(
        log,
        [each.name for each in parsed],
        scorer=settings.scorer,
        infrastructure=settings.infrastructure,
        ci=resampling.confidence if resampling else 0,
        resamples=resampling.resamples if resampling else 10_000,
        seed=resampling.seed if resampling else 12345,
        progress=lambda dialogues: chosen.of(wrap(dialogues)),
        on_row=take,
    )
    result.find_user_faults = partial(user_faults, read, resampling)
    return log.format if isinstance(log, Trajectories) else "", chosen.checked(result)


class _Chosen:
    """The dialogues of ``only``, by their id or by their task."""

    def __init__(self, only: frozenset[str] | None, file: str) -> None:
        self._only, self._file = only, file
        self._missing = set(only or ())

    def of(self, dialogues: Iterable[Any]) -> Iterator[Any]:
        for each in dialogues:
            names = {each.id} if isinstance(each, Conversation) else {each.id, each.task}
            self._missing -= names
            if self._only is None or names & self._only:
                yield each

    def checked(self, result: SystemResult) -> SystemResult:
        if self._missing:
            first = sorted(self._missing)[0]
            raise DialmeterError(
                f"{self._file}: {len(self._missing)} of {len(self._only or ())} dialogues of --only are not there; "
                f"the first is {first!r} (`dialmeter find {self._file} -f ids` prints the ids)"
            )
        return result


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
