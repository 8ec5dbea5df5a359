"""dialmeter's own layouts."""
