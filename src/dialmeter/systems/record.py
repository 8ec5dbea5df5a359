"""The run record of a system: identity of a run, and its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..core.record import finish_run, resampling_fields, run_identity
from ..core.run_writer import RunWriter
from ..model import Trajectory
from .measures import SystemOutcome, SystemSettings
from .result import SystemResult


class SystemRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: a dialogue with its messages and tool calls, and its outcome."""

    id: str
    trajectory: Trajectory
    outcome: SystemOutcome


def system_identity(
    inputs: Sequence[Mapping[str, str | None]], settings: SystemSettings, measures: Sequence[str], profile: str = ""
) -> dict[str, Any]:
    """Return the data that identify a run. ``profile`` is the profile for dialogues with acts."""
    chosen = {"scorer": settings.scorer, "infrastructure": settings.infrastructure}
    identity = run_identity("system", inputs, **chosen, measures=list(measures))
    return {**identity, "success": settings.success, "profile": {"name": profile}} if settings.success else identity


def finish_system_run(writer: RunWriter, result: SystemResult, about: Mapping[str, Any], report: str) -> None:
    """Close the run with the scores over all dialogues and the success of each dialogue."""
    success = [None if each.success is None else float(each.success) for each in result.outcomes]
    finish_run(
        writer,
        {**about, **resampling_fields(result.resampling)},
        result,
        signature=result.signature,
        columns={"Success": success},
        report=report,
        findings={name: getattr(result, name) for name in ("left_out", "efforts", "endings", "tasks")},
        refused=result.refused,
    )
