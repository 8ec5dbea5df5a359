"""Systems in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ..core.comparison import Resampling, check_margin
from ..errors import DialmeterError
from ..measure import Score
from ..model import Trajectory
from ..readers.conversations import open_trajectories
from ..readers.layouts.multiwoz import ids_of_list
from ..readers.records.logs import log_of_rows
from ..studies.log_score import score_log
from ..systems.compare import LogComparison, compare_systems
from ..systems.measures import (
    CALLS,
    GOAL_COMPLETION,
    RATES,
    SUCCESS,
    SystemOutcome,
    SystemSettings,
    parse_system_measure,
)
from ..systems.result import SystemResult
from ..systems.scorer import LogCheck, check_log
from ..systems.task_patch import read_task_patch
from ..values.maps import load as load_map
from ..views import system as views
from ..views.summaries.system import check_summary, compare_summary, score_summary
from ..views.tables import Table
from .scores import measure_texts
from .settings import INTERVALS, Options, Settings

KEYS = ("scorer", "infrastructure", "writes", "reads", "tasks", "margin", "profile", "map", *INTERVALS)
_MEASURES = (SUCCESS.name, "Pass", "AnyPass", GOAL_COMPLETION.name, *(each.name for each in (*CALLS, *RATES)))


def trajectories(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> list[Trajectory]:
    """Return rows with messages and an outcome, or with a task and a reward, as trials. Without a trial column, the rows of a task are numbered in order.

    Raises:
        DialmeterError: there is no column for the task or the reward.
        InputError: no reading wins; the message has the question that a person can answer.

    Example:
        >>> [each.id for each in trajectories([{"task_id": 1, "reward": 1}, {"task_id": 1, "reward": 0}], {})]
        ['1:0', '1:1']
    """
    runs = log_of_rows(rows, {"outcome" if key == "reward" else key: name for key, name in columns.items()})
    if runs is None:
        names = ", ".join(dict.fromkeys(str(name) for row in rows for name in row))
        raise DialmeterError(
            f"no column for the task or the reward; columns: {names}; name them: columns={{'reward': 'NAME'}}"
        )
    return runs


def score(
    source: Any,
    settings: Settings,
    options: Options,
    on_row: Callable[[Trajectory, SystemOutcome], None] | None = None,
) -> SystemResult:
    """Score a log: a path, or trajectories. ``on_row`` gets every dialogue with its outcome."""
    return score_log(
        source,
        measure_texts(options.measures, _MEASURES),
        _settings(settings),
        format=options.format,
        goals=options.gold,
        profile=str(settings.get("profile", "multiwoz")),
        value_map=load_map(str(settings["map"])) if settings.get("map") else None,
        only=_ids(options.only),
        resampling=settings.resampling(10_000),
        on_row=on_row,
    )[1]


def _settings(settings: Settings) -> SystemSettings:
    writes, reads = (tuple(filter(None, (settings.text(key) or "").split(","))) for key in ("writes", "reads"))
    tasks = settings.get("tasks", ())
    return SystemSettings(
        settings.get("scorer", ""),
        settings.get("infrastructure", "both"),
        writes=writes,
        reads=reads,
        left_out=read_task_patch(tasks).tasks if isinstance(tasks, str | Path) else tuple(map(str, tasks)),
    )


def _ids(only: Any) -> frozenset[str] | None:
    return None if only is None else frozenset(ids_of_list(only) if isinstance(only, str | Path) else map(str, only))


def check(source: str, settings: Settings, options: Options) -> LogCheck:
    """Check a log."""
    return check_log(open_trajectories(source, options.format))


def compare_results(results: Mapping[str, SystemResult], settings: Settings) -> LogComparison:
    """Compare scored systems."""
    resampling = settings.resampling(10_000) or Resampling(resamples=10_000)
    return compare_systems(results, resampling, check_margin(float(settings.get("margin", 0.0))))


def rows(result: SystemResult) -> list[dict[str, Any]]:
    """Return one row per dialogue; its calls are the values of the measures of calls."""
    return [_row(each) for each in result.outcomes]


def _row(each: SystemOutcome) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(replace(each, calls=None))
    return row | {measure.name: value for measure in CALLS if (value := each.number(measure.column)) is not None}


def find_rows(result: SystemResult) -> list[dict[str, Any]]:
    """Return the rows of dialogues, then one row per argument of the calls that write, with its mark as outcome."""
    arguments = (
        {"id": each.id, "task": each.task, "ending": each.ending, "at": pair.at, "tool": pair.tool}
        | {"argument": item.path, "outcome": item.mark, "expected": item.expected, "made": item.made}
        for each in result.outcomes
        for pair in (each.calls.pairs if each.calls is not None else ())
        for item in pair.items
    )
    return [*rows(result), *arguments]


def more(result: SystemResult, name: str) -> Score | None:
    """Return the score of a measure that was not requested, without interval; None if there is no such measure."""
    try:
        return result.score_of(parse_system_measure(str(name)))
    except DialmeterError:
        return None


def errors(result: SystemResult) -> list[dict[str, Any]]:
    """Return one row per failed dialogue."""
    return [_row(each) for each in result.outcomes if each.success is False]


def tables(result: SystemResult) -> list[Table]:
    """Return the tables of a result."""
    return [views.system_score_table(result), *views.call_tables(result)]


def comparison_tables(compared: LogComparison) -> list[Table]:
    """Return the tables of a comparison."""
    return [views.system_comparison_table(compared)]


charts, summary, checked_summary, comparison_summary = (
    views.system_charts,
    score_summary,
    check_summary,
    compare_summary,
)
