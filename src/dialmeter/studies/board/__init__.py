"""Boards: published trackers on one gold, in one table."""
