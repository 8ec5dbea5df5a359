"""A result as resampling wants it: one row per dialogue, the columns of all measures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..measure import Measure
from ..model import dialogue_key
from ..resampling import Resampling
from .asked import Asked
from .estimates import limits
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
        block = _block(ledger, each.used)
        formulas[each.text] = Formula(_vectorised(each.used), take=slice(width, width + block.shape[1]))
        blocks.append(block[order])
        width += block.shape[1]
    return np.hstack(blocks), formulas


def _block(ledger: Ledger, measure: Measure) -> FloatArray:
    """A measure's vectors; for a mean over dialogues the value of each, and whether it has one."""
    import numpy as np

    if measure.average != "dialogue":
        return ledger.vectors(measure)
    values = ledger.values(measure)
    return np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)


def _vectorised(measure: Measure) -> FormulaValue:
    from ..stats import rowwise

    if measure.average == "dialogue" or type(measure).value is Measure.value:
        return lambda sums: sums[..., 0] / sums[..., 1]
    return rowwise(lambda sums: measure.value(sums.tolist()))


def intervals(
    ledger: Ledger, asked: Sequence[Asked], how: Resampling, threads: int = 1
) -> dict[str, tuple[float, float]]:
    """Bootstrap intervals of all measures from one draw of dialogues; none where there are fewer than two.

    Args:
        ledger: the account of the corpus.
        asked: the measures.
        how: the draw.
        threads: how many to use where there are very many dialogues.
    """
    from ..stats.draws import resampled_sums
    from ..stats.formulas import evaluate

    dialogues = len(ledger.main.dialogues)
    if dialogues < 2:
        return {}
    matrix, formulas = _exact_columns(ledger, asked)
    sums = resampled_sums(matrix, how.resamples, how.seed, threads=threads)
    found = {name: limits(evaluate(formula, sums), how.confidence, dialogues) for name, formula in formulas.items()}
    return {name: each for name, each in found.items() if each}


def _exact_columns(ledger: Ledger, asked: Sequence[Asked]) -> tuple[FloatArray, dict[str, Formula]]:
    """As ``columns``, rounded so that sums are exact, and each column once: many measures divide by the turns."""
    import numpy as np

    from ..stats import Formula
    from ..stats.exact import exact

    order = np.array(order_of(ledger))
    formulas: dict[str, Formula] = {}
    kept: list[FloatArray] = []
    for each in asked:
        take = []
        for column in _block(ledger, each.used).T:
            rounded = exact(column[order])[:, 0]
            place = next((place for place, other in enumerate(kept) if _same(rounded, other)), len(kept))
            kept += [rounded] if place == len(kept) else []
            take.append(place)
        formulas[each.text] = Formula(_vectorised(each.used), take=take)
    matrix = np.empty((len(kept), len(order)))
    for place in reversed(range(len(kept))):
        matrix[place] = kept.pop()
    return matrix.T, formulas


def _same(one: FloatArray, other: FloatArray) -> bool:
    return bool((one[:100] == other[:100]).all() and (one == other).all())
