"""A local web page over the runs in a folder, and the same pages as files."""
