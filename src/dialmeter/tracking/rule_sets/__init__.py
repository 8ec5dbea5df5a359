"""Rule sets of trackers: how states are compared, values normalised, and numbers signed."""
