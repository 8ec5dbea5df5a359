"""Statistics over dialogues: intervals, paired tests, corrections, correlations, agreement.

A measure is a small vector per dialogue and a formula over the sum of those vectors. Every bootstrap and every paired
test here takes the vectors as a matrix with one row per dialogue, and computes all measures from one draw. If the
dialogues are sorted by id, no result depends on the order of the input, the block size or the number of threads.

`import dialmeter` does not import this package, because it needs numpy. A module is loaded when one of its names is
first used; scipy is imported only by the functions that use it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agreement import Agreement, krippendorff_alpha
    from .correlation import compare_correlations, kendall, pearson, spearman, zou_interval
    from .formulas import Formula, ratio, rowwise
    from .intervals import Interval, student_interval, wilson_interval
    from .resampling import Comparison, bootstrap, paired_bootstrap, paired_randomisation
    from .significance import holm, letter_display, mcnemar_p

_MODULES = {
    "agreement": ("Agreement", "krippendorff_alpha"),
    "correlation": ("compare_correlations", "kendall", "pearson", "spearman", "zou_interval"),
    "formulas": ("Formula", "ratio", "rowwise"),
    "intervals": ("Interval", "student_interval", "wilson_interval"),
    "resampling": ("Comparison", "bootstrap", "paired_bootstrap", "paired_randomisation"),
    "significance": ("holm", "letter_display", "mcnemar_p"),
}

__all__ = [
    "Agreement",
    "Comparison",
    "Formula",
    "Interval",
    "bootstrap",
    "compare_correlations",
    "holm",
    "kendall",
    "krippendorff_alpha",
    "letter_display",
    "mcnemar_p",
    "paired_bootstrap",
    "paired_randomisation",
    "pearson",
    "ratio",
    "rowwise",
    "spearman",
    "student_interval",
    "wilson_interval",
    "zou_interval",
]


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
