"""Dialogues that several tests share, played once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dialmeter.model import Conversation
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, play, sampled, write

SEED = 7
GOALS = 300


@cache
def played(user: str = "agenda", system: str = "rule", noise: float = 0.0) -> list[Conversation]:
    """300 dialogues; the goals are the same for all."""
    setting = Setting(choose(user, "user"), choose(system, "system"), noise, SEED)
    return list(play(sampled(GOALS, SEED), setting))


def play_to_file(
    path: str | Path, goals: int, seed: int = 0, noise: float = 0.0, user: str = "agenda", workers: int = 1
) -> None:
    """Play dialogues with the rule system into a file of native lines."""
    setting = Setting(choose(user, "user"), choose("rule", "system"), noise, seed)
    write(path, sampled(goals, seed), setting, workers=workers)
