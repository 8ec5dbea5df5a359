"""The commands on dialogue systems and agents."""
