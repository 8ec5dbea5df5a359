"""``dialmeter completion``"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .main import cli


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL; put `eval "$(dialmeter completion bash)"` into its start-up file."""
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "dialmeter", "_DIALMETER_COMPLETE").source())
