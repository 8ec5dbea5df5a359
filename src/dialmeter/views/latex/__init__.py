"""Tables in LaTeX that fit a column or a page of a paper."""
