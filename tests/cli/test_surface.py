"""The size of the surface: few commands, few options, and a help that fits one screen."""

from __future__ import annotations

import re

import click
import pytest

from dialmeter.cli.main import cli as root

from ..commands import leaf_commands
from .invoke import Cli

LINES, COLUMNS = 40, 80


COMMANDS = {tuple(name.split()): command for name, command in leaf_commands()}
EVERY = [(), ("study",), ("judge",), *COMMANDS]


def options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option)]


def test_number_of_commands_and_options() -> None:
    assert len(COMMANDS) <= 24
    counts = {" ".join(path): len(options(each)) for path, each in COMMANDS.items()}
    assert max(counts.values()) <= 20, counts
    assert sum(counts.values()) + len(options(root)) <= 300, counts


@pytest.mark.parametrize("path", EVERY, ids=lambda path: " ".join(path) or "dialmeter")
def test_help_fits_one_screen(path: tuple[str, ...], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    text = cli(*path, "--help").out
    lines = text.splitlines()
    assert len(lines) <= LINES, text
    assert max(map(len, lines)) <= COLUMNS, text
    assert text == cli(*path, "-h").out == cli("help", *path).out


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_is_explained(path: tuple[str, ...]) -> None:
    for each in options(COMMANDS[path]):
        assert each.help, each.name
        assert not each.hidden, each.name
        flag = next(opt for opt in each.opts if opt.startswith("--"))
        assert re.fullmatch(r"--[a-z][a-z-]*", flag), flag


def test_one_option_is_the_same_everywhere() -> None:
    """An option has one short form, and takes a value everywhere or nowhere."""
    forms: dict[str, set[tuple[str, bool]]] = {}
    for command in COMMANDS.values():
        for each in options(command):
            flag = next(opt for opt in each.opts if opt.startswith("--"))
            short = "".join(opt for opt in each.opts if not opt.startswith("--"))
            forms.setdefault(flag, set()).add((short, each.is_flag))
    assert {flag: found for flag, found in forms.items() if len(found) > 1} == {}
