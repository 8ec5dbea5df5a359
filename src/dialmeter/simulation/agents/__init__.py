"""Agents: users with a goal, systems with a database, and adapters for custom agents.

On the command line, an agent is written as ``agenda`` or ``agenda(patience=2)``, with dials in brackets.
"""

from __future__ import annotations

from ...registry import Registry
from .agent import Agent, ChosenAgent, Kind, choose

__all__ = ["QUICK", "Agent", "ChosenAgent", "Kind", "choose", "registry"]

QUICK = frozenset({"agenda", "forgetful", "looping", "inventive", "hasty", "rule", "eager", "stubborn"})
"""Agents that answer without delay."""

registry = Registry(
    "agent",
    "dialmeter.agents",
    {
        name: f"{__name__}.{target}"
        for name, target in {
            "agenda": "agenda_user:AGENDA",
            "forgetful": "agenda_user:FORGETFUL",
            "looping": "agenda_user:LOOPING",
            "inventive": "agenda_user:INVENTIVE",
            "hasty": "agenda_user:HASTY",
            "rule": "rule_system:RULE",
            "eager": "rule_system:EAGER",
            "stubborn": "rule_system:STUBBORN",
            "endpoint-user": "endpoint:USER_KIND",
            "endpoint-system": "endpoint:SYSTEM_KIND",
        }.items()
    },
)
