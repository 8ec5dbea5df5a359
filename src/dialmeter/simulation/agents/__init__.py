"""Speakers: users with a goal, systems with a database, and ways to bring one's own.

An agent is named on the command line as in ``agenda`` or ``agenda(patience=2)``, with dials in brackets.
"""

from __future__ import annotations

from ...registry import Registry
from .agent import Agent, Chosen, Kind
from .choosing import choose

__all__ = ["QUICK", "Agent", "Chosen", "Kind", "choose", "registry"]

QUICK = frozenset({"agenda", "forgetful", "looping", "inventive", "hasty", "rule", "eager", "stubborn"})
"""Agents that answer at once."""

registry = Registry(
    "agent",
    "dialmeter.agents",
    {
        name: f"{__name__}.{target}"
        for name, target in {
            "agenda": "users:AGENDA",
            "forgetful": "users:FORGETFUL",
            "looping": "users:LOOPING",
            "inventive": "users:INVENTIVE",
            "hasty": "users:HASTY",
            "rule": "systems:RULE",
            "eager": "systems:EAGER",
            "stubborn": "systems:STUBBORN",
            "endpoint-user": "endpoint:USER_KIND",
            "endpoint-system": "endpoint:SYSTEM_KIND",
        }.items()
    },
)
