"""A command returns its output. Only a few modules of the command line print."""

from __future__ import annotations

import ast
from pathlib import Path

import dialmeter.cli

PRINTING = {
    "printer.py": "prints the output of all commands",
    "progress.py": "prints progress",
    "main.py": "prints errors, help, and the completion script of click",
    "demo.py": "prints each command before it runs",
    "runs.py": "prints the address of the server while it runs",
    "listing.py": "prints a warning for each plugin that cannot be loaded, as it is found",
    "play.py": "warns of values that the world does not have before the first dialogue is played",
    "door.py": "says which settings of a configuration file acted",
    "user/find.py": "warns of dialogues that cannot be read before the rest is searched",
    "judge/convert.py": "writes the converted cases to standard output",
    "convert.py": "writes the converted file, of any size, to standard output as it is made",
}
"""Module → reason."""
NAMES = ("print", "echo", "secho", "stdout", "stderr", "warn")
TERMINAL = "isatty"
"""A call that only asks whether a stream is a terminal."""


def prints(source: str) -> bool:
    tree = ast.parse(source)
    questions = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == TERMINAL}
    return any(
        (node.id if isinstance(node, ast.Name) else node.attr) in NAMES
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in questions
    )


def test_only_these_modules_print() -> None:
    folder = Path(dialmeter.cli.__file__).parent
    found = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if prints(path.read_text(encoding="utf-8"))
    }
    assert found == set(PRINTING)


def test_printing_is_found() -> None:
    assert all(
        map(
            prints,
            ("print(1)", "click.echo(1)", "click.secho(1)", "sys.stdout.write('')", "sys.stderr.flush()", "warn([])"),
        )
    )
    assert not prints("sys.stderr.isatty()")
