"""``dialmeter user``"""

from __future__ import annotations

import click

from .main import LazyGroup

_COMMANDS = {
    "check": ("user_check:check", "Validate a file of dialogues with goals and acts."),
    "play": ("user_play:play", "Let a simulated user and a system talk in the embedded town."),
    "cross": ("user_cross:cross", "Every user with every system: one table with paired intervals."),
    "score": ("user_score:score", "Score a user simulator: I-GCDF1 and R-GCDF1, and why points were lost."),
    "compare": ("user_compare:compare", "Compare users on the same goals, with paired tests."),
    "query": ("user_query:query", "Find the dialogues behind a score, and read one turn by turn."),
    "patterns": ("user_patterns:patterns", "How constraints and requests are expressed."),
    "values": ("user_values:values", "Build a map of values and their surface forms, to be edited."),
}


@click.command("user", cls=LazyGroup, lazy=_COMMANDS)
def user() -> None:
    """Measure user simulators."""
