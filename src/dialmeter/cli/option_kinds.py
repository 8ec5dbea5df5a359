"""Options of a kind: a whole number, or one of a few words, with a default that the help shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

Option = Callable[[Any], Any]


def number_option(*names: str, least: int, default: int, about: str) -> Option:
    """An option that takes a whole number."""
    return click.option(*names, type=click.IntRange(min=least), default=default, show_default=True, help=about)


def choice_option(name: str, choices: Sequence[str], about: str) -> Option:
    """An option that takes one of a few words, the first by default."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=about)
