"""Scoring of a log of dialogues with a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..core.comparison import make_resampling
from ..errors import InputError, placing
from ..model import Trajectory
from ..readers.conversations import Trajectories, open_trajectories
from ..renamed import renamed_argument
from .measures import Infrastructure, SystemOutcome, SystemSettings, choose_scorer, outcome_of, parse_system_measure
from .result import SystemResult


@renamed_argument("form", "format")
def score_system(
    log: str | Path | Trajectories | Iterable[Trajectory],
    measures: Sequence[str] = (),
    *,
    scorer: str = "",
    infrastructure: Infrastructure = "both",
    format: str | None = None,
    ci: float = 0.95,
    resamples: int = 10_000,
    seed: int = 12345,
    watch: Callable[[Iterable[Trajectory]], Iterable[Trajectory]] = lambda trajectories: trajectories,
    sink: Callable[[Trajectory, SystemOutcome], None] | None = None,
) -> SystemResult:
    """Score a system: does it reach the user's goal, and does it do so in every trial?

    Args:
        log: the path of a file or folder, an open log, or trajectories.
        measures: such as ``Success`` and ``Pass(k=2)``; default: Success and Pass(k), with k up to the smallest number of trials (at most 8).
        scorer: the scorer whose reward decides, if a log has several; dialogues without its reward are unscored.
        infrastructure: ``failed`` if runs that an infrastructure error ended count as failures, ``skipped`` if they are
            unscored, ``both`` for failures and a second result without them (``result.without_infrastructure``).
        format: the format of the log; default: auto-detect.
        ci: confidence level of the intervals; 0 for no intervals.
        resamples: number of bootstrap resamples of tasks.
        seed: seed of the bootstrap.
        watch: wraps the trajectories, for example in a progress bar.
        sink: called with every dialogue and its outcome, including unscored ones.

    Raises:
        DialmeterError: no dialogue can be scored, the log cannot be read, or it has several scorers and none is chosen.

    Example:
        >>> tries = [Trajectory(id=f"1:{trial}", task="1", trial=trial, rewards={"reward": trial}) for trial in (0, 1)]
        >>> result = score_system(tries)
        >>> result["Success"].value, result["Pass(k=2)"].value
        (0.5, 0.0)
    """
    resampling = make_resampling(ci, resamples, seed)
    settings = SystemSettings(scorer, infrastructure)
    parsed = [parse_system_measure(text) for text in measures]
    opened = open_trajectories(log, format) if isinstance(log, str | Path) else log
    file = opened if isinstance(opened, Trajectories) else None
    outcomes = []
    scorers: set[str] = set()
    with placing(file=file.name if file is not None else None):
        for trajectory in watch(opened):
            scorers.update(trajectory.rewards)
            if not scorer:
                choose_scorer(scorers)
            outcome = outcome_of(trajectory, settings)
            outcomes.append(outcome)
            if sink is not None:
                sink(trajectory, outcome)
        chosen = choose_scorer(scorers, scorer)
        refused = file.refused if file is not None else []
        if not any(each.success is not None for each in outcomes):
            reason = refused[0].message if refused else outcomes[0].reason if outcomes else "the log has no dialogues"
            raise InputError(f"no dialogue can be scored: {reason}")
    return SystemResult(
        SystemSettings(chosen, infrastructure),
        outcomes,
        measures=parsed,
        refused=refused,
        notices=file.notices if file is not None else (),
        resampling=resampling,
    )
