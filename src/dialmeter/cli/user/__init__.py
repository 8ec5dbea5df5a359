"""The commands on user simulators."""
