"""Simulated dialogues in an invented town: users with goals talk to systems, and the success of each goal is checked.

``world`` holds the town, ``grammar`` and ``understand`` convert acts to text and back, ``bots`` holds the speakers, ``play`` runs dialogues.
"""
