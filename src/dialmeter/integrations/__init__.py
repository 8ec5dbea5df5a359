"""Integrations with other tools, one module for each. Nothing else in dialmeter imports them."""
