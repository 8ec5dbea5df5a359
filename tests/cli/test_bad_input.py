"""Files that cannot be scored give one line with file, dialogue, turn and slot, exit code 2, and no output files."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.raw_file import zstd_module

from .invoke import CommandResult, call, call_process, files_in
from .samples import TOWN, native_lines, written

READERS = ("score", "check", "rules", "convert")
GOOD_LINE = b'{"dialogue_id": "d0", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {}}]}\n'
UNKNOWN = ("unknown format", "--from")
CUT_OFF = ("damaged or cut off",)


def nested(second: Any) -> bytes:
    """Return a document whose first dialogue is valid."""
    first = {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {}}}
    return json.dumps({"d0": first, "d1": second}).encode()


def native(turns: Any) -> bytes:
    """Return lines with a valid first line."""
    raw = turns if isinstance(turns, bytes) else json.dumps(turns).encode()
    return GOOD_LINE + b'{"dialogue_id": "d1", "turns": ' + raw + b"}\n"


def native_value(raw: bytes) -> bytes:
    """Return lines whose second dialogue has this value."""
    return native(b'[{"turn": 0, "gold": {"hotel-area": ' + raw + b'}, "pred": {}}]')


def zstd(data: bytes) -> bytes:
    packed: bytes = zstd_module().compress(data)
    return packed


DEEP = b"[" * 100_000 + b"]" * 100_000
MANY_LINES = native_lines({f"d{number}": TOWN["d1"] for number in range(50)})
EMPTY = {"gt": {}, "pr": {}}

BAD_FILES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "a document cut off": (nested({"0": EMPTY})[:-9], ("line 1", "not valid JSON", "cut off")),
    "a line cut off": (native([{"turn": 0, "gold": {}, "pred": {}}])[:-20], ("line 2", "not valid JSON", "cut off")),
    "an object as value": (
        nested({"3": {"gt": {"hotel": {"area": {"x": 1}}}, "pr": {}}}),
        ("dialogue d1, turn 3, slot hotel-area", "found an object"),
    ),
    "true as value": (
        nested({"3": {"gt": {}, "pr": {"hotel": {"area": True}}}}),
        ("dialogue d1, turn 3, slot hotel-area", "found true"),
    ),
    "a list of objects as value": (
        nested({"3": {"gt": {"hotel": {"area": [{}]}}, "pr": {}}}),
        ("dialogue d1, turn 3, slot hotel-area", "found an object"),
    ),
    "a list as domain": (nested({"3": {"gt": {"hotel": ["area"]}, "pr": {}}}), ("dialogue d1, turn 3", "hotel", "found a list")),
    "a list as state": (nested({"3": {"gt": [], "pr": {}}}), ("dialogue d1, turn 3", "a state must be an object, found a list")),
    "null as state": (nested({"3": {"gt": None, "pr": {}}}), ("dialogue d1, turn 3", "found null")),
    "a string as turn": (nested({"3": "x"}), ("dialogue d1, turn 3", "found a string")),
    "a list as dialogue": (nested([]), ("dialogue d1", "found a list")),
    "an object as value in a line": (native_value(b'{"x": 1}'), ("dialogue d1, turn 0, slot hotel-area", "found an object")),
    "false as value in a line": (native_value(b"false"), ("dialogue d1, turn 0, slot hotel-area", "true or false, but other values are like")),
    "a list in a list in a line": (native_value(b'[["a"]]'), ("dialogue d1, turn 0, slot hotel-area", "found a list")),
    "a list as state in a line": (native([{"turn": 0, "gold": ["east"], "pred": {}}]), ("dialogue d1, turn 0", "a pair reads domain-slot-value, found 'east'")),
    "a string as turn in a line": (native(["x"]), ("line 2", "dialogue d1, turn 0", "found a string")),
    "an object as turns": (native({"0": {}}), ("line 2", "dialogue d1", "turns must be a list, found an object")),
    "a number as dialogue_id": (GOOD_LINE + b'{"dialogue_id": 3.5, "turns": []}\n', ("line 2", "dialogue_id must be a string")),
    "a line without turns": (GOOD_LINE + b'{"dialogue_id": "d1"}\n', ("line 2", "dialogue d1", "turns")),
    "a line that is a list": (GOOD_LINE + b"[1]\n", ("line 2", "found a list")),
    "a turn key that is a word": (nested({"one": EMPTY}), ("dialogue d1, turn one", "whole number")),
    "a turn key below zero": (nested({"-1": EMPTY}), ("dialogue d1, turn -1", "whole number")),
    "a turn key with a fraction": (nested({"1.5": EMPTY}), ("dialogue d1, turn 1.5", "whole number")),
    "a turn number that is a word": (native([{"turn": "one", "gold": {}, "pred": {}}]), ("line 2", "dialogue d1, turn one", "whole number")),
    "a turn number with a fraction": (native([{"turn": 1.5, "gold": {}, "pred": {}}]), ("dialogue d1, turn 1.5", "whole number")),
    "a turn number that is true": (native([{"turn": True, "gold": {}, "pred": {}}]), ("dialogue d1", "whole number")),
    "a turn number beyond all turns": (native([{"turn": 5_000_000_000, "gold": {}, "pred": {}}]), ("dialogue d1", "turn 5000000000")),
    "a turn key twice": (b'{"d1": {"0": {"gt": {}, "pr": {}}, "0": {"gt": {}, "pr": {}}}}', ("dialogue d1", "duplicate key '0'")),
    "a turn under two spellings": (nested({"0": EMPTY, "00": EMPTY}), ("dialogue d1, turn 0", "duplicate")),
    "a turn twice in a line": (native([{"turn": 0, "gold": {}, "pred": {}}] * 2), ("line 2", "dialogue d1, turn 0", "duplicate")),
    "a slot twice": (b'{"d1": {"0": {"gt": {"hotel": {"area": "a", "area": "b"}}, "pr": {}}}}', ("dialogue d1, turn 0", "hotel", "duplicate key 'area'")),
    "a slot twice in a list": (
        b'{"d1": {"0": {"turn_belief": ["hotel-day-a", "hotel-day-b"], "pred_bs_ptr": []}}}',
        ("dialogue d1, turn 0, slot hotel-day", "duplicate slot with two values, 'a' and 'b'"),
    ),
    "a slot twice in a line": (
        native(b'[{"turn": 0, "gold": {"hotel-area": "a", "hotel-area": "b"}, "pred": {}}]'),
        ("dialogue d1, turn 0", "duplicate key 'hotel-area'"),
    ),
    "a prediction twice in a turn": (
        native(b'[{"turn": 0, "gold": {"hotel-area": "a"}, "pred": {"hotel-area": "a"}, "pred": {}}]'),
        ("dialogue d1, turn 0", "duplicate key 'pred'"),
    ),
    "a dialogue twice": (b'{"d1": {"0": {"gt": {}, "pr": {}}}, "d1": {"0": {"gt": {}, "pr": {}}}}', ("duplicate key 'd1'",)),
    "a dialogue under two spellings": (b'{"D1.json": {"0": {"gt": {}, "pr": {}}}, "d1": {"0": {"gt": {}, "pr": {}}}}', ("dialogue d1", "duplicate")),
    "a dialogue on two lines": (GOOD_LINE * 2, ("line 2", "dialogue d0", "duplicate")),
    "a dialogue without turns": (nested({}), ("dialogue d1", "without turns")),
    "a line with no turn": (native([]), ("line 2", "dialogue d1", "without turns")),
    "an empty file": (b"", ("the file is empty",)),
    "a blank file": (b" \n\t\n", ("the file is empty",)),
    "an empty file, compressed": (gzip.compress(b""), ("the file is empty",)),
    "a binary file": (b"\x00\x01\x02\xff" * 10, ("a binary file",)),
    "UTF-16": ('{"d1": {}}'.encode("utf-16"), ("UTF-16 text; save it as UTF-8",)),
    "UTF-16 without its mark": ('{"d1": {}}'.encode("utf-16-be"), ("UTF-16 text; save it as UTF-8",)),
    "an HTML page": (b"\n <!DOCTYPE html>\n<html></html>\n", ("an HTML page, not data",)),
    "a Git LFS pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", ("a Git LFS pointer", "git lfs pull")),
    "words": (b"hello world\n", UNKNOWN),
    "a number": (b"3", UNKNOWN),
    "null": (b"null", UNKNOWN),
    "an empty list": (b"[]", ("an empty list without dialogues",)),
    "an empty object": (b"{}", ("an empty object without dialogues",)),
    "another document": (b'{"glossary": {"title": "x"}}', (*UNKNOWN, "its keys are glossary, inside: title; see")),
    "rows whose dialogue has another name": (
        b'{"talk": "a", "turn": 0, "gold": {}, "pred": {}}\n' * 2,
        (*UNKNOWN, "its keys are talk, turn, gold, pred; the closest format is rows, which also needs one of dialogue_id, dial_id, id (--fields"),
    ),
    "a table whose turn has another name": (
        b"id,step,gold,pred\na,0,,\n",
        (*UNKNOWN, "its columns are id, step, gold, pred; the closest format is rows, which also needs one of turn, turn_id (--fields"),
    ),
    "a log without its gold": (
        b'[{"ID": "a", "turn_id": 0, "pred": {}}]',
        (*UNKNOWN, "the closest format is ic-dst, which also needs slot_values; see"),
    ),
    "keys of a format with other values": (
        b'[{"dialogue_id": 1.5, "turn": 0, "completion": "x"}]',
        (*UNKNOWN, "the closest format is llm, which has the same keys but other types of values; see"),
    ),
    "dialogues without states": (b'{"d1": {"log": 3}}', (*UNKNOWN, "its keys are d1, inside: log; the closest format is multiwoz, which also needs goal; see")),
    "many keys": (b'[{%s}]' % b", ".join(b'"k%d": 0' % number for number in range(14)), (*UNKNOWN, "k0, k1, k2", "k11, …; to read it as a table, name its columns")),
    "gzip cut off": (gzip.compress(MANY_LINES)[:-15], CUT_OFF),
    "gzip cut off at its head": (gzip.compress(MANY_LINES)[:12], CUT_OFF),
    "gzip with a wrong byte": (gzip.compress(MANY_LINES)[:-6] + b"\x00\x00\x00\x00\x00\x00", CUT_OFF),
    "zstd cut off": (zstd(MANY_LINES)[:-5], CUT_OFF),
    "zstd cut off at its head": (zstd(MANY_LINES)[:6], CUT_OFF),
    "NaN": (nested({"0": {"gt": {"hotel": {"area": float("nan")}}, "pr": {}}}), ("NaN is not a JSON value",)),
    "NaN in a line": (native_value(b"NaN"), ("line 2", "NaN is not a JSON value")),
    "infinity in a line": (native_value(b"-Infinity"), ("line 2", "-Infinity is not a JSON value")),
    "deep nesting": (b'{"d1": {"0": {"gt": {"hotel": {"area": ' + DEEP + b'}}, "pr": {}}}}', ("nested too deeply",)),
    "deep nesting in a line": (native_value(DEEP), ("line 2", "nested too deeply")),
    "bytes that are no UTF-8": (nested({"0": {"gt": {"hotel": {"area": "EAST"}}, "pr": {}}}).replace(b"EAST", b"\xff"), ("not UTF-8",)),
    "bytes that are no UTF-8 in a line": (native_value(b'"\xff"'), ("not UTF-8",)),
    "bytes that are no UTF-8 in an utterance": (native(b'[{"turn": 0, "gold": {}, "pred": {}, "user": "\xff"}]'), ("line 2", "not UTF-8")),
    "a number of 5000 digits": (native_value(b"1" * 5000), ("digits",)),
}  # fmt: skip
"""The content of the file, and the message after the name of the file."""

TAKEN_BY = {
    "a turn number beyond all turns": ("convert",),
    "a prediction twice in a turn": ("score",),
    "bytes that are no UTF-8 in an utterance": ("score",),
}
"""Commands that do not read the bad part: scoring skips utterances and unused parts of a line."""


def read_with(command: str, capsys: pytest.CaptureFixture[str], file: Path | str, *more: str | Path) -> CommandResult:
    """Run one of the commands that read a prediction file."""
    if command == "convert":
        return call(capsys, "convert", file, Path(str(file)).parent / "out.jsonl", *more)
    return call(capsys, "tracker", command, file, *more)


@pytest.mark.parametrize(
    ("bad", "command"),
    [(bad, command) for bad in BAD_FILES for command in READERS if command not in TAKEN_BY.get(bad, ())],
)
def test_a_bad_file(bad: str, command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    content, says = BAD_FILES[bad]
    file = written(tmp_path / "predictions.json", content)
    before = files_in(tmp_path)
    said = read_with(command, capsys, file)
    assert said.complaint.startswith(f"{file}: ")
    assert said.code == 2
    assert all(word in said.complaint for word in says), said.complaint
    assert said.out == ""
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("command", READERS)
def test_two_names_of_one_slot_are_no_mistake(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    state = {"hotel": {"book day": "a", "day": "b"}}
    file = written(tmp_path / "predictions.json", nested({"0": {"gt": state, "pr": state}}))
    assert read_with(command, capsys, file).code == 0


@pytest.mark.parametrize("command", ["score", "check", "rules"])
@pytest.mark.parametrize(
    "content",
    [b'{"d1": {"0": {"pr": {}}}}', b'{"dialogue_id": "d1", "turns": [{"turn": 0, "pred": {}}]}\n'],
    ids=["nested", "native"],
)
def test_no_turn_with_gold(command: str, content: bytes, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "predictions.json", content)
    said = read_with(command, capsys, file)
    assert said.code == 2
    assert said.complaint.startswith(f"{file}: no turn with a gold state")


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_is_not_there(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = read_with(command, capsys, tmp_path / "nowhere.json")
    assert said.code == 2
    assert said.complaint == f"{tmp_path / 'nowhere.json'}: no such file"
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("https://example.org/p.json", "a URL, not a file; download it first and give the path of the file"),
        ("run-*.json", "no such file; it looks like a pattern that matches no file, or that is quoted"),
    ],
)
def test_a_name_that_is_no_file(
    command: str,
    name: str,
    says: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("convert", name, "out.jsonl") if command == "convert" else ("tracker", command, name)
    said = call(capsys, *words)
    assert (said.code, said.complaint) == (2, f"{name}: {says}")


@pytest.mark.parametrize("command", READERS)
def test_a_folder_of_lines(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = written(tmp_path / "folder" / "a.jsonl", GOOD_LINE).parent
    written(folder / "b.jsonl", GOOD_LINE)
    said = read_with(command, capsys, folder)
    assert said.code == 2
    assert (
        said.complaint
        == f"{folder}: a folder of JSON lines files (2 files, the first is a.jsonl); name one file, or join all into one"
    )


@pytest.mark.parametrize("command", READERS)
def test_a_folder_without_dialogues(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = written(tmp_path / "folder" / "notes.txt", "nothing here").parent
    said = read_with(command, capsys, folder)
    assert said.code == 2
    assert said.complaint.startswith(f"{folder}: ")


@pytest.mark.parametrize("command", READERS)
def test_a_line_over_the_limit(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialmeter.readers.source.LINE_LIMIT", 200)
    long = GOOD_LINE.replace(b"east", b"e" * 300).replace(b"d0", b"d1")
    file = written(tmp_path / "predictions.jsonl", GOOD_LINE + long)
    said = read_with(command, capsys, file)
    assert said.code == 2
    assert said.complaint.startswith(f"{file}: line 2: a line longer than")
    assert [path.name for path in tmp_path.iterdir()] == ["predictions.jsonl"]


@pytest.mark.parametrize("command", READERS)
def test_a_first_line_over_the_limit(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A document may be one line of any length. Only the following text shows that these are JSON lines.
    monkeypatch.setattr("dialmeter.readers.source.LINE_LIMIT", 80)
    for content in (GOOD_LINE, GOOD_LINE + GOOD_LINE.replace(b"d0", b"d1")):
        file = written(tmp_path / "predictions.jsonl", content)
        said = read_with(command, capsys, file)
        assert said.code == 2
        assert said.complaint.startswith(f"{file}: ")


@pytest.mark.parametrize(
    "content", [native_value(rb'"\ud800"'), GOOD_LINE.replace(b"d0", rb"d\ud800")], ids=["value", "id"]
)
def test_half_a_character_is_no_internal_error(content: bytes, tmp_path: Path) -> None:
    written(tmp_path / "p.jsonl", content)
    for words in (
        ["tracker", "score", "p.jsonl"],
        ["tracker", "score", "p.jsonl", "--json"],
        ["tracker", "score", "p.jsonl", "--out", "run"],
        ["tracker", "check", "p.jsonl"],
        ["convert", "p.jsonl", "out.jsonl"],
    ):
        said = call_process(*words, "--quiet", cwd=tmp_path)
        assert said.code in (0, 2), said.err
        assert said.code == 0 or said.complaint.startswith("p.jsonl: ")


def test_numbers_lists_of_one_and_null_are_no_mistakes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gold = {
        "hotel-stars": 4,
        "hotel-area": ["east"],
        "hotel-name": None,
        "hotel-day": ["monday", "sunday"],
        "taxi-to": 1.5,
    }
    pred = {"hotel-stars": "4", "hotel-area": "east", "hotel-day": "sunday", "taxi-to": ["1.5"]}
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": gold, "pred": pred}]}))
    said = call(capsys, "tracker", "score", file, "--json", "--quiet")
    assert (said.code, said.err) == (0, "")
    assert said.json["scores"][0]["value"] == 1


def test_an_empty_list_is_no_value_and_no_hedge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    turns = [{"gold": {"hotel-day": "sunday", "hotel-area": []}, "pred": {"hotel-day": "sunday", "hotel-name": []}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    said = call(capsys, "tracker", "score", file, "--measure", "JGA", "--json")
    assert said.json["scores"][0]["value"] == 1
    assert said.json["warnings"] == []


def test_a_list_of_several_in_a_prediction_is_no_hedge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    turns = [{"gold": {"hotel-day": "sunday"}, "pred": {"hotel-day": ["monday", "sunday"]}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    said = call(capsys, "tracker", "score", file, "--measure", "JGA", "--json")
    assert said.json["scores"][0]["value"] == 0
    assert [(warning["code"], warning["count"]) for warning in said.json["warnings"]] == [("several-values", 1)]
    assert "d1 turn 0" in said.json["warnings"][0]["where"][0]


FORCED = {
    "nested": nested({"0": EMPTY}),
    "native": GOOD_LINE,
    "a list of numbers": b"[1, 2]",
    "a list of objects": b'[{"a": 1}]',
    "an object of numbers": b'{"a": 1, "b": 2}',
    "an object of lists": b'{"a": [[], []]}',
    "an object of objects": b'{"a": {"b": {"c": {}}}}',
    "words": b"hello\n",
    "a string": b'"x"',
}
FORMATS = (
    "native", "llm", "nested", "fga-text", "trade", "som-dst", "trippy", "vectors", "sgd", "mwzeval", "convlab3", "t5-text",
    "dstc10", "multiwoz",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("content", FORCED)
def test_a_format_forced_on_another_file(
    content: str, form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = written(tmp_path / "predictions.json", FORCED[content])
    said = call(capsys, "convert", file, tmp_path / "out.jsonl", "--from", form, "--quiet")
    if said.code == 0:
        # Some formats are so simple that a file also matches another format. The result is then dialogues.
        assert all(json.loads(line)["turns"] for line in (tmp_path / "out.jsonl").read_text().splitlines())
    else:
        assert said.code == 2
        assert said.complaint.startswith(f"{file}: ")
        assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("bad", ["a document cut off", "an object as value", "an empty file", "a binary file"])
def test_a_process_of_its_own_says_the_same(bad: str, tmp_path: Path) -> None:
    content, says = BAD_FILES[bad]
    written(tmp_path / "p.json", content)
    from_file = call_process("tracker", "score", "p.json", cwd=tmp_path)
    from_stdin = call_process("tracker", "score", "-", stdin=content, cwd=tmp_path)
    for said, name in ((from_file, "p.json"), (from_stdin, "standard input")):
        assert said.code == 2
        assert said.complaint.startswith(f"{name}: ")
        assert all(word in said.complaint for word in says)
        assert said.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


@pytest.mark.parametrize(
    "bad", ["a line cut off", "an object as value in a line", "a dialogue on two lines", "an empty file"]
)
def test_no_run_is_begun_with_a_bad_file(bad: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "predictions.jsonl", BAD_FILES[bad][0])
    said = call(capsys, "tracker", "score", file, "--out", tmp_path / "run")
    assert said.code == 2
    assert said.complaint.startswith(f"{file}: ")
    assert not (tmp_path / "run").exists()


def test_no_run_is_begun_with_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good = written(tmp_path / "good.jsonl", GOOD_LINE)
    for option in ("", "--gold", "--schema", "--only"):
        files = [str(good), option, "nowhere.json"] if option else ["nowhere.json"]
        said = call(capsys, "tracker", "score", *files, "--out", tmp_path / "run")
        assert said.code == 2
        assert "nowhere.json" in said.complaint
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["score", "compare", "bias", "rules"])
def test_a_file_name_that_is_not_utf_8(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"a\xff b.jsonl")
    written(file, native_lines(TOWN))
    more = [written(tmp_path / "b.jsonl", native_lines(TOWN))] if command == "compare" else []
    said = call(capsys, "tracker", command, file, *more, "--quiet")
    assert said.code == 0, said.err
    said = call(capsys, "tracker", command, file, *more, "--quiet", "--out", tmp_path / "run")
    assert said.code == 2
    assert said.complaint.endswith(
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


def test_a_rule_file_with_its_required_fields(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without ``measures``, it was an internal error."""
    file = written(tmp_path / "town.jsonl", native_lines(TOWN))
    rules = written(tmp_path / "own.toml", MINIMAL_RULES)
    for command in ("score", "check", "bias"):
        assert call(capsys, "tracker", command, file, "--rules", rules).code == 0
    assert [
        each["measure"] for each in call(capsys, "tracker", "score", file, "--rules", rules, "--json").json["scores"]
    ] == ["JGA"]
    written(rules, MINIMAL_RULES + "measures = []")
    said = call(capsys, "tracker", "score", file, "--rules", rules)
    assert said.code == 2
    assert said.complaint.startswith(f"{rules}: Expected `array` of length >= 1 - at `$.measures`")
