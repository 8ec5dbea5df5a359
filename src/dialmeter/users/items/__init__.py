"""Values of goals in words: the values of expected calls that the user must convey, and whether the user conveys them."""
