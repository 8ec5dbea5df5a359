"""``check`` of trackers as a user types it, and the diagnosis of a file."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from dialmeter.readers.source import spans

from ..invoke import Cli, call_process
from ..samples import EAST, TOWN, native_lines, nested_document, town, written


def test_two_files_in_two_formats(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.json", nested_document(TOWN))
    pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
    result = cli("check", pred, "--gold", gold, "-v")
    assert result.out.startswith("READY to be scored.\nread as tracker, native, gold nested; 3 dialogues, 6 turns\n")
    assert f"\n{pred}: format native, gold nested\n" in result.out


@pytest.mark.parametrize("rules", ["dstc10", "dialmeter"])
def test_slot_of_both_sections(rules: str, tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.json", '[{"hotel": {"semi": {"people": ["1"]}, "book": {"people": ["2"]}}}]')
    words = [file, "--gold", file, "--rules", rules, "-f", "json"]
    scored = cli("score", *words).json["scores"][0]
    checked = cli("check", *words).json["scores"][0]
    assert (scored["value"], checked["value"]) == (1, 1)
    assert checked["signature"] == scored["signature"]


def test_check_accepts_like_score(tmp_path: Path, cli: Cli) -> None:
    file = town(tmp_path)
    checked = cli.json("check", file)
    scored = cli.json("score", file, "--set", "ci=0")
    assert checked["counts"]["dialogues"] == scored["counts"]["dialogues"]
    assert checked["counts"]["turns"] == scored["counts"]["turns"]
    assert [each["signature"] for each in checked["scores"]] == [each["signature"] for each in scored["scores"]]


def test_single_turn_states(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": {f"hotel-s{number}": "1"}, "pred": {f"hotel-s{number}": "1"}} for number in range(5)]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    document = cli.json("check", file)
    (found,) = document["diagnosis"]
    assert (found["kind"], found["turns"], found["option"]) == ("news", 4, "--set state=update")
    assert found["message"].startswith("gold and predicted states look like updates")


def test_score_warns_of_it_too(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": {f"hotel-s{number}": "1"}, "pred": {f"hotel-s{number}": "1"}} for number in range(5)]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    result = cli("score", file, "-v")
    assert "--set state=update" in result.err
    assert "\n  states  they look like updates; with state=update JGA 100.00\n" in result.out
    assert "state=update" not in cli("score", file, "--set", "state=update", "-v").err


def test_no_warning_for_perfect_gold(tmp_path: Path, cli: Cli) -> None:
    states = [{"hotel-a": "1"}, {"hotel-a": "1", "hotel-b": "2"}, {"hotel-a": "1", "hotel-b": "2", "hotel-c": "3"}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": state, "pred": state} for state in states]}))
    assert cli("check", file).err == ""


def test_unreadable_completions_counted(tmp_path: Path, cli: Cli) -> None:
    lines = [
        b'{"dialogue_id": "d1", "turn": 0, "gold": {"hotel-area": "east"}, "completion": "{\\"hotel-area\\": \\"east\\"}"}\n',
        b'{"dialogue_id": "d1", "turn": 1, "gold": {"hotel-area": "east"}, "completion": "I do not know."}\n',
    ]
    file = written(tmp_path / "llm.jsonl", b"".join(lines))
    document = cli.json("check", file)
    assert document["format"] == "llm"
    [unparsed] = [warning for warning in document["warnings"] if warning["code"] == "unparsed"]
    assert (unparsed["count"], unparsed["where"]) == (1, ["d1 turn 1"])


@pytest.mark.parametrize("missing", ["empty", "skip"])
def test_missing_turns_under_rules(missing: str, tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": EAST, "pred": EAST}, {"gold": EAST}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    cli("check", file, code=2)
    assert (
        "warning: 1 turn has gold and no prediction [d1 turn 1]"
        in cli("check", file, "--set", f"missing={missing}").err
    )


LINE = (
    "diagnosis: train-leaveat agrees with gold at 0 of 40 turns at which both have a value, such as gold '17:00' and predicted "
    "'5:00 pm' (40 turns, differs by time form); --set map=multiwoz fixes it (JGA 50.00 → 100.00, +50.00 points)\n"
)


def times(folder: Path) -> Path:
    """Write forty dialogues whose second turn has a time in another form."""
    turns = [
        {"gold": {"train-day": "monday"}, "pred": {"train-day": "monday"}},
        {
            "gold": {"train-day": "monday", "train-leaveat": "17:00"},
            "pred": {"train-day": "monday", "train-leaveat": "5:00 pm"},
        },
    ]
    return written(folder / "times.jsonl", native_lines({f"d{number}": turns for number in range(40)}))


def test_score_prints_it(tmp_path: Path, cli: Cli) -> None:
    result = cli("score", times(tmp_path), "--measure", "JGA")
    assert result.err == ""
    assert result.out.startswith(
        "JGA 50.00, but 50.00 points hang on spelling.\n"
        "  spelling  1 slot never agrees, '17:00' against '5:00 pm': JGA 100.00 if mapped\n"
    )
    assert cli("score", times(tmp_path), "--measure", "JGA", "-v").err.endswith(LINE)
    assert "diagnosis" not in cli("score", times(tmp_path), "--quiet", "-v").err
    assert "diagnosis" not in cli("score", times(tmp_path), "--set", "map=multiwoz", "-v").err


def test_check_not_ready(tmp_path: Path, cli: Cli) -> None:
    result = cli("check", times(tmp_path), "-v")
    assert LINE in result.err
    assert "\n  spelling  map=multiwoz: JGA 50.00 to 100.00\n" in result.out
    last = "can be scored, but check the diagnosis first: +50.00 points of JGA depend on it\n"
    assert result.out.endswith(f"100.00\naccount: 40 of 40 dialogues scored\n{last}")
    assert cli("check", times(tmp_path), "--set", "map=multiwoz", "-v").out.endswith("ready to be scored\n")


@pytest.mark.parametrize(
    ("pred", "message", "reason"),
    [
        (
            {"train-day": "monday"},
            "1 of 2 slots are never predicted: train-leaveat; JGA on the other slot: 100.00",
            "+50.00 points of JGA depend on it",
        ),
        ({}, "2 of 2 slots are never predicted: train-day, train-leaveat", "slots are never predicted"),
    ],
)
def test_slots_never_predicted(pred: dict[str, str], message: str, reason: str, tmp_path: Path, cli: Cli) -> None:
    gold = {"train-day": "monday"}
    turns = [{"gold": gold, "pred": pred}, {"gold": {**gold, "train-leaveat": "17:00"}, "pred": pred}]
    file = written(tmp_path / "a.jsonl", native_lines({f"d{number}": turns for number in range(4)}))
    assert f"diagnosis: {message}\n" in cli("score", file, "--measure", "JGA", "-v").err
    result = cli("check", file, "-v")
    assert f"diagnosis: {message}\n" in result.err
    assert result.out.endswith(f"can be scored, but check the diagnosis first: {reason}\n")


def test_standard_input_not_rescored(tmp_path: Path) -> None:
    result = call_process("check", "-", "--subject", "tracker", "-v", stdin=times(tmp_path).read_bytes())
    assert result.code == 0
    assert "--set map=multiwoz fixes it (not scored again: the files cannot be read twice)" in result.err
    assert result.out.endswith("ready to be scored\n")


def test_one_of_several_trackers(tmp_path: Path, cli: Cli) -> None:
    lines = [json.loads(line) for line in times(tmp_path).read_text("utf-8").splitlines()]
    for turn in (turn for line in lines for turn in line["turns"]):
        turn["pred:mine"] = turn.pop("pred")
        turn["pred"] = turn["gold"]
    file = written(tmp_path / "two.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert LINE in cli("score", f"{file}#mine", "-v").err
    assert "diagnosis" not in cli("score", file, "-v").err


def test_shards(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialmeter.readers.corpus.spans", partial(spans, size=1000))
    assert LINE in cli("score", times(tmp_path), "--workers", "1", "-v").err


def test_runs_and_reports(tmp_path: Path, cli: Cli) -> None:
    run = tmp_path / "run"
    cli("score", times(tmp_path), "--out", run)
    (found,) = json.loads((run / "run.json").read_text("utf-8"))["diagnosis"]
    assert found["points"] == 50
    for style, page in (("html", tmp_path / "r.html"), ("markdown", tmp_path / "r.md")):
        cli("report", run, "-f", style, "--out", page)
        assert "train-leaveat agrees with gold at 0 of 40 turns" in page.read_text("utf-8")
