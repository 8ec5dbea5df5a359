"""Who lost each point of a dialogue, at which turn, and why. Ordered tests; the first that finds a cause decides.

``recall.py`` holds the tests for what was never said, ``precision.py`` those for what was said too much or again, ``failures.py``
those for failed searches and for users who stop, and ``exchange.py`` compares what was said with what was heard.
"""

from __future__ import annotations

from .cause import PARTIES, REASONS, Cause, Party
from .failures import Database
from .verdict import Blamer, BlameVerdict, Loss, SideVerdict, blame_table

__all__ = [
    "PARTIES",
    "REASONS",
    "BlameVerdict",
    "Blamer",
    "Cause",
    "Database",
    "Loss",
    "Party",
    "SideVerdict",
    "blame_table",
]
