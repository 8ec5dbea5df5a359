"""A local web application for the runs in a folder, and the same pages as static files."""
