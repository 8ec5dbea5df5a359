"""The commands on dialogue state trackers."""
