"""A benchmark of judges: a frozen set of cases, submissions with scores, and what a board says of them."""
