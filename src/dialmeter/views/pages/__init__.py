"""Parts of pages for the report and the viewer: opened runs, their findings, and one module per kind of run."""
