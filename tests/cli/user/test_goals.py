"""``dialmeter user goals``: corpora without goals can be scored."""

from __future__ import annotations

import json
from pathlib import Path

from ...shared_data import shared
from ..invoke import Cli
from ..user_samples import users

TASKMASTER = [
    {
        "conversation_id": "dlg-1",
        "utterances": [
            {"speaker": "USER", "text": "Hello."},
            {
                "speaker": "USER",
                "text": "A latte, please.",
                "segments": [{"text": "latte", "annotations": [{"name": "coffee.name.drink.accept"}]}],
            },
            {"speaker": "ASSISTANT", "text": "What size?"},
            {
                "speaker": "USER",
                "text": "A small one.",
                "segments": [{"text": "small", "annotations": [{"name": "coffee.size"}]}],
            },
            {"speaker": "ASSISTANT", "text": "Done."},
        ],
    }
]


def derived(cli: Cli, file: Path, out: Path, *words: str) -> dict[str, object]:
    cli("user", "goals", file, "--out", out, *words)
    return dict(json.loads(out.read_text()))


def test_schema_guided_dialogues_can_be_scored(cli: Cli, tmp_path: Path) -> None:
    file = shared("data", "tracking", "sgd", "dialogues_001.json.gz")
    goals = tmp_path / "goals.json"
    assert len(derived(cli, file, goals, "--profile", "sgd")) == 128
    found = cli.json("user", "score", file, "--goals", goals, "--profile", "sgd", "--ci", "0")
    scores = {each["measure"]: each["value"] for each in found["scores"] if each["domain"] == "combined"}
    assert found["counts"]["dialogues"] == 128
    assert scores["I-recall"] == scores["R-recall"] == 1
    assert scores["I-GCDF1"] > 0.95


def test_taskmaster_can_be_scored(cli: Cli, tmp_path: Path) -> None:
    file, goals, profile = tmp_path / "tm.json", tmp_path / "goals.json", tmp_path / "tm.toml"
    file.write_text(json.dumps(TASKMASTER))
    profile.write_text('domains = ["coffee"]\n[acts]\ninform = "^inform$"\nrequest = "^request$"\n')
    assert derived(cli, file, goals, "--profile", str(profile)) == {
        "dlg-1": {"coffee": {"info": {"name.drink": "latte", "size": "small"}}}
    }
    found = cli.json("user", "score", file, "--goals", goals, "--profile", profile, "--ci", "0")
    assert found["scores"][0]["value"] == 1


def test_goals_of_final_states(cli: Cli, tmp_path: Path) -> None:
    talk, states = tmp_path / "talk.jsonl", tmp_path / "states.jsonl"
    talk.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    states.write_text(json.dumps({"dialogue_id": "d1", "turns": [{"gold": {"hotel-area": "east"}}]}))
    found = derived(cli, talk, tmp_path / "goals.json", "--states", str(states))
    assert found == {"d1": {"hotel": {"info": {"area": "east"}}}}


def test_without_file_goals_are_printed(cli: Cli, tmp_path: Path) -> None:
    assert json.loads(cli("user", "goals", users(tmp_path)).out)


def test_nothing_to_derive_from(cli: Cli, tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    result = cli("user", "goals", talk, code=2)
    assert ("no goals can be derived" in result.err, result.err.count("\n")) == (True, 1)
    out = tmp_path / "taken"
    out.write_text("")
    cli("user", "goals", users(tmp_path), "--out", out, code=2)
