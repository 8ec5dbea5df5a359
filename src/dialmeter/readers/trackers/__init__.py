"""Readers of the output files of published trackers."""
