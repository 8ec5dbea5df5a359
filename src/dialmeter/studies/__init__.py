"""Studies: analyses over several results."""

FEW_DIALOGUES = 5
"""With fewer dialogues, intervals and correlations are unreliable."""
