"""Slot values: normalisation and comparison."""
