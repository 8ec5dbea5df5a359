"""Studies: analyses over several results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import dialogue_key

if TYPE_CHECKING:
    from ..measure import Measure
    from ..tracking.result import TrackerResult

FEW_DIALOGUES = 5
"""With fewer dialogues, intervals and correlations are unreliable."""


def values_by_dialogue(result: TrackerResult, measure: Measure) -> dict[str, float | None]:
    """Return a measure of every dialogue, by key of the dialogue."""
    columns = result.measure_columns
    return dict(zip(map(dialogue_key, columns.main.dialogues), columns.per_dialogue(measure), strict=True))
