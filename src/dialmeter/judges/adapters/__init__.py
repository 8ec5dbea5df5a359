"""Judges that wrap neural models and services; what they need is imported when they are made."""
