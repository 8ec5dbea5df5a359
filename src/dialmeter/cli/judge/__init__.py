"""The commands on judges."""
