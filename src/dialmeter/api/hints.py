"""Names that people expect in the module: measures as functions, and one line of advice for the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..errors import did_you_mean
from .calls import measure_names, measure_value
from .scores import plain_name

_SCORE, _SYSTEM, _RATINGS = "dm.score(gold, pred)", "dm.score(df, subject='system')", "dm.score(RATINGS, judges=…)"
_ADVICE = {
    "print(dm.score(gold, pred)), or dm.score(gold, pred).by('slot') for every slot": "report",
    "dm.score(gold, pred, measures='JGA')": "load metric metrics",
    _SCORE: "evaluate eval compute tracker score_tracker scorer evaluator",
    "dm.score(gold, pred).by('slot')": "classification_report slot_report by_slot",
    "dm.score(gold, pred).by('domain')": "by_domain",
    "dm.score(CASES or RATINGS, judges={'mine': function})": "judge metric_eval",
    f"{_RATINGS}, with a file or items that have ratings": "agreement correlation kappa spearman pearson kendall alpha krippendorff cohen_kappa",
    "dm.score(CASES, judges=…)": "score_judge",
    "dm.score(df, subject='system', measures=['Success', 'Pass(k=2)'])": "agent agents",
    _SYSTEM: "system score_system score_agent log trajectories",
    f"{_SYSTEM}.by('task')": "success_rate by_task",
    "dm.score(df, subject='system', measures='Pass(k=2)')": "pass_at_k pass_hat_k pass_at pass_hat",
    "dm.score(FILE, subject='user'), with a file of dialogues that have goals": "user score_user simulator goal_f1 gcdf1",
    "`dialmeter list measures`, or sorted(dialmeter.measure.registry.builtin())": "list_metrics list_measures measures available_metrics list",
    "`dialmeter list settings`": "settings list_settings",
    "dm.compare({'a': …, 'b': …}, gold=…)": "diff significance significance_test paired_bootstrap bootstrap_test permutation_test paired_test",
    "dm.score(gold, pred)['JGA'].ci": "bootstrap confidence_interval ci",
    "`dialmeter view RUN`": "view show",
    "dm.score(gold, pred).plot()": "plot chart",
    "dm.score(path), which reads the file": "load_file load_data read_json from_file",
    "dm.score(df), with a column for each of dialogue, turn, gold and pred": "from_pandas score_df",
    "`dialmeter report RUN -o report.html`": "to_html html_report",
}
"""What to write → the names that people expect for it."""


def advice(name: str) -> str | None:
    """Return what to write instead of a name that people expect; None if nobody expects it.

    Example:
        >>> advice("significance_test")
        "dm.compare({'a': …, 'b': …}, gold=…)"
    """
    return next((text for text, names in _ADVICE.items() if name in names.split()), None)


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
    plain = plain_name(name)
    # In snake case, people mean the usual measure, not the one of SGD that has its class name.
    found = _HABITS.get(plain) if "_" in name else None
    if found := found or measure_names().get(plain):
        return partial(measure_value, found)
    if text := advice(name):
        raise AttributeError(f"dialmeter has no {name!r}; use {text}")
    raise AttributeError(f"dialmeter has no {name!r}; {did_you_mean(name, public)}")


_HABITS = {"jointgoalaccuracy": "JGA", "slotaccuracy": "SA"}
