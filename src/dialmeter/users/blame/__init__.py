"""Causes of lost points: who lost each point of a dialogue, in which turn, and why. The first cause that is found decides.

``exchange.py`` compares what was said with what was heard, ``causes.py`` looks for causes, ``verdict.py`` sums them up.
"""

from __future__ import annotations

from .causes import PARTIES, REASONS, Cause, Party
from .exchange import Database
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
