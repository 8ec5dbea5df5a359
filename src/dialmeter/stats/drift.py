"""Has a judge changed? Two versions of it on the same items: verdicts that flip, the pass rate, and agreement with labels.

A change is ``same`` if its 90 % interval is within the margin, ``changed`` if its 95 % interval excludes zero, otherwise ``cannot tell``.
"""

from __future__ import annotations

from math import ceil
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..numeric import NDArray, np
from .formulas import Floats
from .labels import Clusters, LabelDifference, LabelTable, clustered, compare_labels, percentiles
from .significance import mcnemar_p

FLIP_MARGIN = 0.1
_SAFE = 3.2
"""Factor of the number of items: with it, 81 % of such samples of an unchanged judge show that it is the same."""
Limits: TypeAlias = "tuple[float, float] | None"
DriftVerdict: TypeAlias = Literal["same", "changed", "cannot tell"]


class Change(Struct, frozen=True, omit_defaults=True):
    """The change of one figure, new minus old.

    Attributes:
        needed: about how many items would show that it is the same; only if that cannot be told.
    """

    name: str
    value: float | None
    ci: tuple[float, float] | None
    ci90: tuple[float, float] | None
    verdict: DriftVerdict
    needed: int | None = None
    reason: str = ""

    @property
    def around_zero(self) -> tuple[Limits, Limits]:
        """For flips: the limits of a change of a rate, which is at most the share of flips, although no resample has one."""
        high, high90 = (limits[1] if limits else None for limits in (self.ci, self.ci90))
        return (None if high is None else (-high, high)), (None if high90 is None else (-high90, high90))


class Drift(Struct, frozen=True):
    """The changes of a judge.

    Attributes:
        noise: the share of verdicts that differ between repeats of the old version; None if it was not measured.
        p: McNemar's test of the flips.
        only_right: the labelled items that only the old version has right, and only the new one.
        p_right: McNemar's test of them. It is valid only if items are independent: each in a context of its own.
        independent: they are.
        differences: figure → the new version minus the old one, with the p value of versions that are swapped within contexts.
    """

    n: int
    fail_to_pass: int
    pass_to_fail: int
    p: float
    noise: float | None
    changes: list[Change]
    only_right: tuple[int, int] = (0, 0)
    p_right: float | None = None
    independent: bool = False
    differences: dict[str, LabelDifference] = {}

    @property
    def verdict(self) -> DriftVerdict:
        """Changed if one figure changed, same if all are the same."""
        verdicts = {each.verdict for each in self.changes}
        return "changed" if "changed" in verdicts else "same" if verdicts == {"same"} else "cannot tell"


def _change(name: str, value: float, limits: tuple[Limits, Limits], margin: float, n: int) -> Change:
    ci, ci90 = limits
    if ci is None or ci90 is None:
        return Change(name, value, ci, ci90, "cannot tell", reason="no interval")
    if -margin < ci90[0] and ci90[1] < margin:
        return Change(name, value, ci, ci90, "same")
    if ci[0] > 0 or ci[1] < 0:
        return Change(name, value, ci, ci90, "changed")
    needed = ceil(_SAFE * n * ((ci90[1] - ci90[0]) / 2 / margin) ** 2)
    return Change(name, value, ci, ci90, "cannot tell", needed)


