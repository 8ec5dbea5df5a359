"""Statistics over dialogues: intervals, paired tests, corrections, correlations, agreement.

A measure is a small vector per dialogue and a formula over the sum of those vectors; every bootstrap and every paired
test here takes the vectors as a matrix with one row per dialogue, and serves all measures from one draw. Sort the
dialogues by id, and no result depends on the order of the input, the block size or the number of threads.

Not imported by `import dialmeter`, because it needs numpy; modules are loaded when something of theirs is asked for, and scipy
by the functions that use it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dialmeter.stats.agreement import Agreement, krippendorff_alpha
    from dialmeter.stats.corrections import benjamini_hochberg, holm
    from dialmeter.stats.correlation import kendall, pearson, spearman
    from dialmeter.stats.formulas import Formula, ratio, rowwise
    from dialmeter.stats.paired import paired_bootstrap, paired_randomisation
    from dialmeter.stats.resampling import bootstrap
    from dialmeter.stats.results import Comparison, Interval
    from dialmeter.stats.student import student_interval
    from dialmeter.stats.two_by_two import McNemar, mcnemar, mcnemar_counts
    from dialmeter.stats.zou import compare_correlations, zou_interval

_PUBLIC = {
    "Agreement": "agreement",
    "krippendorff_alpha": "agreement",
    "benjamini_hochberg": "corrections",
    "holm": "corrections",
    "kendall": "correlation",
    "pearson": "correlation",
    "spearman": "correlation",
    "Formula": "formulas",
    "ratio": "formulas",
    "rowwise": "formulas",
    "paired_bootstrap": "paired",
    "paired_randomisation": "paired",
    "bootstrap": "resampling",
    "Comparison": "results",
    "Interval": "results",
    "student_interval": "student",
    "McNemar": "two_by_two",
    "mcnemar": "two_by_two",
    "mcnemar_counts": "two_by_two",
    "compare_correlations": "zou",
    "zou_interval": "zou",
}

__all__ = [
    "Agreement",
    "Comparison",
    "Formula",
    "Interval",
    "McNemar",
    "benjamini_hochberg",
    "bootstrap",
    "compare_correlations",
    "holm",
    "kendall",
    "krippendorff_alpha",
    "mcnemar",
    "mcnemar_counts",
    "paired_bootstrap",
    "paired_randomisation",
    "pearson",
    "ratio",
    "rowwise",
    "spearman",
    "student_interval",
    "zou_interval",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_PUBLIC[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
