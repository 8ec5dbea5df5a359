"""Readers of replies and dialogues with human ratings: one module per format, and ``open_ratings`` for all formats."""
