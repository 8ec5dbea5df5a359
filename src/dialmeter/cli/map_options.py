"""The option that names a value map."""

from __future__ import annotations

from typing import Any

import click

from ..values import maps
from ..values.maps import ValueMap

map_option = click.option(
    "--map",
    "value_map",
    metavar="FILE|NAME",
    help="A map of values and their forms: a file (see `user values`), or multiwoz.",
)


def chosen_map(options: dict[str, Any]) -> ValueMap | None:
    """The value map that a command's options name, if they name one."""
    return maps.load(options["value_map"]) if options["value_map"] else None


def map_file(options: dict[str, Any]) -> str | None:
    """The file of the value map; None without a map and for one that is shipped."""
    chosen: str | None = options["value_map"]
    return None if chosen in maps.names() else chosen


def _refuse(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        raise click.UsageError("--values is renamed to --map", ctx)


old_map_option = click.option("--values", hidden=True, expose_value=False, callback=_refuse)
"""The name of the option before trackers had maps, where it means nothing else."""
