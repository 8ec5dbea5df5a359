"""dialmeter: is that difference real, and why?

>>> import dialmeter as dm
>>> dm.score([{"hotel-area": "east"}], [{"hotel-area": "East"}]).jga
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .api import study
    from .api.calls import check, compare, open_run, score
    from .api.results import Comparison, Result, Run
    from .api.scorer import Scorer
    from .api.scores import Score
    from .api.search import find
    from .api.settings import Settings
    from .api.tasks import attack, cite, convert, explain, play
    from .errors import DialmeterError, InputError, MissingExtra
    from .judges.cases import Case
    from .judges.judge import Judge
    from .judges.train.reward import Reward
    from .measure import Measure
    from .model import Act, Dialogue, Turn
    from .model import DomainGoal as Goal
    from .readers.corpus import read
    from .tracking.measures.fga import lam_for

_PUBLIC = {
    "score": "api.calls",
    "compare": "api.calls",
    "check": "api.calls",
    "find": "api.search",
    "read": "readers.corpus",
    "convert": "api.tasks",
    "open_run": "api.calls",
    "attack": "api.tasks",
    "explain": "api.tasks",
    "play": "api.tasks",
    "cite": "api.tasks",
    "lam_for": "tracking.measures.fga",
    "Scorer": "api.scorer",
    "Result": "api.results",
    "Score": "api.scores",
    "Comparison": "api.results",
    "Run": "api.results",
    "Settings": "api.settings",
    "Measure": "measure",
    "Judge": "judges.judge",
    "Reward": "judges.train.reward",
    "Dialogue": "model",
    "Turn": "model",
    "Act": "model",
    "Goal": "model:DomainGoal",
    "Case": "judges.cases",
    "study": "api",
    "DialmeterError": "errors",
    "InputError": "errors",
    "MissingExtra": "errors",
}
"""Public name → its module, and its name there if that differs."""

__all__ = [
    "Act",
    "Case",
    "Comparison",
    "DialmeterError",
    "Dialogue",
    "Goal",
    "InputError",
    "Judge",
    "Measure",
    "MissingExtra",
    "Result",
    "Reward",
    "Run",
    "Score",
    "Scorer",
    "Settings",
    "Turn",
    "__version__",
    "attack",
    "check",
    "cite",
    "compare",
    "convert",
    "explain",
    "find",
    "lam_for",
    "open_run",
    "play",
    "read",
    "score",
    "study",
]


def __getattr__(name: str) -> Any:
    if name == "study":
        return import_module(".api.study", __name__)
    if name in _PUBLIC:
        module, _, attribute = _PUBLIC[name].partition(":")
        return getattr(import_module(f".{module}", __name__), attribute or name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .api.calls import attribute as expected

    return expected(name, list(_PUBLIC))


def __dir__() -> list[str]:
    return sorted(__all__)
