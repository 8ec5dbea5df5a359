"""Dialogue systems and agents that act: success, pass^k, endings, costs, and paired comparison within tasks."""
