"""Options of a kind: a whole number, or one of a few words, with a default that the help shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ..readers.raw_file import BUDGET_VARIABLE, parse_size

Option = Callable[[Any], Any]


def number_option(*names: str, least: int, default: int, about: str) -> Option:
    """An option that takes a whole number."""
    return click.option(*names, type=click.IntRange(min=least), default=default, show_default=True, help=about)


def choice_option(name: str, choices: Sequence[str], about: str) -> Option:
    """An option that takes one of a few words, the first by default."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=about)


@contextmanager
def _budget(size: str) -> Iterator[None]:
    """Sets the budget of every input, in this process and in workers that it starts."""
    before = os.environ.get(BUDGET_VARIABLE)
    os.environ[BUDGET_VARIABLE] = str(parse_size(size, "--max-bytes"))
    try:
        yield
    finally:
        if before is None:
            del os.environ[BUDGET_VARIABLE]
        else:
            os.environ[BUDGET_VARIABLE] = before


def _set_budget(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None:
        context.with_resource(_budget(size))


max_bytes_option = click.option(
    "--max-bytes",
    metavar="SIZE",
    expose_value=False,
    callback=_set_budget,
    help=f"Read at most so many bytes of an input, decompressed: 64M, 32G. Default: {BUDGET_VARIABLE}, or 16G.",
)
