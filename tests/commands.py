"""All commands of the command line."""

from __future__ import annotations

from collections.abc import Iterator

import click

from dialmeter.cli.main import cli


def all_commands(command: click.Command = cli, path: str = "dialmeter") -> Iterator[tuple[str, click.Command]]:
    """Yield every command and every group of commands, with its name as a user types it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from all_commands(inner, f"{path} {name}")


def leaf_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is not a group, with its name without ``dialmeter``."""
    for path, command in all_commands():
        if not isinstance(command, click.Group):
            yield path.removeprefix("dialmeter "), command
