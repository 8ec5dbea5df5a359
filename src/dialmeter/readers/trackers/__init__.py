"""Files that published trackers write."""
