"""``dialmeter find`` of users: dialogues that explain a score, from a run and from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli
from ..user_samples import users

FOUND = [
    ([], ["good", "hasty", "eater", "traveller"]),
    (["event=missed_constraints"], ["hasty", "eater", "traveller"]),
    (["event=missed_domain"], ["traveller"]),
    (["event=unmatched"], ["eater"]),
    (["event=missed_constraints", "domain=hotel"], ["hasty"]),
    (["event=missed_constraints", "domain=taxi"], ["traveller"]),
    (["event=missed_constraints", "slot=stars"], ["hasty"]),
    (["event=missed_constraints", "slot=area"], []),
    (["event=repeated_despite_receiving_answer", "slot=PHONE"], ["hasty"]),
    (["slot=parking"], ["eater"]),
    (["event=unmatched", "value=thai", "turn=6"], ["eater"]),
    (["event=unmatched", "value=thai", "turn=5"], []),
    (["domain=hotel"], ["good", "hasty", "traveller"]),
    (["domain=spa"], []),
    (["I-GCDF1<=0.7"], ["hasty", "traveller"]),
    (["I-GCDF1>=0.7"], ["good", "eater"]),
    (["I-GCDF1>=0.6", "I-GCDF1<=0.8"], ["hasty", "eater", "traveller"]),
    (["i-recall<=0.5"], ["hasty"]),
    (["I-recall<0.5"], []),
    (["R-precision<=0.9"], ["hasty"]),
    (["R-GCDF1>=0"], ["good", "hasty", "traveller"]),
    (["I-recall[taxi]<=0.5"], ["traveller"]),
    (["goal=taxi+train"], ["traveller"]),
    (["goal=train+taxi"], ["traveller"]),
    (["goal=train"], []),
    (["goal=fail_info"], ["eater"]),
    (["goal=requests", "goal=info"], ["good", "hasty", "traveller"]),
    (["hasty"], ["hasty"]),
    (["HASTY.json"], ["hasty"]),
    (["goal=hotel", "event=missed_constraints", "I-GCDF1<=0.9", "slot=stars"], ["hasty"]),
    (["party=user", "reason=asked_after_answer"], ["hasty"]),
    (["party=user", "slot=parking", "value=yes"], ["eater"]),
]


@pytest.mark.parametrize(("conditions", "names"), FOUND, ids=[" ".join(each) or "all" for each, _ in FOUND])
@pytest.mark.parametrize("kept", [False, True], ids=["file", "run"])
def test_dialogues_are_found(conditions: list[str], names: list[str], kept: bool, cli: Cli, tmp_path: Path) -> None:
    where = users(tmp_path)
    if kept:
        cli("score", where, "--out", tmp_path / "run")
        where = tmp_path / "run"
    found = cli.json("find", where, *conditions)
    assert [each["dialogue"] for each in found["dialogues"]] == names
    assert found["counts"] == {"found": len(names), "shown": len(names)}


def test_places_are_those_of_condition(cli: Cli, tmp_path: Path) -> None:
    [eater] = cli.json("find", users(tmp_path), "event=unmatched", "slot=food")["dialogues"]
    assert eater["places"] == ["unmatched food=thai (turn 4, 6)"]


def test_sorted_ids_are_chosen_dialogues(cli: Cli, tmp_path: Path) -> None:
    file, ids = users(tmp_path), tmp_path / "ids.txt"
    ids.write_text(cli("find", file, "I-GCDF1<1", "--sort", "I-recall", "-f", "ids").out)
    assert ids.read_text().splitlines() == ["hasty", "traveller", "eater"]
    assert cli.json("score", file, "--only", ids)["counts"]["dialogues"] == 3
    assert cli.json("find", file, "--only", ids, "domain=hotel")["counts"]["found"] == 2


def test_dialogue_turn_by_turn(cli: Cli, tmp_path: Path) -> None:
    said = cli("find", users(tmp_path), "hasty").out
    assert "turn 2  user    What is the phone number?" in said
    assert "− missed_constraints: hotel stars=4" in said
    assert "! lost by user" in said
    assert cli("find", users(tmp_path), "event=missed_constraints", "--show", "-n", 2).out.count("\ndialogue ") == 2


def test_two_users(cli: Cli, tmp_path: Path) -> None:
    """Items of two files are the same place if they are about the same unit of the goal."""
    one, two = users(tmp_path, name="one.jsonl"), users(tmp_path, name="two.jsonl")
    found = cli.json("find", f"A={one}", f"B={two}", "A.event=missed_constraints", "B.party=unknown")
    assert [each["dialogue"] for each in found["dialogues"]] == ["hasty", "eater"]
    assert cli.json("find", f"A={one}", f"B={two}", "A.event=unmatched", "B.slot=stars")["counts"]["found"] == 0


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("event=unmached", "event=unmached: no such event; did you mean unmatched"),
        ("party=sytem", "party=sytem: no such party; did you mean system"),
        ("reason=never", "reason=never: no such reason; known: answer_misheard"),
        ("JGA<0.5", "there is no measure 'JGA' of users"),
        ("ending=crash", ""),
    ],
)
def test_names_that_nobody_knows(condition: str, message: str, cli: Cli, tmp_path: Path) -> None:
    if message:
        assert message in cli.refused("find", users(tmp_path), condition)
    else:
        assert cli.json("find", users(tmp_path), condition)["counts"]["found"] == 0
