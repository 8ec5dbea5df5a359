"""Dialogues that several tests share, played once."""

from __future__ import annotations

from functools import cache

from dialmeter.model import Conversation
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, play, sampled

SEED = 7
GOALS = 300


@cache
def played(user: str = "agenda", system: str = "rule", noise: float = 0.0) -> list[Conversation]:
    """300 dialogues; the goals are the same for all."""
    setting = Setting(choose(user, "user"), choose(system, "system"), noise, SEED)
    return list(play(sampled(GOALS, SEED), setting))
