"""The matrix for resampling: one row per dialogue, the columns of all measures next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...core.comparison import Resampling
from ...measure import Measure, Score
from ...model import dialogue_key
from ...stats.intervals import Interval
from ..resolve_measures import ResolvedMeasure
from .measure_columns import MeasureColumns

if TYPE_CHECKING:
    from ...stats import Formula
    from ...stats.formulas import Floats
    from ...stats.formulas import Value as FormulaValue


def order_of(measure_columns: MeasureColumns) -> list[int]:
    """The positions of dialogues sorted by id, so that no draw depends on the order of the file."""
    names = list(map(dialogue_key, measure_columns.main.dialogues))
    return sorted(range(len(names)), key=names.__getitem__)


def columns(measure_columns: MeasureColumns, asked: Sequence[ResolvedMeasure]) -> tuple[Floats, dict[str, Formula]]:
    """The matrix of all measures, rows sorted by dialogue, and each measure's formula over its own columns."""
    import numpy as np

    order = order_of(measure_columns)
    blocks: list[Floats] = []
    formulas: dict[str, Formula] = {}
    width = 0
    for each in asked:
        block = _block(measure_columns, each.used)
        formulas[each.text] = _formula(each.used, slice(width, width + block.shape[1]))
        blocks.append(block[order])
        width += block.shape[1]
    return np.hstack(blocks), formulas


def _block(measure_columns: MeasureColumns, measure: Measure) -> Floats:
    """A measure's vectors; for a mean over dialogues the value of each, and whether it has one."""
    import numpy as np

    if measure.average != "dialogue":
        return measure_columns.vectors(measure)
    values = measure_columns.values(measure)
    return np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)


def _formula(measure: Measure, take: slice | Sequence[int]) -> Formula:
    from ...stats import Formula

    return Formula(_vectorised(measure), take, measure.low, measure.high)


def _vectorised(measure: Measure) -> FormulaValue:
    from ...stats import rowwise

    if measure.average == "dialogue" or type(measure).value is Measure.value:
        return lambda sums: sums[..., 0] / sums[..., 1]
    return rowwise(lambda sums: measure.value(sums.tolist()))


def with_interval(score: Score, found: Interval | None) -> Score:
    """A score with its interval, or with the reason why it has none; no value, no interval."""
    if score.value is None or found is None:
        return score
    return replace(score, ci=found.ci, ci_reason=found.reason or "")


def intervals(
    measure_columns: MeasureColumns, asked: Sequence[ResolvedMeasure], how: Resampling, threads: int = 1
) -> dict[str, Interval]:
    """Bootstrap intervals of all measures from one draw of dialogues; none where there are fewer than two.

    Args:
        measure_columns: the vectors of the corpus.
        asked: the measures.
        how: the draw.
        threads: how many to use.
    """
    from ...stats.draws import resampled_sums
    from ...stats.formulas import evaluate
    from ...stats.resampling import percentile_interval

    dialogues = len(measure_columns.main.dialogues)
    if dialogues < 2:
        return {}
    matrix, formulas = _exact_columns(measure_columns, asked, threads)
    sums = resampled_sums(matrix, how.resamples, how.seed, threads=threads)
    return {
        name: percentile_interval(evaluate(formula, sums), how.confidence, dialogues, formula, matrix)
        for name, formula in formulas.items()
    }


def _exact_columns(
    measure_columns: MeasureColumns, asked: Sequence[ResolvedMeasure], threads: int = 1
) -> tuple[Floats, dict[str, Formula]]:
    """As ``columns``, rounded so that sums are exact, and without columns that are known to be the same."""
    import numpy as np

    from ...stats.formulas import exact
    from ...stats.threads import map_pieces

    gathered = [each for each in asked if each.used.average != "dialogue" and measure_columns.is_gathered(each.used)]
    matrix, places = measure_columns.distinct([each.used for each in gathered], threads)
    takes = {each.text: take for each, take in zip(gathered, places, strict=True)}
    for each in (each for each in asked if each.text not in takes):
        block = _block(measure_columns, each.used).T
        takes[each.text] = list(range(len(matrix), len(matrix) + len(block)))
        matrix = np.vstack([matrix, block])
    order = np.array(order_of(measure_columns))

    def settle(column: Floats) -> None:
        column[:] = exact(column[order])[:, 0]

    list(map_pieces(settle, matrix, threads=threads))
    return matrix.T, {each.text: _formula(each.used, takes[each.text]) for each in asked}
