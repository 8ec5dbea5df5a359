"""What several trackers say about their gold: likely annotation errors, and files that were given gold states."""
