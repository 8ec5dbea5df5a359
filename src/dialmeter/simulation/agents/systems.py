"""The systems that come with dialmeter."""

from __future__ import annotations

from .agent import Kind
from .rule_system import RuleSystem, SystemDials

RULE = Kind("system", "looks things up, offers, answers and books, by rules", SystemDials(), RuleSystem)
EAGER = Kind("system", "volunteers information before it is asked", SystemDials(eagerness=0.8), RuleSystem)
STUBBORN = Kind("system", "asks again for what it was told", SystemDials(stubbornness=0.5), RuleSystem)
