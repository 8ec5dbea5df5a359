"""The town: what one may ask for, what there is, and what a visitor may want."""

from __future__ import annotations

from .database import World, town
from .schema import DOMAINS, DONTCARE

__all__ = ["DOMAINS", "DONTCARE", "World", "town"]
