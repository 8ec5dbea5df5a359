"""Pairs of slot and value as written in files: state layouts, slot names, and the vocabulary that numbers pairs."""
