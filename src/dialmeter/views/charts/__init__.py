"""Charts of scores, by their marks: `bars`, `grid`, `lines` and `points`.

In each module `draw…` gives a figure and `…table` the same data. Plain data goes in. Names and labels are text and are
never read as markup. `canvas.save` writes SVG, PDF or PNG whose bytes depend on the data alone. matplotlib is imported
when something is drawn, pyplot never.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from types import SimpleNamespace

_RENAMED = {
    "by_turn": ("lines", "draw_turns", "turns_table"),
    "confusion": ("grid", "draw_confusion", "confusion_table"),
    "error_classes": ("bars", "draw_mistakes", "mistakes_table"),
    "parallel": ("lines", "draw_parallel", "parallel_table"),
    "spread": ("bars", "draw_spread", "spread_table"),
    "trait_grid": ("grid", "draw_traits", "traits_table"),
}
"""Documented modules that became two functions of another module."""


def __getattr__(name: str) -> SimpleNamespace:
    """The old name of a chart, for one more version."""
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, draw, table = _RENAMED[name]
    warnings.warn(f"{__name__}.{name} is now {module}.{draw} and {module}.{table}", DeprecationWarning, stacklevel=2)
    found = import_module(f".{module}", __name__)
    return SimpleNamespace(draw=getattr(found, draw), table=getattr(found, table))
