"""``dialmeter judge``"""

from __future__ import annotations

import click

from .main import LazyGroup

_COMMANDS = {
    "attack": ("judge_attack:attack", "Make adversarial cases from a corpus of dialogues."),
    "score": ("judge_score:score", "Error rates of judges under attack."),
    "explain": ("judge_explain:explain", "Which tokens of a reply move a judge's score?"),
    "train": ("judge_train:train", "Train a judge from ratings."),
}


@click.command("judge", cls=LazyGroup, lazy=_COMMANDS)
def judge() -> None:
    """Measure automatic judges of dialogue, language models among them."""
