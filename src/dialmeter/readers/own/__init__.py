"""dialmeter's own formats."""
