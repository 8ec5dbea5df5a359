"""Tables, charts and pages of results: one module per kind of run or study, and what they share."""
