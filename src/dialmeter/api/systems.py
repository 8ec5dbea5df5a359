"""Systems in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..core.comparison import Resampling
from ..errors import DialmeterError, InputError
from ..model import Trajectory
from ..readers.conversations import open_trajectories
from ..readers.layouts.multiwoz import ids_of_list
from ..readers.records.logs import log_of_rows
from ..studies.log_score import score_log
from ..systems.compare import LogComparison, compare_systems
from ..systems.measures import GOAL_COMPLETION, RATES, SUCCESS, SystemSettings
from ..systems.result import SystemResult
from ..systems.scorer import LogCheck, check_log
from ..values.maps import load as load_map
from ..views import system as views
from ..views.summaries.system import check_summary, compare_summary, score_summary
from ..views.tables import Table
from .inputs import find_column
from .scores import measure_texts
from .settings import INTERVALS, Options, Settings

KEYS = ("scorer", "infrastructure", "profile", "map", *INTERVALS)
_MEASURES = (SUCCESS.name, "Pass", GOAL_COMPLETION.name, *(each.name for each in RATES))


def trajectories(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> list[Trajectory]:
    """Return rows with messages and an outcome, or with a task and a reward, as trials. Without a trial column, the rows of a task are numbered in order.

    Raises:
        DialmeterError: there is no column for the task or the reward.
        InputError: a reward is not a number.

    Example:
        >>> [each.id for each in trajectories([{"task_id": 1, "reward": 1}, {"task_id": 1, "reward": 0}], {})]
        ['1:0', '1:1']
    """
    runs = log_of_rows(rows, columns)
    if runs is not None:
        return runs
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    found = {key: columns.get(key) or find_column(names, key) for key in ("task", "trial", "reward")}
    found["task"] = found["task"] or find_column(names, "dialogue")
    for key in ("task", "reward"):
        if found[key] not in names:
            raise DialmeterError(
                f"no column for the {key}; columns: {', '.join(names)}; name it: columns={{{key!r}: 'NAME'}}"
            )
    tried: Counter[str] = Counter()
    result = []
    for place, row in enumerate(rows):
        task, reward = str(row[str(found["task"])]), row[str(found["reward"])]
        trial = row[found["trial"]] if found["trial"] else tried[task]
        tried[task] += 1
        if reward is not None and not isinstance(reward, int | float):
            raise InputError(f"row {place}: the reward must be a number, not {reward!r}")
        rewards = {} if reward is None else {"reward": float(reward)}
        result.append(Trajectory(id=f"{task}:{trial}", task=task, trial=int(trial), rewards=rewards))
    return result


def score(source: Any, settings: Settings, options: Options) -> SystemResult:
    """Score a log: a path, or trajectories."""
    return score_log(
        source,
        measure_texts(options.measures, _MEASURES),
        SystemSettings(settings.get("scorer", ""), settings.get("infrastructure", "both")),
        format=options.format,
        goals=options.gold,
        profile=str(settings.get("profile", "multiwoz")),
        value_map=load_map(str(settings["map"])) if settings.get("map") else None,
        only=_ids(options.only),
        resampling=settings.resampling(10_000),
    )[1]


def _ids(only: Any) -> frozenset[str] | None:
    return None if only is None else frozenset(ids_of_list(only) if isinstance(only, str | Path) else map(str, only))


def check(source: str, settings: Settings, options: Options) -> LogCheck:
    """Check a log."""
    return check_log(open_trajectories(source, options.format))


def compare_results(results: Mapping[str, SystemResult], settings: Settings) -> LogComparison:
    """Compare scored systems."""
    return compare_systems(results, settings.resampling(10_000) or Resampling(resamples=10_000))


def rows(result: SystemResult) -> list[dict[str, Any]]:
    """Return one row per dialogue."""
    return [msgspec.to_builtins(each) for each in result.outcomes]


def errors(result: SystemResult) -> list[dict[str, Any]]:
    """Return one row per failed dialogue."""
    return [msgspec.to_builtins(each) for each in result.outcomes if each.success is False]


def tables(result: SystemResult) -> list[Table]:
    """Return the tables of a result."""
    return [views.system_score_table(result)]


def comparison_tables(compared: LogComparison) -> list[Table]:
    """Return the tables of a comparison."""
    return [views.system_comparison_table(compared)]


charts, summary, checked_summary, comparison_summary = (
    views.system_charts,
    score_summary,
    check_summary,
    compare_summary,
)
