"""``tracker check`` as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import call
from ..samples import EAST, TOWN, native_lines, nested_document, town, written

TEXT = """\
town.jsonl: format native
3 dialogues, 6 turns, 2.00 turns per dialogue, 2 slots, 2 slot-value pairs
gold against itself: JGA 100.00  SA 100.00  AGA 100.00  RSA 83.33  FGA(lam=0.25) 100.00  FGA(lam=0.5) 100.00  \
FGA(lam=0.75) 100.00  FGA(lam=1) 100.00  GCA 100.00  SlotF1 100.00
account: 3 of 3 dialogues scored
ready to be scored
"""

WARNINGS = """\
warning: 1 slots in predictions are not in gold [dialogue d2, turn 0, slot pub-name]
warning: gold scored against itself is below 100: RSA 83.33
"""


def test_a_file_that_is_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    town(tmp_path)
    result = call(capsys, "tracker", "check", "town.jsonl")
    assert result.code == 0
    assert result.out == TEXT
    assert result.err == WARNINGS
    assert call(capsys, "tracker", "check", "town.jsonl", "--quiet").err == ""


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        ("csv", ["content,count", "dialogues,3", "turns,6"]),
        ("markdown", ["| content | count |", "|---|---:|", "| dialogues | 3 |"]),
    ],
)
def test_counts_are_a_table_in_other_styles(
    style: str, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = call(capsys, "tracker", "check", town(tmp_path), "--as", style)
    assert result.code == 0
    assert [line for line in result.out.splitlines() if line in lines] == lines


def test_two_files_in_two_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = written(tmp_path / "gold.json", nested_document(TOWN))
    pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
    result = call(capsys, "tracker", "check", pred, "--gold", gold)
    assert result.code == 0
    assert result.out.startswith(f"{pred}: format native, gold nested\n")


@pytest.mark.parametrize("rules", ["dstc10", "dialmeter"])
def test_a_slot_of_both_sections(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "p.json", '[{"hotel": {"semi": {"people": ["1"]}, "book": {"people": ["2"]}}}]')
    words = [file, "--gold", file, "--rules", rules, "--json"]
    scored = call(capsys, "tracker", "score", *words).json["scores"][0]
    checked = call(capsys, "tracker", "check", *words).json["scores"][0]
    assert (scored["value"], checked["value"]) == (1, 1)
    assert checked["signature"] == scored["signature"]


def test_what_check_takes_score_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = town(tmp_path)
    checked = call(capsys, "tracker", "check", file, "--json").json
    scored = call(capsys, "tracker", "score", file, "--ci", "0", "--json").json
    assert checked["counts"]["dialogues"] == scored["counts"]["dialogues"]
    assert checked["counts"]["turns"] == scored["counts"]["turns"]
    assert [each["signature"] for each in checked["scores"]] == [each["signature"] for each in scored["scores"]]


def test_states_of_single_turns_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [{"gold": {f"hotel-s{number}": "1"}, "pred": {f"hotel-s{number}": "1"}} for number in range(5)]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    result = call(capsys, "tracker", "check", file, "--json")
    assert result.code == 0
    (found,) = result.json["diagnosis"]
    assert (found["kind"], found["turns"], found["option"]) == ("news", 4, "--state update")
    assert found["message"].startswith("gold and predicted states look like updates")


def test_score_warns_of_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [{"gold": {f"hotel-s{number}": "1"}, "pred": {f"hotel-s{number}": "1"}} for number in range(5)]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    assert "--state update" in call(capsys, "tracker", "score", file).err
    assert "--state update" not in call(capsys, "tracker", "score", file, "--state", "update").err


def test_a_perfect_gold_file_gives_no_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = [{"hotel-a": "1"}, {"hotel-a": "1", "hotel-b": "2"}, {"hotel-a": "1", "hotel-b": "2", "hotel-c": "3"}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": state, "pred": state} for state in states]}))
    result = call(capsys, "tracker", "check", file)
    assert (result.code, result.err) == (0, "")


def test_completions_that_cannot_be_read_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        b'{"dialogue_id": "d1", "turn": 0, "gold": {"hotel-area": "east"}, "completion": "{\\"hotel-area\\": \\"east\\"}"}\n',
        b'{"dialogue_id": "d1", "turn": 1, "gold": {"hotel-area": "east"}, "completion": "I do not know."}\n',
    ]
    file = written(tmp_path / "llm.jsonl", b"".join(lines))
    result = call(capsys, "tracker", "check", file, "--json")
    assert result.code == 0
    assert result.json["format"] == "llm"
    [unparsed] = [warning for warning in result.json["warnings"] if warning["code"] == "unparsed"]
    assert (unparsed["count"], unparsed["where"]) == (1, ["d1 turn 1"])


@pytest.mark.parametrize("missing", ["empty", "skip"])
def test_missing_turns_are_no_problem_where_rules_allow_them(
    missing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = [{"gold": EAST, "pred": EAST}, {"gold": EAST}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    assert call(capsys, "tracker", "check", file).code == 2
    result = call(capsys, "tracker", "check", file, "--missing", missing)
    assert result.code == 0
    assert "warning: 1 turn has gold and no prediction [d1 turn 1]" in result.err
