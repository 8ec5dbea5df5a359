"""The way into a file: bytes that are checked once, for every command and every kind of file."""
