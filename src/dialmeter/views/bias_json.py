"""The bias study as plain data, for the JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from ..core.account import in_documents
from ..core.result import score_dict
from ..studies.bias.bias_verdict import sign_changes, summary, verdicts
from ..studies.bias.correlations import BiasStudy
from ..tracking.baselines import TRIVIAL, MeasuredTracker


def plain(
    measured: Mapping[str, MeasuredTracker], studies: Sequence[BiasStudy], rows: bool = False
) -> tuple[list[dict[str, Any]], dict[str, int], dict[str, Any]]:
    """Scores, counts, and all else that was found.

    Args:
        measured: the trackers by name.
        studies: of every tracker, and of all together.
        rows: also every dialogue with its traits and values.
    """
    scores = [{"system": name, **score_dict(score)} for name, each in measured.items() for score in each.result.scores]
    yardsticks = [
        {
            "system": name,
            "yardstick": trivial,
            "about": TRIVIAL[trivial].about,
            "scores": [score_dict(score) for score in result.scores],
        }
        for name, each in measured.items()
        for trivial, result in each.yardsticks.items()
    ]
    own = [row for study in studies if study.system in measured for row in study.rows]
    counts = {
        "systems": len(measured),
        "dialogues": len(own),
        "turns": sum(len(row.mistakes) for row in own),
        "dialogues_with_mistakes": sum(any(row.mistakes) for row in own),
    }
    more: dict[str, Any] = {
        **in_documents({name: each.result.account for name, each in measured.items()}),
        "confidence": studies[0].confidence,
        "correlations": _listed(studies, lambda study: study.correlations),
        "pairs": _listed(studies, lambda study: study.pairs),
        "between": _listed(studies, lambda study: study.between),
        "verdicts": _listed(studies, verdicts),
        "sign_changes": _listed(studies, sign_changes),
        "summary": [{"system": study.system, "sentences": summary(study)} for study in studies],
        "yardsticks": yardsticks,
    }
    if rows:
        more["dialogues"] = to_builtins(own)
    return scores, counts, more


def _listed(studies: Sequence[BiasStudy], part: Callable[[BiasStudy], Iterable[Any]]) -> list[dict[str, Any]]:
    return [{"system": study.system, **to_builtins(finding)} for study in studies for finding in part(study)]
