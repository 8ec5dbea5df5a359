"""A benchmark of judges: a frozen set of cases, and submissions with scores."""
