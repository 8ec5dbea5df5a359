"""BibTeX entries of measures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from .measure import parse, registry

OTHER_SUBJECTS = {
    **dict.fromkeys(("i-gcdf1", "i-precision", "i-recall", "r-gcdf1", "r-precision", "r-recall"), ("coca-2021",)),
    "error": ("khalid-2022",),
    "success": ("yao-2024",),
    "pass": ("yao-2024",),
    "callgca": ("aksu-2024",),
    **dict.fromkeys(("anypass", "callexact", "facts"), ()),
    **dict.fromkeys(("pearson", "spearman", "kendall"), ()),
    "goalrecall": ("yao-2024",),
    **dict.fromkeys(("goalcompletion", "bookingrate", "informrate", "matchrate"), ("coca-2021",)),
    **dict.fromkeys(("turnprecision", "turnrecall", "turnf1"), ("schatzmann-2005",)),
    "actkl": ("cuayahuitl-2005",),
    "actperplexity": ("eckert-1997", "witten-1991"),
    "actbleu": ("jung-2009", "papineni-2002"),
    "cvm": ("williams-2007",),
    "schemasensitivity": ("lee-2022",),
    **dict.fromkeys(("turns", "toolcalls", "toolerrors", "agentcost", "usercost", "seconds"), ()),
}
"""Citations of the measures of users, judges and systems. The registry has only measures of trackers."""

_ENTRY = re.compile(r"@\w+\{([\w-]+),.*?\n\}\n", re.DOTALL)


@cache
def entries() -> dict[str, str]:
    """Return all BibTeX entries by key.

    Example:
        >>> "dey-2022" in entries()
        True
    """
    text = files(__package__).joinpath("citations.bib").read_text("utf-8")
    return {match[1]: match[0].rstrip() for match in _ENTRY.finditer(text)}


def for_measures(measures: Iterable[str]) -> list[str]:
    """Return the entry of dialmeter and the entries of the measures, without duplicates.

    Example:
        >>> [entry.split("{")[1].split(",")[0] for entry in for_measures(["JGA", "FGA(lam=0.5)"])]
        ['dialmeter', 'henderson-2014', 'dey-2022']
    """
    keys = {"dialmeter": None}
    for measure in measures:
        name = measure.partition("(")[0].strip().lower()
        # The name is enough, even for a measure with a required parameter.
        full_name = next((known for known in registry.builtin() if known.lower() == measure.strip().lower()), None)
        if name in OTHER_SUBJECTS:
            cited = OTHER_SUBJECTS[name]
        else:
            cited = (registry.load(full_name) if full_name else parse(measure)).cite
        keys |= dict.fromkeys(cited)
    return [entries()[key] for key in keys]
