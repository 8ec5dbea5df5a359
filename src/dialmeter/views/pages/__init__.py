"""What the report and the viewer share: opened runs, what was found in them, and one module per kind of run."""
