"""Diagnosis: problems of the files that look like mistakes of the tracker, and how to fix them."""
