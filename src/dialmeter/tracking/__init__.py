"""Measuring dialogue state trackers."""
