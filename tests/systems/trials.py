"""Logs of agents for tests: published ones, and invented trials of tasks."""

from __future__ import annotations

from pathlib import Path

from dialmeter.model import Ending, Trajectory
from dialmeter.systems.measures import SystemSettings

from ..shared_data import shared

SKIPPED = SystemSettings(infrastructure="skipped")

ENDINGS: dict[str, Ending] = {"!": "crash", "#": "infrastructure"}


def log(name: str) -> Path:
    return shared("data", "trajectories", f"{name}.gz")


def tries(**tasks: str) -> list[Trajectory]:
    """Trials of tasks: + for a success, - for a failure, ! for a crash, # for an infrastructure error, ? for no reward."""
    return [
        Trajectory(
            id=f"{task}:{trial}",
            task=task,
            trial=trial,
            rewards={} if sign == "?" else {"reward": float(sign == "+")},
            ending=ENDINGS.get(sign, "user_stop"),
        )
        for task, signs in tasks.items()
        for trial, sign in enumerate(signs)
    ]
