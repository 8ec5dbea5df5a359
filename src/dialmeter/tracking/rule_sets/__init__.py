"""Rule sets of trackers: comparison of states, normalisation of values, and signatures of scores."""
