"""Gold and predictions that do not match each other or the schema: missing parts are listed with their places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..invoke import Cli
from ..samples import TOWN, native_lines, written


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Write gold and predictions of the same three dialogues."""
    gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
    return gold, written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))


def without(path: Path, dialogue: str, turn: int | None = None) -> None:
    """Remove a dialogue, or one of its turns, from a file."""
    kept = []
    for line in path.read_text().splitlines():
        found = json.loads(line)
        if found["dialogue_id"] == dialogue:
            if turn is None:
                continue
            found["turns"] = [each for each in found["turns"] if each["turn"] != turn]
        kept.append(json.dumps(found) + "\n")
    path.write_text("".join(kept))


def test_two_files_score_as_one(pair: tuple[Path, Path], cli: Cli, tmp_path: Path) -> None:
    gold, pred = pair
    together = written(tmp_path / "both.jsonl", native_lines(TOWN))
    one = cli.json("tracker", "score", together)
    two = cli.json("tracker", "score", pred, "--gold", gold)
    assert one["scores"] == two["scores"]
    assert one["counts"] == two["counts"]


def test_dialogue_without_gold(pair: tuple[Path, Path], cli: Cli) -> None:
    gold, pred = pair
    without(gold, "d2")
    without(gold, "d1", 2)
    result = cli("tracker", "score", pred, "--gold", gold, "--json")
    assert result.json["counts"]["dialogues"] == 2
    assert result.json["counts"]["turns"] == 4
    [extra] = [warning for warning in result.json["warnings"] if warning["code"] == "extra"]
    assert extra["count"] == 2
    assert sorted(extra["where"]) == ["d1 turn 2", "d2"]
    assert "warning: 2 turns have no gold and are not scored" in result.err


def test_ten_places_are_listed_and_all_are_counted(tmp_path: Path, cli: Cli) -> None:
    many = {f"d{number:02}": TOWN["d1"] for number in range(12)}
    gold = written(tmp_path / "gold.jsonl", native_lines(many, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines({"d11": TOWN["d1"]}, "pred"))
    complaint = cli.refused("tracker", "score", pred, "--gold", gold)
    assert "33 turns have gold and no prediction, 11 of them whole dialogues" in complaint
    assert "d09 …" in complaint
    assert "d10" not in complaint


def test_ids_are_matched_without_case_and_suffix(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.jsonl", native_lines({"MUL1.json": TOWN["d3"]}, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines({"mul1": TOWN["d3"]}, "pred"))
    assert cli.json("tracker", "score", pred, "--gold", gold)["scores"][0]["value"] == 1


def test_bad_gold_file_is_one_named(pair: tuple[Path, Path], cli: Cli) -> None:
    gold, pred = pair
    gold.write_bytes(gold.read_bytes()[:-9])
    for command in ("score", "check", "rules"):
        assert cli.refused("tracker", command, pred, "--gold", gold).startswith(f"{gold}: line 3: not valid JSON")


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """Write a schema without the taxi."""
    return written(tmp_path / "schema.json", '["hotel-area", "hotel-stars", "pub-name"]')


def test_gold_slot_outside_schema(tmp_path: Path, schema: Path, cli: Cli) -> None:
    file = written(tmp_path / "town.jsonl", native_lines(TOWN))
    complaint = cli.refused("tracker", "score", file, "--schema", schema)
    assert complaint.startswith(f"{file}: dialogue d1, turn 1, slot taxi-to: ")
    assert "schema" in complaint
    assert (
        cli.refused("tracker", "check", file, "--schema", schema)
        == f"{file}: 1 slots in gold are not in the schema: dialogue d1, turn 1, slot taxi-to"
    )


def test_predicted_slot_outside_schema(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "town.jsonl", native_lines(TOWN))
    schema = written(tmp_path / "schema.json", '{"hotel": ["area"], "taxi": ["to"]}')
    cli("tracker", "score", file, "--schema", schema)
    assert (
        "warning: 1 slots in predictions are not in the schema [dialogue d2, turn 0, slot pub-name]"
        in cli("tracker", "check", file, "--schema", schema).err
    )
