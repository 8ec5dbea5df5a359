"""Charts of scores, one module per mark: `bars`, `grid`, `lines` and `points`.

In each module, `draw…` returns a figure and `…table` the same data as a table. Both take plain data. Names and labels are text
and are never parsed as markup. `canvas.save` writes SVG, PDF or PNG files whose bytes depend only on the data. matplotlib is
imported when a chart is drawn; pyplot is never imported.
"""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from ...renamed import warn_renamed

_RENAMED = {
    "by_turn": ("lines", "draw_turns", "turns_table"),
    "confusion": ("grid", "draw_confusion", "confusion_table"),
    "error_classes": ("bars", "draw_mistakes", "mistakes_table"),
    "parallel": ("lines", "draw_parallel", "parallel_table"),
    "spread": ("bars", "draw_spread", "spread_table"),
    "trait_grid": ("grid", "draw_traits", "traits_table"),
}
"""Former documented modules → the module and the two functions that replace them."""


def __getattr__(name: str) -> SimpleNamespace:
    """Return the functions of a former module, with a deprecation warning; see :mod:`dialmeter.renamed`."""
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, draw, table = _RENAMED[name]
    warn_renamed(f"{__name__}.{name}", f"{module}.{draw} and {module}.{table}")
    functions = import_module(f".{module}", __name__)
    return SimpleNamespace(draw=getattr(functions, draw), table=getattr(functions, table))
