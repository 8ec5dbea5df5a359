"""Extraction of the dialogue state from completions of language models."""

from .choose import state_from, state_in

__all__ = ["state_from", "state_in"]
