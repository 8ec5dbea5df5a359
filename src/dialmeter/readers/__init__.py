"""Readers of input files: one module per format, the registries of formats, and shared parsing and checking code."""
