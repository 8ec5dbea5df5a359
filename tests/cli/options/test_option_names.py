"""An option has one kind and one help text in all commands, except for those in two tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import click
import pytest

from ...commands import all_commands

OWN_HELP = """
    --as --attack --cache --cases --common --details --dialogue --domain --endpoint --examples --fail-if --from --goals
    --gold --limit --make-sheets --map --measure --missing --name --only --out --profile --read-sheets --rules --scale
    --scores --seed --system --trivial --user --version
"""
"""Options whose help names what they do in each command."""

KINDS = {
    "--goals": {"integer", "text"},
    "--set missing": {"choice", "text"},
    "--set seed": {"integer", "integer, repeated"},
    "--version": {"flag", "text"},
}
ONCE_OR_REPEATED = ("--set", "dialogue=--gold", "--measure", "--name", "--sheet", "--rules", "--system", "--user")
KINDS |= {name: {"text", "text, repeated"} for name in ONCE_OR_REPEATED}
"""Options that are of another kind in some commands."""


def all_options() -> Iterator[tuple[str, click.Option]]:
    """Yield the options of all commands, with the name of the command."""
    for path, command in all_commands():
        yield from ((path, parameter) for parameter in command.params if isinstance(parameter, click.Option))


def kind_of(option: click.Option) -> str:
    name = "flag" if option.is_flag else option.type.name.removesuffix(" range")
    return f"{name}, repeated" if option.multiple else name


def differences(options: list[click.Option]) -> list[str]:
    """Return the options whose kind or help differs without being in the tables, and entries that nobody needs."""
    kinds: dict[str, set[str]] = defaultdict(set)
    helps: dict[str, set[str]] = defaultdict(set)
    for option in options:
        for name in option.opts:
            if name.startswith("--"):
                kinds[name].add(kind_of(option))
                helps[name].add(option.help or "")
    several = {name for name, texts in helps.items() if len(texts) > 1}
    return [
        *(
            f"{name}: its help is {'several texts' if name in several else 'one text'}"
            for name in sorted(several ^ set(OWN_HELP.split()))
        ),
        *(
            f"{name}: its kinds are {each}"
            for name, each in sorted(kinds.items())
            if each != KINDS.get(name, {min(each)})
        ),
    ]


def test_same_everywhere() -> None:
    assert differences([option for _, option in all_options()]) == []


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (click.Option(["--quiet"], is_flag=True, help="Print less."), "--quiet: its help is several texts"),
        (click.Option(["--limit"], is_flag=True, help="Maximum number of tests."), "--limit: its kinds are"),
    ],
)
def test_differing_option(option: click.Option, message: str) -> None:
    found = differences([*(each for _, each in all_options()), option])
    assert [line for line in found if line.startswith(message)]


def test_help_of_every_option() -> None:
    assert [(path, each.opts) for path, each in all_options() if each.hidden or not each.help] == []
