"""Explanations of scores: Shapley values of the words of a reply."""
