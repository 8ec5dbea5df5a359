"""The vectors of measures per turn and dialogue: kept in tables, summed to values, and drawn again for intervals."""
