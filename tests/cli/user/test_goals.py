"""``dialmeter user goals``: corpora without goals can be scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ...shared_data import shared
from ..invoke import call
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


def derived(capsys: pytest.CaptureFixture[str], file: Path, out: Path, *words: str) -> dict[str, object]:
    result = call(capsys, "user", "goals", file, "--out", out, *words)
    assert result.code == 0, result.err
    return dict(json.loads(out.read_text()))


def test_schema_guided_dialogues_can_be_scored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = shared("data", "tracking", "sgd", "dialogues_001.json.gz")
    goals = tmp_path / "goals.json"
    assert len(derived(capsys, file, goals, "--profile", "sgd")) == 128
    found = call(capsys, "user", "score", file, "--goals", goals, "--profile", "sgd", "--ci", "0", "--json").json
    scores = {each["measure"]: each["value"] for each in found["scores"] if each["domain"] == "combined"}
    assert found["counts"]["dialogues"] == 128
    assert scores["I-recall"] == scores["R-recall"] == 1
    assert scores["I-GCDF1"] > 0.95


def test_taskmaster_can_be_scored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, goals, profile = tmp_path / "tm.json", tmp_path / "goals.json", tmp_path / "tm.toml"
    file.write_text(json.dumps(TASKMASTER))
    profile.write_text('domains = ["coffee"]\n[acts]\ninform = "^inform$"\nrequest = "^request$"\n')
    assert derived(capsys, file, goals, "--profile", str(profile)) == {
        "dlg-1": {"coffee": {"info": {"name.drink": "latte", "size": "small"}}}
    }
    found = call(capsys, "user", "score", file, "--goals", goals, "--profile", profile, "--ci", "0", "--json").json
    assert found["scores"][0]["value"] == 1


def test_final_states_give_goals_where_there_are_no_acts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    talk, states = tmp_path / "talk.jsonl", tmp_path / "states.jsonl"
    talk.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    states.write_text(json.dumps({"dialogue_id": "d1", "turns": [{"gold": {"hotel-area": "east"}}]}))
    found = derived(capsys, talk, tmp_path / "goals.json", "--states", str(states))
    assert found == {"d1": {"hotel": {"info": {"area": "east"}}}}


def test_without_a_file_goals_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert json.loads(call(capsys, "user", "goals", users(tmp_path)).out)


def test_nothing_to_derive_from(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    result = call(capsys, "user", "goals", talk)
    assert (result.code, "no goals can be derived" in result.err, result.err.count("\n")) == (2, True, 1)
    out = tmp_path / "taken"
    out.write_text("")
    assert call(capsys, "user", "goals", users(tmp_path), "--out", out).code == 2
