"""Judges that wrap neural models and services. Their packages are imported when a judge is created."""
