"""The measures of trackers."""
