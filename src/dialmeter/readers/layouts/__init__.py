"""Readers of the formats of files: each layout is a type, or a few types, and small layouts of one kind share a file."""
