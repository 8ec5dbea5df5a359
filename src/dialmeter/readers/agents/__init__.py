"""Readers of agent logs: dialogues of users and agents with tool calls and rewards."""
