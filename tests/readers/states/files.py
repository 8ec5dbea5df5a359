"""Shared parts of the tests of readers: writing JSON files, reading them, and the errors of invalid files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Dialogue
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.validation import Role


def as_json(folder: Path, thing: Any, name: str = "file.json") -> Path:
    """Write one JSON document."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(thing), encoding="utf-8")
    return path


def read_all(path: Path, form: str, role: Role = Role.BOTH) -> list[Dialogue]:
    """Read all dialogues of a file."""
    return list(open_corpus(path, role, form))


def complaint(path: Path, form: str) -> str:
    """Return the one-line error of an invalid file, without the file name."""
    with pytest.raises(InputError) as caught:
        read_all(path, form)
    assert caught.value.file is not None
    said = str(caught.value)
    assert "\n" not in said
    return said.removeprefix(f"{caught.value.file}: ")
