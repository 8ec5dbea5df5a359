"""Extraction of the dialogue state from completions of language models."""

from .choose import state_in
from .objects import state_from

__all__ = ["state_from", "state_in"]
