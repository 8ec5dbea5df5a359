"""What the commands on systems share: how a log is read and scored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ...model import Trajectory
from ...readers.trajectories import open_trajectories
from ...systems.outcome import SystemOutcome
from ...systems.result import SystemResult
from ...systems.scorer import score_system
from ..options import chosen_confidence, from_option, stacked
from ..progress import watched

log_options = stacked(
    from_option("the log", "layout"),
    click.option("--measure", "measures", multiple=True, metavar="M", help="Success, Pass(k=2); may be repeated."),
    click.option("--scorer", default="", metavar="NAME", help="Whose reward decides, where a log has several."),
    click.option(
        "--crashes",
        type=click.Choice(["failed", "skipped"]),
        default="failed",
        show_default=True,
        help="Crashed runs count as failures, or are unscored.",
    ),
)


def scored_log(
    path: str, options: dict[str, Any], sink: Callable[[Trajectory, SystemOutcome], None] | None = None
) -> tuple[str, SystemResult]:
    """The layout of a log, and its scores.

    Args:
        path: the log.
        options: of the command.
        sink: takes every dialogue with its outcome.
    """
    log = open_trajectories(path, options["form"])
    result = score_system(
        log,
        options["measures"],
        scorer=options["scorer"],
        crashes=options["crashes"],
        ci=chosen_confidence(options),
        resamples=options["resamples"],
        seed=options["seed"],
        watch=lambda each: watched(each, log, options["quiet"]),
        sink=sink,
    )
    return log.format, result
