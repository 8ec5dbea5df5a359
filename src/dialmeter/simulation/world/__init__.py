"""The town: its schema, its database, and the goals of visitors."""

from __future__ import annotations

from .database import World, town
from .schema import DOMAINS, DONTCARE

__all__ = ["DOMAINS", "DONTCARE", "World", "town"]
