"""Formats of talk without tasks: chats, threads and plain text."""
