"""Readers of replies and dialogues with human ratings: ``open_ratings`` for all formats."""
