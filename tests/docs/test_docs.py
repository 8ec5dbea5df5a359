"""Pages that are generated are up to date, and their commands exist; test_pages.py runs them."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from dialmeter.cli.main import cli

from .pages import PAGES, commands, fences

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        yield importlib.import_module("make_docs")


def test_generated_pages_current(generator: ModuleType) -> None:
    schemas = {path for path in generator.pages() if path.suffix == ".json"}
    assert set((ROOT / "docs" / "schema").iterdir()) == schemas
    stale = [path.name for path, text in generator.pages().items() if path.read_text("utf-8") != text]
    assert not stale, f"run python tools/make_docs.py: {stale}"


COMMANDS = [
    (page.name, command.line)
    for page in PAGES
    for fence in fences(page)
    for command in commands(fence)
    if command.line.startswith("dialmeter ") and command.reason
]


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_commands_not_run_exist(page: str, line: str) -> None:
    """A command that no test runs parses: its commands and its options are real."""
    words = shlex.split(line, comments=True)[1:]
    command, context = cli, None
    while hasattr(command, "get_command") and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"{page}: {line}"
        command, words = found, words[1:]
    # The names of the help option are those of the whole command line: click keeps them in the command.
    with cli.make_context("dialmeter", ["list"], resilient_parsing=True) as parent:
        command.make_context("dialmeter", words, parent=parent, resilient_parsing=False)
