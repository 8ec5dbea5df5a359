"""Boards: published trackers on the same gold states, in one table."""
