"""Names that people expect in the module: measures as functions, and one line of advice for the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import did_you_mean
from ..measure import registry
from .calls import measure_value
from .scores import plain_name

_ADVICE = {
    "load": "dm.score(gold, pred, measures='JGA')",
    "evaluate": "dm.score(gold, pred)",
    "eval": "dm.score(gold, pred)",
    "compute": "dm.score(gold, pred)",
    "metrics": "dm.score(gold, pred, measures='JGA')",
    "metric": "dm.score(gold, pred, measures='JGA')",
    "report": "print(dm.score(gold, pred)), or dm.score(gold, pred).by('slot') for every slot",
    "classification_report": "dm.score(gold, pred).by('slot')",
    "judge": "dm.score(CASES or RATINGS, judges={'mine': function})",
    "agreement": "dm.score(RATINGS, judges=…), with a file or items that have ratings",
    "correlation": "dm.score(RATINGS, judges=…), with a file or items that have ratings",
    "agent": "dm.score(df, subject='system', measures=['Success', 'Pass(k=2)'])",
    "system": "dm.score(df, subject='system')",
    "success_rate": "dm.score(df, subject='system').by('task')",
    "pass_at_k": "dm.score(df, subject='system', measures='Pass(k=2)')",
    "pass_hat_k": "dm.score(df, subject='system', measures='Pass(k=2)')",
    "user": "dm.score(FILE, subject='user'), with a file of dialogues that have goals",
    "tracker": "dm.score(gold, pred)",
    "list_metrics": "dm.list_measures()",
    "list_measures": "`dialmeter list measures`, or sorted(dialmeter.measure.registry.builtin())",
    "score_tracker": "dm.score(gold, pred)",
    "score_user": "dm.score(FILE, subject='user')",
    "score_judge": "dm.score(CASES, judges=…)",
    "score_system": "dm.score(LOG)",
    "diff": "dm.compare({'a': …, 'b': …}, gold=…)",
    "significance": "dm.compare({'a': …, 'b': …}, gold=…)",
    "view": "`dialmeter view RUN`",
    "plot": "dm.score(gold, pred).plot()",
}
_ADVICE["list_metrics"] = _ADVICE["list_measures"]


def attribute(name: str, public: list[str]) -> Callable[..., float]:
    """Return the function of a measure, such as ``jga``.

    Raises:
        AttributeError: there is no such name; the message says what to write.

    Example:
        >>> attribute("jga", [])([{"hotel-area": "east"}], [{"hotel-area": "west"}])
        0.0
        >>> attribute("agent", [])
        Traceback (most recent call last):
        AttributeError: dialmeter has no 'agent'; use dm.score(df, subject='system', measures=['Success', 'Pass(k=2)'])
    """
    measures = {plain_name(each): each for each in registry.builtin()}
    habits: dict[str, Any] = {"jointgoalaccuracy": "JGA", "slotaccuracy": "SA"}
    plain = plain_name(name)
    # In snake case, people mean the usual measure, not the one of SGD that has its class name.
    found = habits.get(plain) if "_" in name else None
    if found or plain in measures:
        return partial(measure_value, found or measures[plain])
    if name in _ADVICE:
        raise AttributeError(f"dialmeter has no {name!r}; use {_ADVICE[name]}")
    raise AttributeError(f"dialmeter has no {name!r}; {did_you_mean(name, public)}")
