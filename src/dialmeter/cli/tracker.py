"""``dialmeter tracker``"""

from __future__ import annotations

import click

from .main import LazyGroup

_COMMANDS = {
    "check": ("tracker_check:check", "Validate a file, and score gold against itself."),
    "score": ("tracker_score:score", "Score a prediction file."),
    "compare": ("tracker_compare:compare_", "Compare trackers on the same dialogues, with paired tests."),
    "curve": ("tracker_curve:curve_", "Few-shot curves and zero-shot tables from a folder of files."),
    "bias": ("tracker_bias:bias", "Do measures depend on where in a dialogue mistakes fall?"),
    "human": ("tracker_human:human", "Compare measures with human ratings; make and read annotation sheets."),
    "rules": ("tracker_rules:rules", "One file under every rule set, and which turns flip."),
}


@click.command("tracker", cls=LazyGroup, lazy=_COMMANDS)
def tracker() -> None:
    """Measure dialogue state trackers."""
