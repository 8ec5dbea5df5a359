"""Vectors of measures per turn and dialogue: stored in tables, summed to values, and resampled for intervals."""
