"""Summaries of results: the verdict first."""
