"""The command line as tests call it: in this process where that is enough, as a process of its own where it is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from dialmeter.cli.main import run

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line that says what is wrong, without the name of the program; warnings and progress may stand before."""
        lines = [line for line in self.err.splitlines() if not line.startswith(("warning: ", "scoring: "))]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("dialmeter: ")
        assert "Traceback" not in self.err
        assert "internal error" not in self.err
        return lines[0].removeprefix("dialmeter: ")

    @property
    def json(self) -> dict[str, Any]:
        """The one document on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def call(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Said:
    """Runs a command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        run([str(word) for word in words])
    said = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return Said(stop.value.code, said.out, said.err)


def checked(said: Said, schema: str, code: int = 0) -> dict[str, Any]:
    """The document of a command, held to the schema of that name in docs/schema."""
    assert said.code == code
    assert "NaN" not in said.out
    Draft202012Validator(json.loads((SCHEMAS / f"{schema}.json").read_text("utf-8"))).validate(said.json)
    return said.json


def call_process(*words: str | Path, stdin: bytes = b"", cwd: Path | None = None, **variables: str) -> Said:
    """Runs a command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "dialmeter", *map(str, words)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **variables},
        check=False,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def files_in(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, so that a test can see that nothing was written."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
