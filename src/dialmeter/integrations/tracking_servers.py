"""Scores for experiment trackers, such as MLflow and Weights & Biases."""

from __future__ import annotations

import re

from ..core.result import Result
from ..measure import Score


def metrics_of(result: Result) -> dict[str, float]:
    """Return the values of a result, and the limits of intervals if there are any, by names that all servers accept.

    Args:
        result: the result of a tracker, a user or a system.

    Example:
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> scorer = TrackerScorer(["JGA", "FGA(lam=0.5)"])
        >>> scorer.add("d", [{"taxi-to": "x"}], [{"taxi-to": "y"}])
        >>> metrics_of(scorer.result())
        {'JGA': 0.0, 'FGA_lam_0.5': 0.0}
    """
    metrics: dict[str, float] = {}
    for score in result.scores:
        name = _metric_name(score)
        if score.value is not None:
            metrics[name] = score.value
        if score.ci is not None:
            metrics |= {f"{name}_low": score.ci[0], f"{name}_high": score.ci[1]}
    return metrics


def tags_of(result: Result) -> dict[str, str]:
    """Return the signatures of a result by the names of ``metrics_of``, and the reason for each missing value.

    Example:
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> scorer = TrackerScorer(["GCA"])
        >>> scorer.add("d", [{}], [{}])
        >>> tags_of(scorer.result())["GCA_unscored"]
        'no state ever changed'
    """
    tags: dict[str, str] = {}
    for score in result.scores:
        tags[f"{_metric_name(score)}_signature"] = score.signature
        if score.value is None:
            tags[f"{_metric_name(score)}_unscored"] = score.reason
    return tags


def _metric_name(score: Score) -> str:
    """Return measure and group as one name of letters, digits, dots, hyphens and underscores."""
    parts = re.findall(r"[\w.-]+", " ".join([score.measure, *map(str, score.group.values())]))
    return "_".join(parts)
