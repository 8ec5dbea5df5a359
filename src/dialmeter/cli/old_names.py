"""Old names of options. They are hidden, and they work for one more version, with a warning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import click

from ..model import Notice
from ..renamed import REMOVED_IN

NOTICES = "dialmeter.old_names"
"""The key of the warnings about old names in ``click.Context.meta``."""


class OldName(click.Option):
    """The old name of an option. Its value becomes the value of the new option before that one is processed.

    Args:
        old: the old name.
        new: the option with the new name.
        value_of: for an old name that is a flag: the parameter whose value the new option takes.
    """

    def __init__(self, old: str, new: click.Option, value_of: str = "") -> None:
        self.new, self.value_of = new, value_of
        is_flag = new.is_flag or bool(value_of)
        super().__init__(
            [old, f"old{old.replace('-', '_')}"],
            type=None if is_flag else new.type,
            is_flag=is_flag,
            multiple=new.multiple,
            hidden=True,
            expose_value=False,
            is_eager=True,
        )

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        given, old, new = cast(dict[str, Any], opts), self.opts[0], self.new.opts[0]
        if self.name in given:
            if self.new.name in given:
                raise click.UsageError(f"{old} is the old name of {new}; give only {new}", ctx)
            value, renamed = given.pop(self.name), f"{old} is renamed to {new}"
            if self.value_of:
                if self.value_of not in given:
                    raise click.UsageError(f"{renamed} {self.new.metavar}", ctx)
                value, renamed = given.pop(self.value_of), f"{old} --{self.value_of} is renamed to {new}"
            given[self.new.name] = value
            message = f"{renamed}; the old name will be removed in {REMOVED_IN}"
            ctx.meta.setdefault(NOTICES, []).append(Notice("old-name", 1, message))
        return None, args


def renamed_option(old: str, option: Callable[[Any], Any], value_of: str = "") -> Callable[[Any], Any]:
    """Return a decorator that adds an option and its old name.

    Args:
        old: the old name, such as ``--most``.
        option: the decorator that adds the option with the new name.
        value_of: for an old name that is a flag: the parameter whose value the new option takes.
    """

    def decorate(function: Any) -> Any:
        parameters: list[click.Option] = option(function).__click_params__
        parameters.append(OldName(old, parameters[-1], value_of))
        return function

    return decorate