def drift(
    old: Floats, new: Floats, labels: Floats, keys: list[str], *, noise: float | None, margin: float = 0.05
) -> Drift:
    """Compare the verdicts of two versions of a judge.

    Args:
        old: the verdicts of the old version: 1 or 0.
        new: those of the new version, on the same items.
        labels: labels of people; nan without one. Accuracy and kappa use the labelled items.
        keys: the key of the cluster of each item.
        noise: the share of verdicts that differ between repeats of the old version; None if it was not measured.
        margin: the largest change of a rate that does not matter.

    Example:
        >>> same = np.array([1.0, 0.0] * 100)
        >>> found = drift(same, same, np.full(200, np.nan), [str(each) for each in range(200)], noise=0.0)
        >>> found.verdict, found.fail_to_pass
        ('same', 0)
        >>> drift(same, same, same, [str(each) for each in range(200)], noise=0.0).verdict
        'same'
    """
    clusters, n = Clusters(keys), len(old)
    up, down = int((new > old).sum()), int((new < old).sum())
    drawn = clusters.weights() @ (new - old) / clusters.weights().sum(axis=1)
    limits = percentiles(drawn)[0], percentiles(drawn, 0.9)[0]
    flips = _flips(clusters, new != old, noise)
    if not flips.value:
        limits = flips.around_zero
    changes = [_change("pass rate", float((new - old).mean()), limits, margin, n), flips]
    known = ~np.isnan(labels)
    if not known.any():
        return Drift(n, up, down, mcnemar_p(up, down), noise, changes)
    own = Clusters([key for key, is_known in zip(keys, known, strict=True) if is_known])
    found = compare_labels(labels[known], new[known], old[known], own)
    same = _flips(own, new[known] != old[known], noise)
    for name in ("accuracy", "kappa"):
        each = found.get(name)
        if each is None:
            reason = "not defined: people or a version give one label only"
            changes.append(Change(name, None, None, None, "cannot tell", reason=reason))
            continue
        limits = each.ci, each.ci90
        if not same.value:
            table = LabelTable.count(labels[known], new[known], np.ones(int(known.sum())))
            limits = same.around_zero if name == "accuracy" else _kappa_limits(table, same.around_zero)
        changes.append(_change(name, each.difference, limits, margin, int(known.sum())))
    right = old[known] == labels[known], new[known] == labels[known]
    only = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    independent = own.count == len(own.keys)
    return Drift(n, up, down, mcnemar_p(up, down), noise, changes, only, mcnemar_p(*only), independent, found)


def _kappa_limits(table: LabelTable, flips: tuple[Limits, Limits]) -> tuple[Limits, Limits]:
    """Return the limits of a change of kappa if as many verdicts flip as the limits of flips allow, in one cell of the table."""

    def limits(most: Limits) -> Limits:
        if most is None or np.isnan(table.kappa):
            return None
        moved = most[1] * float(table.n)
        changes = [
            abs(float(replace(table, **{cell: left, other: getattr(table, other) + moved}).kappa - table.kappa))
            for cell, other in (("tp", "fn"), ("fn", "tp"), ("tn", "fp"), ("fp", "tn"))
            if (left := getattr(table, cell) - moved) >= 0
        ]
        return (-max(changes), max(changes)) if changes else None

    return limits(flips[0]), limits(flips[1])


def _flips(clusters: Clusters, flipped: NDArray[np.bool_], noise: float | None) -> Change:
    wide, narrow = (clustered(flipped, np.ones_like(flipped), clusters, each) for each in (0.95, 0.9))
    ci, ci90 = wide.ci, narrow.ci
    verdict: DriftVerdict = "cannot tell"
    reason = ""
    if noise is None:
        reason = "the noise of the old version is not measured; give repeats of it as NAME/1, NAME/2"
    elif ci90 and ci90[1] <= noise + FLIP_MARGIN:
        verdict = "same"
    elif ci and ci[0] > noise:
        verdict = "changed"
    return Change("flips", wide.value, ci, ci90, verdict, reason=reason)


def flip_rate(repeats: Floats) -> float | None:
    """Return the mean share of unequal pairs of repeated verdicts; None with one repeat.

    Args:
        repeats: one row per repeat, one column per item.

    Example:
        >>> flip_rate(np.array([[1.0, 0.0], [1.0, 1.0]]))
        0.5
    """
    count = len(repeats)
    if count < 2:
        return None
    passes = repeats.sum(axis=0)
    return float((2 * passes * (count - passes) / (count * (count - 1))).mean())
