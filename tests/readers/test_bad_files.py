"""Invalid files: a table of files and messages, a table of what each format detects, and numbers in files."""

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
from dialmeter.tracking.scoring import score_file

from ..cli.invoke import Cli
from .states.layouts import LAYOUTS, OF_ONE_TURN, OF_TEXT, WITHOUT_DELETIONS
from .states.test_same_everywhere import corpus_for, files_of

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


ALL = {**LAYOUTS, **WITHOUT_DELETIONS, **OF_ONE_TURN}


def written(path: Path, *turns: tuple[object, object]) -> Path:
    states = [
        {"turn": number, "gold": {"hotel-stars": gold}, "pred": {"hotel-stars": pred}}
        for number, (gold, pred) in enumerate(turns)
    ]
    path.write_text(json.dumps({"dialogue_id": "d1", "turns": states}) + "\n")
    return path


def test_one_number_in_two_spellings_is_a_warning(cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", (4, 4.0), (4, "4.0"), (4, 4), ("3", "5"), ("four", "4"))
    said = cli("score", file, "--rules", "fga-repo", "-f", "json")
    [found] = [each for each in said.json["warnings"] if each["code"] == "same-number"]
    assert found["count"] == 2
    assert found["where"] == ["hotel-stars: gold 4, predicted 4.0"]
    assert "write numbers the same way in both files, or use --set values=tidy" in found["message"]
    assert f"warning: {found['message']}" in said.err


def test_the_fix_of_the_warning_helps(tmp_path: Path) -> None:
    from dialmeter.tracking.rule_sets.rules import change, named

    file = written(tmp_path / "p.jsonl", (4, 4.0), (4, "4.0"))
    assert [each.code for each in score_file(str(file), rules=named("fga-repo")).notices].count("same-number") == 1
    mended = score_file(str(file), measures=["JGA"], rules=change(named("fga-repo"), values="tidy"))
    assert "same-number" not in [each.code for each in mended.notices]
    assert mended.scores[0].value == 1


def test_values_that_are_no_numbers_are_no_warning(tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", ("4", "5"), ("nan", "NaN "), ("1_0", "10"), ("x", "y"), ("inf", "infinity"))
    found = score_file(str(file), rules="fga-repo")
    assert "same-number" not in [each.code for each in found.notices]


@pytest.mark.parametrize("number", ["1e400", "-3e999"])
@pytest.mark.parametrize("layout", [name for name in ALL if "." not in name and name not in OF_TEXT])
def test_too_large_a_number_in_every_format(layout: str, number: str, tmp_path: Path) -> None:
    made = ALL[layout](tmp_path, corpus_for(layout)[:3])
    for path, format in files_of(made):
        part = path / "dialogues_001.json" if path.is_dir() else path
        text = part.read_text("utf-8")
        at = text.index("{")
        part.write_text(f'{text[: at + 1]}"x_0": {number}, {text[at + 1 :]}', "utf-8")
        with pytest.raises(InputError, match=f"{number} is too large a number"):
            list(open_corpus(path, format=format))


NATIVE = '{"dialogue_id": "d", "turns": [{"turn": 0, "gold": {"a-b": %s}, "pred": {}}]}\n'
NESTED = '{"d": {"0": {"gt": {"a": {"b": %s}}, "pr": {}}}}'


@pytest.mark.parametrize("number", ["1e400", "-1E999", "[1e400]"])
@pytest.mark.parametrize(("layout", "place"), [(NATIVE, "line 1"), (NESTED, "dialogue d")])
def test_refused(tmp_path: Path, layout: str, place: str, number: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(layout.replace("%s", number), "utf-8")
    with pytest.raises(InputError, match=rf"file.json: {place}: {number.strip('[]')} is too large a number"):
        list(open_corpus(path))


def test_large_ones_that_are_none_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(NATIVE % "1e300", "utf-8")
    [found] = open_corpus(path)
    assert found.turns[0].gold == {"a-b": "1e+300"}
