"""Few-shot curves and scores by held-out domain."""
