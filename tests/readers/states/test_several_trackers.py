"""Native lines with several trackers, and with talk in addition to states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter import read
from dialmeter.cli.main import run
from dialmeter.core.open_runs import open_run
from dialmeter.errors import InputError

from ...scoring import score_tracker

TALK = [
    {"speaker": "user", "text": "somewhere in the east"},
    {"speaker": "system", "text": "what price?"},
    {"speaker": "user", "text": "cheap"},
    {"speaker": "system", "text": "the Lantern it is"},
]
TURNS = [
    {"turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "east"}, "pred:keyword": {}},
    {
        "turn": 1,
        "gold": {"hotel-area": "east", "hotel-price": "cheap"},
        "pred": {"hotel-area": "east"},
        "pred:keyword": {"hotel-area": "east", "hotel-price": "cheap"},
    },
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "both.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "talk": TALK, "turns": TURNS}), "utf-8")
    return path


def test_the_tracker_behind_the_mark_is_scored(file: Path) -> None:
    unnamed, named = next(read(file)), next(read(f"{file}#keyword"))
    assert [turn.pred for turn in unnamed.turns] == [TURNS[0]["pred"], TURNS[1]["pred"]]
    assert [turn.pred for turn in named.turns] == [TURNS[0]["pred:keyword"], TURNS[1]["pred:keyword"]]
    assert [turn.gold for turn in named.turns] == [turn.gold for turn in unnamed.turns]


def test_a_tracker_that_is_not_there_is_an_error_that_lists_those_that_are(file: Path) -> None:
    with pytest.raises(InputError, match=r"dialogue d1: no states of tracker 'keywrd'; the trackers are: keyword"):
        list(read(f"{file}#keywrd"))


def test_a_file_whose_name_has_the_mark_is_read_as_it_is(file: Path) -> None:
    odd = file.rename(file.with_name("run#2.jsonl"))
    assert [dialogue.id for dialogue in read(odd)] == ["d1"]


def test_other_formats_hold_one_tracker(tmp_path: Path) -> None:
    path = tmp_path / "nested.json"
    path.write_text(json.dumps({"d1": {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {}}}}), "utf-8")
    with pytest.raises(InputError, match="nested holds one tracker"):
        list(read(f"{path}#keyword"))


def test_utterances_come_from_the_talk(file: Path) -> None:
    assert [(turn.system, turn.user) for turn in next(read(file)).turns] == [
        ("", "somewhere in the east"),
        ("what price?", "cheap"),
    ]


def test_talk_does_not_change_scores(file: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.jsonl"
    bare.write_text(json.dumps({"dialogue_id": "d1", "turns": TURNS}), "utf-8")
    add_utterances, without = (score_tracker(str(path), None, measures=["JGA"]) for path in (file, bare))
    assert [(each.value, each.signature) for each in add_utterances.scores] == [
        (each.value, each.signature) for each in without.scores
    ]


def test_a_run_says_which_tracker_it_is_of(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    with pytest.raises(SystemExit) as stopped:
        run(["score", f"{file}#keyword", "--out", str(out), "--quiet"])
    assert stopped.value.code == 0, capsys.readouterr().err
    assert open_run(out).manifest["inputs"][0]["tracker"] == "keyword"
