"""Readers of conversations without tasks: chats, threads and plain text."""
