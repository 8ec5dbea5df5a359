"""Agreement of judges with people: rated items, scores of judges, correlations, raters, comparisons."""
