"""Audit of gold with the predictions of several trackers: likely annotation errors, and files that were given gold states."""
