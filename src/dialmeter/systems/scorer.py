"""Scores a log: takes dialogues one by one and gives a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..core.comparison import make_resampling
from ..errors import InputError, placing
from ..model import Trajectory
from ..readers.trajectories import Trajectories, open_trajectories
from ..renamed import renamed_argument
from .measures import parse_system_measure
from .outcome import Crashes, SystemOutcome, SystemSettings, outcome_of
from .result import SystemResult


@renamed_argument("form", "format")
def score_system(
    log: str | Path | Trajectories | Iterable[Trajectory],
    measures: Sequence[str] = (),
    *,
    scorer: str = "",
    crashes: Crashes = "failed",
    format: str | None = None,
    ci: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    watch: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = lambda found: found,
    sink: Callable[[Trajectory, SystemOutcome], None] | None = None,
) -> SystemResult:
    """Scores a system: does it reach the user's goal, again and again?

    Args:
        log: a file or folder, one that is open already, or trajectories.
        measures: such as ``Success`` and ``Pass(k=2)``; by default both, up to the number of trials.
        scorer: whose reward decides, where a log has several; the first one by default.
        crashes: ``failed`` if crashed runs count as failures, ``skipped`` if they are unscored.
        format: the format of the log; detected if not given.
        ci: the confidence of the intervals; 0 for none.
        resamples: how often tasks are drawn for them.
        seed: of the draw.
        watch: wraps the trajectories, for a progress bar.
        sink: takes every dialogue with its outcome, scored or not.

    Raises:
        DialmeterError: nothing that can be scored, or a log that cannot be read.

    Example:
        >>> tries = [Trajectory(id=f"1:{trial}", task="1", trial=trial, rewards={"reward": trial}) for trial in (0, 1)]
        >>> result = score_system(tries)
        >>> result["Success"].value, result["Pass(k=2)"].value
        (0.5, 0.0)
    """
    resampling = make_resampling(ci, resamples, seed)
    how = SystemSettings(scorer, crashes)
    chosen = [parse_system_measure(text) for text in measures]
    opened = open_trajectories(log, format) if isinstance(log, str | Path) else log
    file = opened if isinstance(opened, Trajectories) else None
    outcomes = []
    for each in watch(opened):
        outcome = outcome_of(each, how)
        outcomes.append(outcome)
        if sink is not None:
            sink(each, outcome)
    refused = file.refused if file is not None else []
    if not any(each.success is not None for each in outcomes):
        why = refused[0].message if refused else outcomes[0].reason if outcomes else "it has none"
        with placing(file=file.name if file is not None else None):
            raise InputError(f"no dialogue can be scored: {why}")
    return SystemResult(
        how,
        outcomes,
        measures=chosen,
        refused=refused,
        notices=file.notices if file is not None else (),
        resampling=resampling,
    )
