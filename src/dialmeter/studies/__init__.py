"""Studies: questions asked of several results."""

FEW_DIALOGUES = 5
"""Fewer dialogues than these give intervals and correlations that mean little."""
