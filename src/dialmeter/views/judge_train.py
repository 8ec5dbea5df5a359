"""What came of training, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from .tables import Table, decimals

if TYPE_CHECKING:
    from ..judges.train.ratings import Quality
    from ..judges.train.satisfaction import Trained

_MEASURES = ("accuracy", "uar", "macro_f1", "spearman")


def training_table(found: Sequence[Trained], beside: Quality) -> Table:
    """A row per seed, their mean, and the most frequent class beside them."""
    rows = [(f"seed {each.seed}", *(decimals(getattr(each.test, name)) for name in _MEASURES)) for each in found]
    if len(found) > 1:
        means = [[getattr(each.test, name) for each in found] for name in _MEASURES]
        whole = [None if None in values else fmean(values) for values in means]
        rows.append((f"mean of {len(found)} seeds", *map(decimals, whole)))
    rows.append(("most frequent class", *(decimals(getattr(beside, name)) for name in _MEASURES)))
    headings = ("", "accuracy", "UAR", "macro F1", "Spearman")
    return Table(f"{beside.n} ratings held out", headings, tuple(rows), frozenset({1, 2, 3, 4}))
