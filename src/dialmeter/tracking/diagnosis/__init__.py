"""What may be wrong with the files rather than with the tracker, and what settles it."""
