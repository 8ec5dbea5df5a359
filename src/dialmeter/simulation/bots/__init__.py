"""Bots: users with a goal, systems with a database, and adapters for custom bots.

On the command line, a bot is written as ``agenda`` or ``agenda(patience=2)``, with dials in brackets.
"""

from __future__ import annotations

from ...registry import Registry
from .bot import Bot, ChosenBot, Kind, choose

__all__ = ["QUICK", "Bot", "ChosenBot", "Kind", "choose", "registry"]

_MODULES = {
    "agenda": ("agenda", "forgetful", "looping", "inventive", "hasty"),
    "rule_system": ("rule", "eager", "stubborn"),
}
QUICK = frozenset(name for names in _MODULES.values() for name in names)
"""Bots that answer without delay."""

registry = Registry(
    "bot",
    "dialmeter.bots",
    {
        **{name: f"{__name__}.{module}:{name.upper()}" for module, names in _MODULES.items() for name in names},
        "endpoint-user": f"{__name__}.endpoint:USER_KIND",
        "endpoint-system": f"{__name__}.endpoint:SYSTEM_KIND",
    },
)
