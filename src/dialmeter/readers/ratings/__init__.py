"""Replies and dialogues that people rated: one file per layout, and ``open_ratings.py`` for all of them."""
