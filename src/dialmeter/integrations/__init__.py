"""Doors into other tools: each file is for one of them, and nothing else in dialmeter imports it."""
