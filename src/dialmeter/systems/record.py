"""The record of a system: what identifies a run, what a row holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..core.record import finish_run, resampling_fields, run_identity
from ..core.run_writer import RunWriter
from ..model import Trajectory
from .outcome import SystemOutcome, SystemSettings
from .result import SystemResult


class SystemRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: a dialogue with its messages and calls of tools, and its outcome."""

    id: str
    trajectory: Trajectory
    outcome: SystemOutcome


def system_identity(
    inputs: Sequence[Mapping[str, str | None]], how: SystemSettings, measures: Sequence[str], profile: str = ""
) -> dict[str, Any]:
    """What makes a run this run; ``profile`` is that of dialogues with acts."""
    found = run_identity("system", inputs, scorer=how.scorer, crashes=how.crashes, measures=list(measures))
    return {**found, "success": how.success, "profile": {"name": profile}} if how.success else found


def finish_system_run(writer: RunWriter, result: SystemResult, about: Mapping[str, Any], report: str) -> None:
    """Closes the run with the scores of the whole and the success of each dialogue."""
    success = [None if each.success is None else float(each.success) for each in result.outcomes]
    finish_run(
        writer,
        {**about, **resampling_fields(result.resampling)},
        result,
        signature=result.signature,
        columns={"Success": success},
        report=report,
        findings={"efforts": result.efforts, "endings": result.endings, "tasks": result.tasks},
        refused=result.refused,
    )
