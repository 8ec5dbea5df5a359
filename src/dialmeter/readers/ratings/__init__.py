"""Replies and dialogues that people rated: one file per format, and ``open_ratings.py`` for all of them."""
