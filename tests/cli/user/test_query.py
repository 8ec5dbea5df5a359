"""``dialmeter user query``: the dialogues that explain a score, in a run and in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli
from ..user_samples import users

FOUND = [
    ([], ["good", "hasty", "eater", "traveller"]),
    (["--event", "missed_constraints"], ["hasty", "eater", "traveller"]),
    (["--event", "missed_domain", "--event", "unmatched"], ["eater", "traveller"]),
    (["--event", "missed_constraints", "--domain", "hotel"], ["hasty"]),
    (["--event", "missed_constraints", "--slot", "stars"], ["hasty"]),
    (["--event", "repeated_despite_receiving_answer", "--slot", "PHONE"], ["hasty"]),
    (["--slot", "parking"], ["eater"]),
    (["--domain", "hotel"], ["good", "hasty", "traveller"]),
    (["--domain", "spa"], []),
    (["--max", "0.7"], ["hasty", "traveller"]),
    (["--min", "0.7"], ["good", "eater"]),
    (["--min", "0.6", "--max", "0.8"], ["hasty", "eater", "traveller"]),
    (["--measure", "R-precision", "--max", "0.9"], ["hasty"]),
    (["--measure", "R-GCDF1", "--min", "0"], ["good", "hasty", "traveller"]),
    (["--measure", "I-recall", "--max", "0.5", "--domain", "taxi"], ["traveller"]),
    (["--goal", "taxi+train"], ["traveller"]),
    (["--goal", "train"], []),
    (["--goal-has", "fail_info"], ["eater"]),
    (["--goal-has", "requests", "--goal-has", "info"], ["good", "hasty", "traveller"]),
    (["--dialogue", "hasty"], ["hasty"]),
    (["--dialogue", "HASTY.json"], ["hasty"]),
    (["--goal", "hotel", "--event", "missed_constraints", "--max", "0.9", "--slot", "stars"], ["hasty"]),
]


@pytest.mark.parametrize(("options", "names"), FOUND, ids=[" ".join(options) or "all" for options, _ in FOUND])
@pytest.mark.parametrize("kept", [False, True], ids=["file", "run"])
def test_dialogues_are_found(options: list[str], names: list[str], kept: bool, cli: Cli, tmp_path: Path) -> None:
    where = users(tmp_path)
    if kept:
        cli("user", "score", where, "--out", tmp_path / "run")
        where = tmp_path / "run"
    found = cli.json("user", "query", where, *options)
    assert [each["dialogue"] for each in found["dialogues"]] == names
    assert found["counts"] == {"found": len(names), "shown": len(names)}


def test_events_are_those_that_were_looked_for(cli: Cli, tmp_path: Path) -> None:
    found = cli.json("user", "query", users(tmp_path), "--event", "unmatched", "--slot", "food")
    [eater] = found["dialogues"]
    assert eater["events"] == [
        {"class": "unmatched", "family": "repetition", "domain": "restaurant", "about": "food=thai", "turns": [4, 6]}
    ]
    assert (eater["goal"], eater["R-GCDF1"]) == (["restaurant"], None)


def test_text_is_a_table_with_a_next_step(cli: Cli, tmp_path: Path) -> None:
    file = users(tmp_path)
    lines = cli("user", "query", file, "--event", "missed_constraints", "--limit", "2").out.splitlines()
    assert lines[2].split()[:4] == ["hasty", "hotel", "66.67", "66.67"]
    assert lines[2].endswith("missed_constraints stars=4 (turn none)")
    assert lines[-2] == "3 dialogues found, 2 shown (--limit)"
    assert lines[-1] == f"Next: dialmeter user query {file} --dialogue hasty"
    alone = cli("user", "query", file, "--slot", "parking", "--rules", "gcdf1-repo").out.splitlines()
    assert alone[-2:] == [
        "1 dialogue found",
        f"Next: dialmeter user query {file} --dialogue eater --rules gcdf1-repo",
    ]
    assert cli("user", "query", file, "--domain", "spa").out == "no dialogue matches; 4 of 4 dialogues scored\n"


def test_a_dialogue_is_printed_turn_by_turn(cli: Cli, tmp_path: Path) -> None:
    assert cli("user", "query", users(tmp_path), "--dialogue", "hasty").out == (
        "dialogue hasty   I-GCDF1 66.67 (P 100.00, R 50.00)   R-GCDF1 66.67 (P 50.00, R 100.00)\n"
        "goal\n"
        "  hotel   info area=east, stars=4; ask for phone\n"
        "turn 0  user    In the east.\n"
        "    said        hotel-inform area=east\n"
        "turn 1  system  The lodge?\n"
        "    said        hotel-recommend name=lodge\n"
        "    understood  hotel-inform area=east\n"
        "turn 2  user    What is the phone number?\n"
        "    said        hotel-request phone\n"
        "turn 3  system  Call 123.\n"
        "    said        hotel-inform phone=123\n"
        "    understood  hotel-request phone\n"
        "turn 4  user    What is the phone number?\n"
        "    said        hotel-request phone\n"
        "    · multiple_req: hotel-phone (turns 2, 4)\n"
        "    − repeated_despite_receiving_answer: hotel-phone (turns 2, 4)\n"
        "    ! lost by user, asked_after_answer: hotel-phone (too much); turn 4: the user asks again although it heard the answer (phone); "
        "the user said Hotel-Request phone\n"
        "turn 5  system  Call 123.\n"
        "    said        hotel-inform phone=123\n"
        "    understood  hotel-request phone\n"
        "    ! lost by unknown, file_ends: hotel stars=4 (missing); turn 5: the dialogue ends in the middle; "
        "the system said Hotel-Inform phone=123\n"
        "not said or not asked\n"
        "  − missed_constraints: hotel stars=4\n"
        "+ counts as wanted   − does not   · a note\n"
        "verdict on what is missing: unknown, turn 5: the dialogue ends in the middle\n"
        "verdict on what is too much: user, turn 4: the user asks again although it heard the answer\n"
    )


def test_several_dialogues_are_printed_with_show(cli: Cli, tmp_path: Path) -> None:
    result = cli("user", "query", users(tmp_path), "--goal-has", "requests", "--show", "--limit", "2")
    assert [line for line in result.out.splitlines() if line.startswith("dialogue ")] == [
        "dialogue good   I-GCDF1 100.00 (P 100.00, R 100.00)   R-GCDF1 100.00 (P 100.00, R 100.00)",
        "dialogue hasty   I-GCDF1 66.67 (P 100.00, R 50.00)   R-GCDF1 66.67 (P 50.00, R 100.00)",
    ]
    assert result.out.endswith("\n3 dialogues found, 2 shown (--limit)\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--event", "unmached"], "unknown event 'unmached'; did you mean unmatched?"),
        (["--measure", "I-GCDF2"], "unknown measure 'I-GCDF2'; did you mean I-GCDF1?"),
        (["--dialogue", "nobody"], "no dialogue 'nobody' matches"),
        (["--dialogue", "good", "--max", "0.5"], "no dialogue 'good' matches"),
        (["--max", "7"], "7.0 is not in the range 0<=x<=1"),
        (["--goal-has", "wishes"], "'wishes' is not one of"),
    ],
)
def test_questions_that_make_no_sense(options: list[str], words: str, cli: Cli, tmp_path: Path) -> None:
    assert words in cli.refused("user", "query", users(tmp_path), *options)


def test_a_run_of_another_kind(cli: Cli, tmp_path: Path) -> None:
    from ..samples import town

    cli("tracker", "score", town(tmp_path), "--out", tmp_path / "run")
    assert cli.refused("user", "query", tmp_path / "run") == f"{tmp_path / 'run'}: the run is of kind tracker, not user"
