"""The matrix for resampling: one row per dialogue, and the columns of all measures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...core.comparison import Resampling, sign_interval
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
    """Return the positions of the dialogues sorted by id, so that resampling does not depend on the order of the file."""
    names = list(map(dialogue_key, measure_columns.main.dialogues))
    return sorted(range(len(names)), key=names.__getitem__)


def columns(measure_columns: MeasureColumns, measures: Sequence[ResolvedMeasure]) -> tuple[Floats, dict[str, Formula]]:
    """Return the matrix of all measures, with rows sorted by dialogue, and the formula of each measure over its columns."""
    import numpy as np

    order = order_of(measure_columns)
    blocks: list[Floats] = []
    formulas: dict[str, Formula] = {}
    width = 0
    for each in measures:
        block = _block(measure_columns, each.used)
        formulas[each.text] = _formula(each.used, slice(width, width + block.shape[1]))
        blocks.append(block[order])
        width += block.shape[1]
    return np.hstack(blocks), formulas


def _block(measure_columns: MeasureColumns, measure: Measure) -> Floats:
    """Return the vectors of a measure; for a mean over dialogues, the value of each dialogue and whether it has one."""
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


def with_interval(score: Score, interval: Interval | None, resampling: Resampling | None) -> Score:
    """Return a score with its interval, or with the reason why it has none. A score without a value gets no interval."""
    if score.value is None or interval is None:
        return score
    signature = sign_interval(score.signature, resampling, interval.ci)
    return replace(score, ci=interval.ci, ci_reason=interval.reason or "", signature=signature)


def intervals(
    measure_columns: MeasureColumns, measures: Sequence[ResolvedMeasure], resampling: Resampling, threads: int = 1
) -> dict[str, Interval]:
    """Return the bootstrap intervals of all measures from the same resamples; empty if there are fewer than two dialogues.

    Args:
        measure_columns: the vectors of the corpus.
        measures: the measures.
        resampling: confidence, resamples and seed.
        threads: number of threads.
    """
    from ...stats.draws import resampled_sums
    from ...stats.formulas import evaluate
    from ...stats.resampling import percentile_interval

    dialogues = len(measure_columns.main.dialogues)
    if dialogues < 2:
        return {}
    matrix, formulas = _exact_columns(measure_columns, measures, threads)
    sums = resampled_sums(matrix, resampling.resamples, resampling.seed, threads=threads)
    return {
        name: percentile_interval(evaluate(formula, sums), resampling.confidence, dialogues, formula, matrix)
        for name, formula in formulas.items()
    }


def _exact_columns(
    measure_columns: MeasureColumns, measures: Sequence[ResolvedMeasure], threads: int = 1
) -> tuple[Floats, dict[str, Formula]]:
    """Like ``columns``, but rounded so that sums are exact, and without duplicate columns of measures that share them."""
    import numpy as np

    from ...stats.formulas import exact
    from ...stats.threads import map_pieces

    gathered = [each for each in measures if each.used.average != "dialogue" and measure_columns.is_gathered(each.used)]
    matrix, indices = measure_columns.distinct([each.used for each in gathered], threads)
    takes = {each.text: take for each, take in zip(gathered, indices, strict=True)}
    for each in (each for each in measures if each.text not in takes):
        block = _block(measure_columns, each.used).T
        takes[each.text] = list(range(len(matrix), len(matrix) + len(block)))
        matrix = np.vstack([matrix, block])
    order = np.array(order_of(measure_columns))

    def sort_and_round(column: Floats) -> None:
        column[:] = exact(column[order])[:, 0]

    list(map_pieces(sort_and_round, matrix, threads=threads))
    return matrix.T, {each.text: _formula(each.used, takes[each.text]) for each in measures}
