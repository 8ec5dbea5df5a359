"""Pairs of slot and value as files write them: how states are laid out, what slots are called, a number for each pair."""
