"""Invalid dialogues: reported with dialogue and turn, and all other dialogues are scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dialmeter.core.open_runs import open_run

from ..invoke import SCHEMAS, Cli
from ..user_samples import TALKS, published

GOOD = published(TALKS[0])
TURNS: list[dict[str, Any]] = GOOD["turns"]


def bad(**changes: Any) -> dict[str, Any]:
    """Return the valid dialogue with changes; None removes a key."""
    return {key: value for key, value in {**GOOD, "dialogue_id": "bad", **changes}.items() if value is not None}


REFUSED = {
    "no goal": (bad(goal=None), "dialogue bad: no goal"),
    "two user turns in a row": (
        bad(turns=[TURNS[0], {**TURNS[0], "turn_id": "1"}]),
        "dialogue bad, turn 1: two user turns in a row",
    ),
    "a number for a goal": (bad(goal=7), "dialogue bad: goal must be an object, found a number"),
    "the same again": ({**GOOD}, "dialogue good: duplicate dialogue id"),
}


def file_with(folder: Path, *more: dict[str, Any]) -> Path:
    path = folder / "users.json"
    path.write_text(json.dumps([GOOD, *more, {**published(TALKS[1]), "dialogue_id": "last"}]))
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_unscored_dialogue(name: str, cli: Cli, tmp_path: Path) -> None:
    dialogue, message = REFUSED[name]
    file = file_with(tmp_path, dialogue)
    result = cli("score", file, "-f", "json", "--quiet", code=2)
    reason, summary = result.err.splitlines()
    assert reason.startswith(f"dialmeter: {file}: {message}")
    assert summary == "dialmeter: 1 of 3 dialogues cannot be scored (to score the others: --set missing=skip)"
    Draft202012Validator(json.loads((SCHEMAS / "score-user.json").read_text())).validate(result.json)
    assert (result.json["counts"]["dialogues"], result.json["counts"]["unscored"]) == (2, 1)
    assert result.json["unscored_dialogues"] == [reason.removeprefix("dialmeter: ")]
    assert "scored:2/3" in result.json["scores"][0]["signature"]
    alone = cli.json("score", file_with(tmp_path))
    assert [each["value"] for each in alone["scores"]] == [each["value"] for each in result.json["scores"]]


@pytest.mark.parametrize("name", REFUSED)
def test_check_names_it_too(name: str, cli: Cli, tmp_path: Path) -> None:
    dialogue, message = REFUSED[name]
    file = file_with(tmp_path, dialogue)
    result = cli("check", file, "-v", code=2)
    assert result.out.startswith("NOT READY: 1 dialogue cannot be scored.\n  problem  ")
    assert result.out.splitlines()[-1] == "not ready to be scored"
    assert result.complaint.startswith(f"{file}: {message}")


def test_bad_dialogues_accepted(cli: Cli, tmp_path: Path) -> None:
    file = file_with(tmp_path, REFUSED["no goal"][0])
    result = cli("score", file, "--set", "missing=skip")
    assert result.err.startswith("warning: 1 dialogues that cannot be scored [")
    assert "dialogue bad: no goal" in result.err
    assert cli("score", file, "--set", "missing=skip", "--quiet").err == ""


def test_condition_before_unscored(cli: Cli, tmp_path: Path) -> None:
    file = file_with(tmp_path, REFUSED["no goal"][0])
    cli("score", file, "--fail-if", "I-GCDF1 < 1", code=1)


def test_refused_dialogues_in_run(cli: Cli, tmp_path: Path) -> None:
    file = file_with(tmp_path, REFUSED["no goal"][0], REFUSED["two user turns in a row"][0] | {"dialogue_id": "bad2"})
    cli("score", file, "--out", tmp_path / "run", code=2)
    run = open_run(tmp_path / "run")
    assert [each.partition(":")[0] for each in run.manifest["unscored_dialogues"]] == [
        "dialogue bad",
        "dialogue bad2, turn 1",
    ]
    assert [row["id"] for row in run] == ["good", "last"]
    assert str(tmp_path) not in (tmp_path / "run" / "run.json").read_text()


def test_many_bad_dialogues(cli: Cli, tmp_path: Path) -> None:
    many = [bad(goal=None, dialogue_id=f"bad{number}") for number in range(30)]
    result = cli("score", file_with(tmp_path, *many), "-f", "json", code=2)
    assert len(result.json["unscored_dialogues"]) == 30
    assert len(result.err.splitlines()) == 22
    assert "… and 10 more dialogues that cannot be scored" in result.err


def test_nothing_scorable(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "users.json"
    file.write_text(json.dumps([bad(turns=[]), bad(goal={}, dialogue_id="b2")]))
    assert "no dialogue can be scored; first error: " in cli.refused("score", file, "--from", "gcdf1")
    looked = cli("check", file, "--from", "gcdf1", "-v", code=2)
    summary, _, full = looked.out.partition("\n\n")
    assert summary.startswith("NOT READY: no dialogue can be scored.\n")
    assert full == (
        f"{file}: format gcdf1\naccount: 2 dialogues requested, 2 found, 0 scored, 2 unscored: "
        "1 a dialogue without turns (bad); 1 the goal is empty (b2)\nno dialogue can be scored\n"
    )
    assert len(looked.err.splitlines()) == 2
