"""Judges of dialogue (automatic metrics, language models) under attack."""
