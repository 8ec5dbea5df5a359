"""Analysis of dialogues of users: checks before scoring, queries, patterns of expression, and distances to people."""
