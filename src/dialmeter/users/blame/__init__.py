"""Causes of lost points: who lost each point of a dialogue, in which turn, and why. The first test that finds a cause decides.

``recall.py`` has the tests for units that were never said, ``precision.py`` for unwanted and repeated units, ``failures.py`` for
failed searches and for users who stop. ``exchange.py`` compares what was said with what was heard.
"""

from __future__ import annotations

from .exchange import PARTIES, REASONS, Cause, Party
from .failures import Database
from .verdict import Blamer, BlameVerdict, Confusion, Loss, SideVerdict, blame_table, confusion_table

__all__ = [
    "PARTIES",
    "REASONS",
    "BlameVerdict",
    "Blamer",
    "Cause",
    "Confusion",
    "Database",
    "Loss",
    "Party",
    "SideVerdict",
    "blame_table",
    "confusion_table",
]
