"""The town: its schema, its database, and the goals of visitors."""

from __future__ import annotations

from .database import DOMAINS, DONTCARE, World, town

__all__ = ["DOMAINS", "DONTCARE", "World", "town"]
