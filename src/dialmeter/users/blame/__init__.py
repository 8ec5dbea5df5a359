"""Causes of lost points: who lost each point of a dialogue, in which turn, and why. The first cause that is found decides.

``exchange.py`` compares what was said with what was heard, ``causes.py`` looks for causes, ``verdict.py`` sums them up.
"""
