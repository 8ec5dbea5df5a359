"""One table of invalid files: each line is a file, its format, and the message; and one table of what each format detects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.conversations import open_conversations, open_trajectories
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.formats import FORMATS
from dialmeter.readers.layouts.schema import read_schema
from dialmeter.readers.ratings.open_ratings import open_ratings
from dialmeter.readers.source import Sample

HERE = Path(__file__).parent


def table(name: str) -> list[Any]:
    """Return the rows of a table, each with the line as its id."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [pytest.param(json.loads(line), id=f"line {number}") for number, line in enumerate(lines, 1)]


def outcome(row: dict[str, Any], path: Path) -> tuple[list[str], list[str]]:
    """Read a file. Return the ids of the dialogues, and the messages."""
    readers: dict[str, Any] = {"conversations": open_conversations, "logs": open_trajectories}
    try:
        if row["of"] == "schema":
            return [*read_schema(path).services], []
        if row["of"] == "ratings":
            return [item.id for item in open_ratings(path).items], []
        if row["of"] == "states":
            return [each.id for each in open_corpus(path, format=row.get("format"))], []
        file = readers[row["of"]](path, row.get("format"))
        return [each.id for each in file], [str(error) for error in file.refused]
    except InputError as error:
        return [], [str(error)]


@pytest.mark.parametrize("row", table("bad_files.jsonl"))
def test_bad_files(row: dict[str, Any], tmp_path: Path) -> None:
    """A file of states is refused as a whole. An invalid dialogue of other files is refused alone."""
    path = tmp_path / "file"
    text = row["text"] if "text" in row else json.dumps(row["json"])
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    messages = row["messages"] if "messages" in row else [row["message"]]
    assert outcome(row, path) == (row.get("read", []), [f"{path}: {message}" for message in messages])
    assert all("\n" not in message for message in messages)


DOCUMENTS = ("trade", "som-dst", "mwzeval", "vectors", "trippy")
"""Formats of one JSON document; the same value as a line is another format."""


@pytest.mark.parametrize("row", table("detection.jsonl"))
def test_detection(row: dict[str, Any]) -> None:
    reader = FORMATS.load(row["format"])
    assert reader.detect(Sample(row["kind"], row["value"])) is row["fits"]
    assert row["format"] not in DOCUMENTS or not reader.detect(Sample("lines", row["value"]))
