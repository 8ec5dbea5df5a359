"""A few-shot study as plain data, for JSON."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from ..core.account import in_documents
from ..core.result import score_dict
from ..studies.curve.curve import Curve
from ..studies.curve.curve_scores import CurveEstimate


def plain(curve: Curve) -> dict[str, Any]:
    """The study as it stands in JSON, beside the scores of every file."""
    return {
        **in_documents({each.entry.name: each.account for each in curve.files}),
        "intervals": curve.resampling and {"method": "bootstrap", **to_builtins(curve.resampling)},
        "reference": curve.reference,
        "scale": curve.scale,
        "files": [
            {
                "file": each.entry.name,
                "ratio": each.entry.ratio,
                "seed": each.entry.seed,
                "domain": each.entry.domain,
                **each.counts,
                "data": each.data,
            }
            for each in curve.files
        ],
        "points": [
            {
                "domain": point.domain,
                "ratio": point.ratio,
                "measure": point.measure,
                "seeds": list(point.seeds),
                "value": _estimate(point.value),
                "difference": _estimate(point.difference),
                "distance": _estimate(point.distance),
            }
            for point in curve.points
        ],
        "trends": [
            {
                "domain": trend.domain,
                "measure": trend.measure,
                "of": trend.of,
                "slope": _estimate(trend.slope),
                "verdict": trend.verdict,
            }
            for trend in curve.trends
        ],
        "domains": [
            {
                "ratio": table.ratio,
                "measure": row.measure,
                "domains": {name: _estimate(found) for name, found in row.domains.items()},
                "mean": _estimate(row.mean),
                "pooled": _estimate(row.pooled),
            }
            for table in curve.tables
            for row in table.rows
        ],
    }


def scores_of(curve: Curve) -> list[dict[str, Any]]:
    """The scores of every file, with what the file is."""
    return [
        {
            **score_dict(score),
            "file": each.entry.name,
            "ratio": each.entry.ratio,
            "seed": each.entry.seed,
            "domain": each.entry.domain,
        }
        for each in curve.files
        for score in each.scores
    ]


def _estimate(found: CurveEstimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    reason = {"reason": found.reason} if found.reason else {}
    limits = {"ci_seeds": found.seeds and list(found.seeds), "ci_dialogues": found.dialogues and list(found.dialogues)}
    return {"value": found.value, **limits, "n": found.n, "left_out": found.left_out, **reason}
