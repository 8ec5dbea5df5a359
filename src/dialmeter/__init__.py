"""dialmeter: numbers you can trust for dialogue systems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .errors import DialmeterError, InputError, MissingExtra
    from .formats import read
    from .formats.native import write
    from .measure import Measure, Score
    from .measure import parse as parse_measure
    from .model import Dialogue, Notice, Schema, Turn
    from .rules import Rules
    from .rules import load as load_rules
    from .runs import Run, open_run
    from .signature import difference as signature_difference
    from .tracking.fga import lam_for
    from .tracking.result import TrackerResult
    from .tracking.scorer import TrackerScorer, score_tracker

_PUBLIC = {
    "DialmeterError": "errors",
    "InputError": "errors",
    "MissingExtra": "errors",
    "read": "formats",
    "write": "formats.native",
    "Measure": "measure",
    "Score": "measure",
    "parse_measure": "measure:parse",
    "Dialogue": "model",
    "Notice": "model",
    "Schema": "model",
    "Turn": "model",
    "Rules": "rules",
    "load_rules": "rules:load",
    "Run": "runs",
    "open_run": "runs",
    "signature_difference": "signature:difference",
    "lam_for": "tracking.fga",
    "TrackerResult": "tracking.result",
    "TrackerScorer": "tracking.scorer",
    "score_tracker": "tracking.scorer",
}

__all__ = [
    "DialmeterError",
    "Dialogue",
    "InputError",
    "Measure",
    "MissingExtra",
    "Notice",
    "Rules",
    "Run",
    "Schema",
    "Score",
    "TrackerResult",
    "TrackerScorer",
    "Turn",
    "__version__",
    "lam_for",
    "load_rules",
    "open_run",
    "parse_measure",
    "read",
    "score_tracker",
    "signature_difference",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    return getattr(import_module(f".{module}", __name__), attribute or name)


def __dir__() -> list[str]:
    return sorted(__all__)
