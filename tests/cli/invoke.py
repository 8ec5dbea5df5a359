"""Calls of the command line in tests: in this process, or as a separate process if a test needs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from dialmeter.cli.main import run

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"


class CommandResult(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The error message without the name of the program. Warnings and progress may precede it."""
        lines = [line for line in self.err.splitlines() if not line.startswith(("warning: ", "scoring: "))]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("dialmeter: ")
        assert "Traceback" not in self.err
        assert "internal error" not in self.err
        return lines[0].removeprefix("dialmeter: ")

    @property
    def json(self) -> dict[str, Any]:
        """The JSON document on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found


class Cli:
    """Commands in this process, as a user types them; all may begin with the same words."""

    def __init__(self, capsys: pytest.CaptureFixture[str], command: str = "") -> None:
        self._capsys, self._command = capsys, command.split()

    def __call__(self, *words: str | Path, code: int | None = 0) -> CommandResult:
        """Run a command that ends with this exit code, or with any."""
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run([*self._command, *map(str, words)])
        result = self._capsys.readouterr()
        assert isinstance(stop.value.code, int)
        assert code in (stop.value.code, None), f"exit code {stop.value.code}: {result.err}"
        return CommandResult(stop.value.code, result.out, result.err)

    def refused(self, *words: str | Path) -> str:
        """Return what a command with bad input complains of."""
        return self(*words, code=2).complaint

    def json(self, *words: str | Path, code: int = 0) -> dict[str, Any]:
        """Return the document of a command, validated by the schema of that command."""
        result = self(*words, "-f", "json", code=code)
        return checked(result, schema_of(result.json), code)


def set_place(monkeypatch: pytest.MonkeyPatch, **values: str | Path | float) -> None:
    """Set where work is done: ``endpoint``, ``model``, ``price`` and so on."""
    for name, value in values.items():
        monkeypatch.setenv(f"DIALMETER_{name.upper()}", str(value))


def schema_of(document: dict[str, Any]) -> str:
    """Return the name of the schema of a document."""
    command: str = document["command"]
    special = next((name for name in ("list", "dry-run") if name in command), None)
    name = special or command.replace(" ", "-")
    with_kind = f"{name}-{document['kind']}"
    return with_kind if (SCHEMAS / f"{with_kind}.json").exists() else name


def call(capsys: pytest.CaptureFixture[str], *words: str | Path) -> CommandResult:
    """Run a command in this process, whatever its exit code."""
    return Cli(capsys)(*words, code=None)


def checked(result: CommandResult, schema: str, code: int = 0) -> dict[str, Any]:
    """Return the document of a command, validated by the schema of that name in docs/schema."""
    assert result.code == code
    assert "NaN" not in result.out
    document = result.json
    _validator(schema).validate(document)
    return document


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{schema.replace(' ', '-')}.json").read_text("utf-8")))


def call_process(*words: str | Path, stdin: bytes = b"", cwd: Path | None = None, **variables: str) -> CommandResult:
    """Run a command as a separate process."""
    done = subprocess.run(
        [sys.executable, "-m", "dialmeter", *map(str, words)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **variables},
        check=False,
    )
    return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())


def files_in(folder: Path) -> dict[str, bytes]:
    """Return all files in a folder, to check that nothing was written."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
