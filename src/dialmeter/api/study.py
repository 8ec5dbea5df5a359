"""Questions that are asked of several results: ``dm.study.rules(…)``, ``bias``, ``sensitivity``, ``power`` and ``audit``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.comparison import Resampling
from ..errors import DialmeterError, NotApplicable
from ..readers.conversations import log_in_memory
from ..studies.bias import BiasStudy, rows_of, study_bias
from ..studies.power import PowerStudy, discriminative_power
from ..studies.sensitivity import SchemaSensitivity, study_sensitivity
from ..systems.task_audit import AuditedRun, AuditedTask, audit_tasks
from ..tracking.result import TrackerResult
from ..tracking.rule_sets.rules import names
from . import systems
from .calls import score
from .results import Result
from .settings import Options, Settings


def _tracker(result: Any) -> TrackerResult:
    inner = getattr(result, "_inner", None)
    if not isinstance(inner, TrackerResult):
        raise DialmeterError("this study is about trackers; give results of dm.score(gold, pred)")
    return inner


def rules(*data: Any, **given: Any) -> dict[str, Result]:
    """Score a tracker under every rule set that can be applied. The arguments are those of ``dm.score``.

    Example:
        >>> results = rules([[{"hotel-area": "east"}]], [[{"hotel-area": "East"}]], measures="JGA")
        >>> results["dialmeter"].jga, results["fga-repo"].jga
        (1.0, 0.0)
    """
    results: dict[str, Result] = {}
    for name in names():
        try:
            results[name] = score(*data, rules=name, **given)
        except NotApplicable:
            continue
    return results


def bias(*data: Any, confidence: float = 0.95, **given: Any) -> BiasStudy:
    """Do measures punish long dialogues or early mistakes? The arguments are those of ``dm.score``; see ``dialmeter study bias``."""
    return study_bias(rows_of(_tracker(score(*data, **given))), confidence=confidence)


def sensitivity(variants: Mapping[str, Result], original: Result | None = None) -> list[SchemaSensitivity]:
    """How much does a tracker depend on the wording of its schema? Give a result for every variant."""
    inner = {name: _tracker(each) for name, each in variants.items()}
    return study_sensitivity(inner, _tracker(original) if original is not None else None, Resampling())


def power(results: Mapping[str, Result], level: float = 0.05) -> PowerStudy:
    """Which measure separates most pairs of trackers? Give the results by name."""
    return discriminative_power(
        {name: _tracker(each) for name, each in results.items()}, Resampling(), "randomisation", level
    )


def audit(logs: Mapping[str, Any], **settings: Any) -> list[AuditedTask]:
    """Which tasks may be wrong? Give the logs of agents by name; settings are those of ``dm.score``. It is a list for screening.

    A log is a path, or what was parsed from it.
    """
    runs: list[AuditedRun] = []
    for name, path in logs.items():
        given = Settings(**settings)
        given.check("system", systems.KEYS, "study.audit")
        systems.score(
            log_in_memory(path) or path, given, Options(), lambda *row, name=name: runs.append(AuditedRun(name, *row))
        )
    return audit_tasks(runs)
