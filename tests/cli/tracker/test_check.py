"""``tracker check`` as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli
from ..samples import EAST, TOWN, native_lines, nested_document, town, written


def test_two_files_in_two_formats(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.json", nested_document(TOWN))
    pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
    assert cli("tracker", "check", pred, "--gold", gold).out.startswith(f"{pred}: format native, gold nested\n")


@pytest.mark.parametrize("rules", ["dstc10", "dialmeter"])
def test_slot_of_both_sections(rules: str, tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.json", '[{"hotel": {"semi": {"people": ["1"]}, "book": {"people": ["2"]}}}]')
    words = [file, "--gold", file, "--rules", rules, "--json"]
    scored = cli("tracker", "score", *words).json["scores"][0]
    checked = cli("tracker", "check", *words).json["scores"][0]
    assert (scored["value"], checked["value"]) == (1, 1)
    assert checked["signature"] == scored["signature"]


def test_what_check_takes_score_takes(tmp_path: Path, cli: Cli) -> None:
    file = town(tmp_path)
    checked = cli.json("tracker", "check", file)
    scored = cli.json("tracker", "score", file, "--ci", "0")
    assert checked["counts"]["dialogues"] == scored["counts"]["dialogues"]
    assert checked["counts"]["turns"] == scored["counts"]["turns"]
    assert [each["signature"] for each in checked["scores"]] == [each["signature"] for each in scored["scores"]]


def test_states_of_single_turns_are_noticed(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": {f"hotel-s{number}": "1"}, "pred": {f"hotel-s{number}": "1"}} for number in range(5)]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    document = cli.json("tracker", "check", file)
    (found,) = document["diagnosis"]
    assert (found["kind"], found["turns"], found["option"]) == ("news", 4, "--state update")
    assert found["message"].startswith("gold and predicted states look like updates")


def test_score_warns_of_it_too(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": {f"hotel-s{number}": "1"}, "pred": {f"hotel-s{number}": "1"}} for number in range(5)]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    assert "--state update" in cli("tracker", "score", file).err
    assert "--state update" not in cli("tracker", "score", file, "--state", "update").err


def test_perfect_gold_file_gives_no_warning(tmp_path: Path, cli: Cli) -> None:
    states = [{"hotel-a": "1"}, {"hotel-a": "1", "hotel-b": "2"}, {"hotel-a": "1", "hotel-b": "2", "hotel-c": "3"}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": state, "pred": state} for state in states]}))
    assert cli("tracker", "check", file).err == ""


def test_completions_that_cannot_be_read_are_counted(tmp_path: Path, cli: Cli) -> None:
    lines = [
        b'{"dialogue_id": "d1", "turn": 0, "gold": {"hotel-area": "east"}, "completion": "{\\"hotel-area\\": \\"east\\"}"}\n',
        b'{"dialogue_id": "d1", "turn": 1, "gold": {"hotel-area": "east"}, "completion": "I do not know."}\n',
    ]
    file = written(tmp_path / "llm.jsonl", b"".join(lines))
    document = cli.json("tracker", "check", file)
    assert document["format"] == "llm"
    [unparsed] = [warning for warning in document["warnings"] if warning["code"] == "unparsed"]
    assert (unparsed["count"], unparsed["where"]) == (1, ["d1 turn 1"])


@pytest.mark.parametrize("missing", ["empty", "skip"])
def test_missing_turns_under_rules(missing: str, tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": EAST, "pred": EAST}, {"gold": EAST}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    cli("tracker", "check", file, code=2)
    assert (
        "warning: 1 turn has gold and no prediction [d1 turn 1]"
        in cli("tracker", "check", file, "--missing", missing).err
    )
