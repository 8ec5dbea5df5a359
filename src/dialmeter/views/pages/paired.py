"""The rows that two runs have in common, whether their numbers may be compared, and whether one run is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.comparability import compare_scores, in_one_line
from ...errors import DialmeterError
from ...stats import Comparison, Formula, paired_randomisation
from .headline import label
from .opened import Opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SWAPS = 2000
_SAME = 1e-12


class Matched(NamedTuple):
    """Two runs and the positions of the rows that both have, in the order of the first.

    ``apart`` has, for each score of both, why it may not be compared, or None.
    """

    first: Opened
    second: Opened
    here: NDArray[np.int64]
    there: NDArray[np.int64]
    apart: Mapping[str, str | None]

    @property
    def why_not(self) -> str:
        """One line that says in which fields the runs differ; empty where all scores may be compared."""
        return in_one_line(self.apart) if self.apart else "measures: the runs have no score in common"

    def comparable(self, name: str) -> bool:
        """May a score be compared? One that only rows have may if all others may."""
        return self.apart[name] is None if name in self.apart else not self.why_not


def match(first: Opened, second: Opened) -> Matched:
    """Finds the rows that both runs have, by their id.

    Raises:
        DialmeterError: the runs are of two kinds, or are one run.
    """
    if first.kind is not second.kind:
        raise DialmeterError(f"{first.key} is a {first.kind.NAME} run and {second.key} a {second.kind.NAME} run")
    if first.key == second.key:
        raise DialmeterError("choose two runs; this is one and the same")
    places = {name: at for at, name in enumerate(second.findings.ids)}
    both = [(at, places[name]) for at, name in enumerate(first.findings.ids) if name in places]
    pairs = np.array(both, dtype=np.int64).reshape(-1, 2)
    apart = compare_scores(
        first.kind.NAME,
        *({label(each): str(each.get("signature") or "") for each in run.scores} for run in (first, second)),
    )
    return Matched(first, second, pairs[:, 0], pairs[:, 1], apart)


def change(matched: Matched, by: str) -> NDArray[np.float64]:
    """The score of each row in the second run minus that in the first."""
    found: NDArray[np.float64] = matched.second.columns[by][matched.there] - matched.first.columns[by][matched.here]
    return found


def ways(changes: NDArray[np.float64], higher_is_better: bool = True) -> dict[str, NDArray[np.bool_]]:
    """Which rows are better, worse or the same in the second run.

    Example:
        >>> {way: mask.tolist() for way, mask in ways(np.array([0.5, -0.5, 0.0])).items()}
        {'better': [True, False, False], 'worse': [False, True, False], 'same': [False, False, True]}
    """
    up, down = changes > _SAME, changes < -_SAME
    better, worse = (up, down) if higher_is_better else (down, up)
    return {"better": better, "worse": worse, "same": np.abs(changes) <= _SAME}


def test(matched: Matched, name: str) -> Comparison | None:
    """A paired test of the mean change per row; None with fewer than two rows."""
    before = matched.first.columns[name][matched.here]
    after = matched.second.columns[name][matched.there]
    known = np.isfinite(before) & np.isfinite(after)
    size = int(known.sum())
    if size < 2:
        return None
    mean = Formula(lambda sums: sums[..., 0] / size)
    found = paired_randomisation(
        before[known][:, None], after[known][:, None], {"m": mean}, resamples=_SWAPS, mid_p=True
    )
    return found["m"]
