"""Judges that run on any machine."""
