"""Studies of several results as tables and pages."""
