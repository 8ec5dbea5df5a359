"""Scoring of dialogue state trackers."""
