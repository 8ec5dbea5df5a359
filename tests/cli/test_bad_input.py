"""Files that cannot be scored give one line with file, dialogue, turn and slot, exit code 2, and no output files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..golden.bad_files import BAD, GOOD_LINE, value
from .invoke import Cli, call_process
from .samples import TOWN, native_lines, written

READERS = ("score", "check", "study rules", "convert")


def words_of(command: str, file: Path | str) -> list[str | Path]:
    """Return the words of a command that reads a prediction file."""
    if command == "convert":
        return ["convert", file, Path(str(file)).parent / "out.jsonl"]
    return [*command.split(), file]


@pytest.mark.parametrize("command", ["score", "check", "study rules"])
@pytest.mark.parametrize(
    "content",
    [b'{"d1": {"0": {"pr": {}}}}', b'{"dialogue_id": "d1", "turns": [{"turn": 0, "pred": {}}]}\n'],
    ids=["nested", "native"],
)
def test_no_turn_with_gold(command: str, content: bytes, cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "predictions.json", content)
    assert cli.refused(*words_of(command, file)).startswith(f"{file}: no turn with a gold state")


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere.json", "no such file"),
        ("https://example.org/p.json", "a URL, not a file; download it first and give the path of the file"),
        ("run-*.json", "no such file; it looks like a pattern that matches no file, or that is quoted"),
        (
            "lines",
            "the file holds 2 trackers: a, b; score one: dialmeter score 'lines#a', or compare them: dialmeter compare "
            "lines",
        ),
        ("notes", "unknown format; see `dialmeter list formats`, or name the format with --from"),
    ],
)
def test_name_of_no_file(
    command: str, name: str, says: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("lines/a.jsonl", "lines/b.jsonl", "notes/notes.txt"):
        written(tmp_path / file, GOOD_LINE)
    words = ("convert", name, "out.jsonl") if command == "convert" else (*command.split(), name)
    assert cli.refused(*words) == f"{name}: {says}"
    assert not (tmp_path / "out.jsonl").exists()


LONG_LINE = GOOD_LINE.replace(b"east", b"e" * 300).replace(b"d0", b"d1")
TWO_LINES = GOOD_LINE + GOOD_LINE.replace(b"d0", b"d1")


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("limit", "content", "says"),
    # A document may be one line of any length. Only the following text shows that these are JSON lines.
    [(200, GOOD_LINE + LONG_LINE, "line 2: a line longer than"), (80, GOOD_LINE, ""), (80, TWO_LINES, "")],
)
def test_line_over_limit(
    command: str, limit: int, content: bytes, says: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialmeter.readers.source.LINE_LIMIT", limit)
    file = written(tmp_path / "predictions.jsonl", content)
    assert cli.refused(*words_of(command, file)).startswith(f"{file}: {says}")
    assert [path.name for path in tmp_path.iterdir()] == ["predictions.jsonl"]


@pytest.mark.parametrize("content", [value(rb'"\ud800"'), GOOD_LINE.replace(b"d0", rb"d\ud800")], ids=["value", "id"])
def test_half_character(content: bytes, tmp_path: Path) -> None:
    written(tmp_path / "p.jsonl", content)
    for words in (
        ["score", "p.jsonl"],
        ["score", "p.jsonl", "-f", "json"],
        ["score", "p.jsonl", "--out", "run"],
        ["check", "p.jsonl"],
        ["convert", "p.jsonl", "out.jsonl"],
    ):
        said = call_process(*words, "--quiet", cwd=tmp_path)
        assert said.code in (0, 2), said.err
        assert said.code == 0 or said.complaint.startswith("p.jsonl: ")


def test_numbers_lists_and_null(cli: Cli, tmp_path: Path) -> None:
    gold = {
        "hotel-stars": 4,
        "hotel-area": ["east"],
        "hotel-name": None,
        "hotel-day": ["monday", "sunday"],
        "taxi-to": 1.5,
    }
    pred = {"hotel-stars": "4", "hotel-area": "east", "hotel-day": "sunday", "taxi-to": ["1.5"]}
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": gold, "pred": pred}]}))
    said = cli("score", file, "-f", "json", "--quiet")
    assert said.err == ""
    assert said.json["scores"][0]["value"] == 1


def test_empty_list(cli: Cli, tmp_path: Path) -> None:
    turns = [{"gold": {"hotel-day": "sunday", "hotel-area": []}, "pred": {"hotel-day": "sunday", "hotel-name": []}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    said = cli.json("score", file, "--measure", "JGA")
    assert said["scores"][0]["value"] == 1
    assert said["warnings"] == []


def test_several_predicted_values(cli: Cli, tmp_path: Path) -> None:
    turns = [{"gold": {"hotel-day": "sunday"}, "pred": {"hotel-day": ["monday", "sunday"]}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    said = cli.json("score", file, "--measure", "JGA")
    assert said["scores"][0]["value"] == 0
    assert [(warning["code"], warning["count"]) for warning in said["warnings"]] == [("several-values", 1)]
    assert "d1 turn 0" in said["warnings"][0]["where"][0]


IN_PROCESS = {
    "nested-cut.json": "not valid JSON",
    "nested-value-object.json": "dialogue d1, turn 3, slot hotel-area",
    "empty.json": "the file is empty",
    "binary.json": "a binary file",
}


@pytest.mark.parametrize("bad", IN_PROCESS)
def test_process_and_standard_input(bad: str, tmp_path: Path) -> None:
    content = BAD[bad]
    written(tmp_path / "p.json", content)
    from_file = call_process("score", "p.json", cwd=tmp_path)
    from_stdin = call_process("score", "-", stdin=content, cwd=tmp_path)
    for said, name in ((from_file, "p.json"), (from_stdin, "standard input")):
        assert said.code == 2
        assert said.complaint.startswith(f"{name}: ")
        assert IN_PROCESS[bad] in said.complaint
        assert said.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


@pytest.mark.parametrize(
    "bad", ["native-cut.jsonl", "native-value-object.jsonl", "native-dialogue-twice.jsonl", "empty.json"]
)
def test_no_run_of_bad_file(bad: str, cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "predictions.jsonl", BAD[bad])
    assert cli.refused("score", file, "--out", tmp_path / "run").startswith(f"{file}: ")
    assert not (tmp_path / "run").exists()


def test_no_run_of_missing_file(cli: Cli, tmp_path: Path) -> None:
    good = written(tmp_path / "good.jsonl", GOOD_LINE)
    for option in ("", "--gold", "--set", "--only"):
        files = [str(good), option, "nowhere.json"] if option else ["nowhere.json"]
        assert "nowhere.json" in cli.refused("score", *files, "--out", tmp_path / "run")
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["score", "compare", "study bias", "study rules"])
def test_file_name_not_utf_8(command: str, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"a\xff b.jsonl")
    written(file, native_lines(TOWN))
    more = [written(tmp_path / "b.jsonl", native_lines(TOWN))] if command == "compare" else []
    cli(*command.split(), file, *more, "--quiet")
    assert cli.refused(*command.split(), file, *more, "--quiet", "--out", tmp_path / "run").endswith(
        "a\\xff b.jsonl: the name is not UTF-8, so it cannot be recorded; rename the file or folder"
    )
    assert not (tmp_path / "run").exists()


MINIMAL_RULES = """
only = []
values = []
none = []
dontcare = "keep"
extra = "penalise"
alternatives = "any-of"
match = "exact"
missing = "error"
state = "cumulative"
"""


def test_minimal_rule_file(cli: Cli, tmp_path: Path) -> None:
    """Without ``measures``, it was an internal error."""
    file = written(tmp_path / "town.jsonl", native_lines(TOWN))
    rules = written(tmp_path / "own.toml", MINIMAL_RULES)
    for command in ("score", "check", "study bias"):
        cli(*command.split(), file, "--rules", rules)
    assert [each["measure"] for each in cli.json("score", file, "--rules", rules)["scores"]] == ["JGA"]
    written(rules, MINIMAL_RULES + "measures = []")
    assert cli.refused("score", file, "--rules", rules).startswith(
        f"{rules}: Expected `array` of length >= 1 - at `$.measures`"
    )
