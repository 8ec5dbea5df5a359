"""Logs of agents: users and agents that talk, call tools and get a reward. One file per format."""
