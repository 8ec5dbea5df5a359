"""Scores for servers that keep the numbers of experiments, such as MLflow and Weights & Biases."""

from __future__ import annotations

import re

from ..core.result import Result
from ..measure import Score


def metrics_of(result: Result) -> dict[str, float]:
    """The values of a result, with the limits of intervals where there are some, by names that all servers take.

    Args:
        result: of a tracker, a user or a system.

    Example:
        >>> from dialmeter import score_tracker
        >>> metrics_of(score_tracker({"d": [{"taxi-to": "x"}]}, {"d": [{"taxi-to": "y"}]}, ["JGA", "FGA(lam=0.5)"]))
        {'JGA': 0.0, 'FGA_lam_0.5': 0.0}
    """
    found: dict[str, float] = {}
    for score in result.scores:
        name = _name(score)
        if score.value is not None:
            found[name] = score.value
        if score.ci is not None:
            found |= {f"{name}_low": score.ci[0], f"{name}_high": score.ci[1]}
    return found


def tags_of(result: Result) -> dict[str, str]:
    """The signatures of a result by the names of ``metrics_of``, and the reason for each value that is missing there.

    Example:
        >>> from dialmeter import score_tracker
        >>> tags_of(score_tracker({"d": [{}]}, {"d": [{}]}, ["GCA"]))["GCA_unscored"]
        'no state ever changed'
    """
    found: dict[str, str] = {}
    for score in result.scores:
        found[f"{_name(score)}_signature"] = score.signature
        if score.value is None:
            found[f"{_name(score)}_unscored"] = score.reason
    return found


def _name(score: Score) -> str:
    """The measure and its group in letters, digits, points and underscores."""
    parts = re.findall(r"[\w.-]+", " ".join([score.measure, *map(str, score.group.values())]))
    return "_".join(parts)
