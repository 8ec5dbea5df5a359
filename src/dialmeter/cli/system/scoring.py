"""What the commands on systems share: how a log is read and scored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ...model import Trajectory
from ...readers.conversations import open_conversations
from ...readers.trajectories import is_log, open_trajectories
from ...studies.act_success import act_settings, score_acts
from ...systems.measures import parse_system_measure
from ...systems.outcome import SystemOutcome, SystemSettings
from ...systems.result import SystemResult
from ...systems.scorer import score_system
from ...users.scorer import UserScorer
from ..options import (
    choice_option,
    combine_options,
    confidence_from_options,
    from_option,
    map_option,
    resampling_from_options,
    value_map_from_options,
)
from ..progress import track_reading
from ..user.scoring import goals_option, profile_option

log_options = combine_options(
    from_option("the log"),
    click.option(
        "--measure", "measures", multiple=True, metavar="M", help="Success, Pass(k=2), BookingRate, …; may be repeated."
    ),
    click.option("--scorer", default="", metavar="NAME", help="Whose reward decides, where a log has several."),
    choice_option("--crashes", ["failed", "skipped"], "Crashed runs count as failures, or are unscored."),
    profile_option("Of dialogues with acts: how the corpus names them."),
    map_option,
    goals_option,
)


def score_log(
    path: str, options: dict[str, Any], sink: Callable[[Trajectory, SystemOutcome], None] | None = None
) -> tuple[str, SystemResult]:
    """The format of a log, and its scores.

    Args:
        path: the log.
        options: of the command.
        sink: takes every dialogue with its outcome.
    """
    if not is_log(path, options["format"]):
        talks = open_conversations(path, options["format"], options["goals"])
        found = score_acts(
            talks,
            act_scorer(options),
            measures=tuple(parse_system_measure(text) for text in options["measures"]),
            resampling=resampling_from_options(options),
            watch=lambda each: track_reading(each, talks, options["quiet"]),
            sink=sink,
        )
        return talks.format, found
    log = open_trajectories(path, options["format"])
    result = score_system(
        log,
        options["measures"],
        scorer=options["scorer"],
        crashes=options["crashes"],
        ci=confidence_from_options(options),
        resamples=options["resamples"],
        seed=options["seed"],
        watch=lambda each: track_reading(each, log, options["quiet"]),
        sink=sink,
    )
    return log.format, result


def act_scorer(options: dict[str, Any]) -> UserScorer:
    """The scorer of dialogues with acts, with the profile and the value map that the options name."""
    return UserScorer(profile=options["profile"], value_map=value_map_from_options(options))


def system_settings_from_options(path: str, options: dict[str, Any]) -> SystemSettings:
    """How a log, or a file of dialogues with acts, is scored."""
    if is_log(path, options["format"]):
        return SystemSettings(options["scorer"], options["crashes"])
    return act_settings(act_scorer(options))
