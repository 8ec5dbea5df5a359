"""An invented town to play in: users and systems that talk, driven by goals, and what became of the goals.

``world`` holds the town, ``language`` turns acts into text and back, ``agents`` are the speakers, ``play`` lets them talk.
"""
