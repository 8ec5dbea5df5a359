"""Options of the commands on systems, and the scoring of a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ...model import Trajectory
from ...readers.conversations import is_log, open_conversations, open_trajectories
from ...studies.act_success import act_settings, score_acts
from ...systems.measures import SystemOutcome, SystemSettings, parse_system_measure
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
        "--measure",
        "measures",
        multiple=True,
        metavar="M",
        help="Measure, such as Success, Pass(k=2) or BookingRate; may be repeated.",
    ),
    click.option(
        "--scorer",
        default="",
        metavar="NAME",
        help="Scorer whose reward decides, if the log has several. Dialogues without its reward are unscored.",
    ),
    choice_option(
        "--infrastructure",
        ["both", "failed", "skipped"],
        "Count runs that an infrastructure error ended as failures, skip them as unscored, or give both values.",
    ),
    profile_option("For dialogues with acts: profile of the corpus, with its names of acts, slots and services."),
    map_option,
    goals_option,
)


def score_log(
    path: str, options: dict[str, Any], sink: Callable[[Trajectory, SystemOutcome], None] | None = None
) -> tuple[str, SystemResult]:
    """Score a log, and return its format and its result.

    Args:
        path: the log.
        options: the options of the command.
        sink: called with every dialogue and its outcome.
    """
    if not is_log(path, options["format"]):
        talks = open_conversations(path, options["format"], options["goals"])
        result = score_acts(
            talks,
            act_scorer(options),
            measures=tuple(parse_system_measure(text) for text in options["measures"]),
            resampling=resampling_from_options(options),
            watch=lambda each: track_reading(each, talks, options["quiet"]),
            sink=sink,
        )
        return talks.format, result
    log = open_trajectories(path, options["format"])
    result = score_system(
        log,
        options["measures"],
        scorer=options["scorer"],
        infrastructure=options["infrastructure"],
        ci=confidence_from_options(options),
        resamples=options["resamples"],
        seed=options["seed"],
        watch=lambda each: track_reading(each, log, options["quiet"]),
        sink=sink,
    )
    return log.format, result


def act_scorer(options: dict[str, Any]) -> UserScorer:
    """Return the scorer of dialogues with acts, with the profile and the value map of the options."""
    return UserScorer(profile=options["profile"], value_map=value_map_from_options(options))


def system_settings_from_options(path: str, options: dict[str, Any]) -> SystemSettings:
    """Return the settings for scoring a log, or a file of dialogues with acts."""
    if is_log(path, options["format"]):
        return SystemSettings(options["scorer"], options["infrastructure"])
    return act_settings(act_scorer(options))
