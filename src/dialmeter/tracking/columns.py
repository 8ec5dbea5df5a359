"""A result as resampling wants it: one row per dialogue, the columns of all measures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..measure import Measure
from ..model import dialogue_key
from ..resampling import Resampling
from .asked import Asked
from .ledger import Ledger

if TYPE_CHECKING:
    import numpy as np

    from ..stats import Formula
    from ..stats.formulas import Value as FormulaValue

    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def order_of(ledger: Ledger) -> list[int]:
    """The positions of dialogues sorted by id, so that no draw depends on the order of the file."""
    names = [dialogue_key(name) for name in ledger.main.dialogues]
    return sorted(range(len(names)), key=names.__getitem__)


def columns(ledger: Ledger, asked: Sequence[Asked]) -> tuple[FloatArray, dict[str, Formula]]:
    """The matrix of all measures, rows sorted by dialogue, and each measure's formula over its own columns."""
    import numpy as np

    from ..stats import Formula

    order = order_of(ledger)
    blocks: list[FloatArray] = []
    formulas: dict[str, Formula] = {}
    width = 0
    for each in asked:
        block = _averaged(ledger, each.used) if each.used.average == "dialogue" else ledger.vectors(each.used)
        formulas[each.text] = Formula(_vectorised(each.used), take=slice(width, width + block.shape[1]))
        blocks.append(block[order])
        width += block.shape[1]
    return np.hstack(blocks), formulas


def _averaged(ledger: Ledger, measure: Measure) -> FloatArray:
    """A mean over dialogues: the value of each, and whether it has one."""
    import numpy as np

    values = ledger.values(measure)
    return np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)


def _vectorised(measure: Measure) -> FormulaValue:
    from ..stats import rowwise

    if measure.average == "dialogue" or type(measure).value is Measure.value:
        return lambda sums: sums[..., 0] / sums[..., 1]
    return rowwise(lambda sums: measure.value(sums.tolist()))


def intervals(ledger: Ledger, asked: Sequence[Asked], how: Resampling) -> dict[str, tuple[float, float]]:
    """Bootstrap intervals of all measures from one draw of dialogues; none where there are fewer than two."""
    from ..stats import bootstrap

    if len(ledger.main.dialogues) < 2:
        return {}
    matrix, formulas = columns(ledger, asked)
    found = bootstrap(matrix, formulas, confidence=how.confidence, resamples=how.resamples, seed=how.seed)
    return {
        name: (interval.low, interval.high)
        for name, interval in found.items()
        if interval.low is not None and interval.high is not None
    }
