"""Reads files of any layout: finds the records in them, and what their fields mean."""
