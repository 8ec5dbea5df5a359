"""dialmeter: numbers you can trust for dialogue systems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .core.comparability import difference as signature_difference
    from .core.open_runs import Run, open_run
    from .errors import DialmeterError, InputError, MissingExtra
    from .judges.people.result import PeopleResult
    from .judges.people.study import judge_human
    from .judges.result import JudgeResult
    from .judges.scorer import JudgeScorer, attack_replies, score_judge
    from .measure import Measure, Score
    from .measure import parse as parse_measure
    from .model import Act, Conversation, Dialogue, DomainGoal, Move, Notice, Schema, Turn
    from .readers.conversations import open_conversations as read_conversations
    from .readers.corpus import read
    from .readers.layouts.own import write
    from .readers.ratings.rated_item import RatedItem
    from .simulation.play import play_to_file
    from .systems.result import SystemResult
    from .systems.scorer import score_system
    from .tracking.measures.fga import lam_for
    from .tracking.result import TrackerResult
    from .tracking.rule_sets.rules import Rules
    from .tracking.rule_sets.rules import load as load_rules
    from .tracking.scorer import TrackerScorer
    from .tracking.scoring import score_tracker
    from .users.result import UserResult
    from .users.scorer import UserScorer, score_user

_PUBLIC = {
    "DialmeterError": "errors",
    "InputError": "errors",
    "MissingExtra": "errors",
    "read": "readers.corpus",
    "write": "readers.layouts.own",
    "Measure": "measure",
    "Score": "measure",
    "parse_measure": "measure:parse",
    "Dialogue": "model",
    "Notice": "model",
    "Schema": "model",
    "Turn": "model",
    "Rules": "tracking.rule_sets.rules",
    "load_rules": "tracking.rule_sets.rules:load",
    "Run": "core.open_runs",
    "open_run": "core.open_runs",
    "signature_difference": "core.comparability:difference",
    "lam_for": "tracking.measures.fga",
    "TrackerResult": "tracking.result",
    "TrackerScorer": "tracking.scorer",
    "score_tracker": "tracking.scoring",
    "Conversation": "model",
    "DomainGoal": "model",
    "Move": "model",
    "Act": "model",
    "read_conversations": "readers.conversations:open_conversations",
    "UserResult": "users.result",
    "UserScorer": "users.scorer",
    "score_user": "users.scorer",
    "JudgeResult": "judges.result",
    "JudgeScorer": "judges.scorer",
    "attack_replies": "judges.scorer",
    "score_judge": "judges.scorer",
    "PeopleResult": "judges.people.result",
    "judge_human": "judges.people.study",
    "RatedItem": "readers.ratings.rated_item",
    "play_to_file": "simulation.play",
    "SystemResult": "systems.result",
    "score_system": "systems.scorer",
}

__all__ = [
    "Act",
    "Conversation",
    "DialmeterError",
    "Dialogue",
    "DomainGoal",
    "InputError",
    "JudgeResult",
    "JudgeScorer",
    "Measure",
    "MissingExtra",
    "Move",
    "Notice",
    "PeopleResult",
    "RatedItem",
    "Rules",
    "Run",
    "Schema",
    "Score",
    "SystemResult",
    "TrackerResult",
    "TrackerScorer",
    "Turn",
    "UserResult",
    "UserScorer",
    "__version__",
    "attack_replies",
    "judge_human",
    "lam_for",
    "load_rules",
    "open_run",
    "parse_measure",
    "play_to_file",
    "read",
    "read_conversations",
    "score_judge",
    "score_system",
    "score_tracker",
    "score_user",
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
