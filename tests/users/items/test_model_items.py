"""Tests of items that a language model proposes, with a fake endpoint. They test the integration, not the quality."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.users.items.goal_items import form_of

from ...cli.invoke import call, checked
from ...simulation.chat_server import chat_server, saying
from .test_items import log_file

pytest.importorskip("httpx", reason="the extra llm is not installed")

PROPOSED: list[dict[str, Any]] = [
    {"kind": "id", "value": "mia_li_3668"},
    {"kind": "text", "value": "Economy", "condition": "asked"},
    {"kind": "text", "value": "Economy"},
    {"kind": "text", "value": "business"},
    {"kind": "colour", "value": "economy"},
    {"kind": "text", "value": "economy", "condition": "never"},
    {"kind": "text", "value": "a"},
    {"kind": "count", "value": "("},
    {"kind": "count", "value": "²"},
    {"kind": "number", "value": 250},
]


def make(capsys: pytest.CaptureFixture[str], log: Path, sheet: Path, *words: object) -> Any:
    return call(capsys, "user", "goals", log, "--make-sheet", sheet, *words)


def test_values_of_instruction_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, sheet = log_file(tmp_path, "I am mia_li_3668. ###STOP###"), tmp_path / "goals.csv"
    with chat_server(lambda *_: saying(json.dumps({"items": PROPOSED}))) as (url, asked):
        words = ("--endpoint", url, "--model", "tiny", "--cache", tmp_path / "answers")
        made = make(capsys, log, sheet, *words)
        again = make(capsys, log, sheet, *words, "--force")
    assert (made.code, again.code, len(asked)) == (0, 0, 1)
    assert "2 rows written" in made.out
    assert "items proposed by tiny, quality not measured" in made.out
    assert "7 items of the model were rejected, for example task 0: 'business' (not in the instruction)" in made.err
    with sheet.open(newline="") as file:
        rows = [(row["kind"], row["value"], row["condition"], row["keys"]) for row in csv.DictReader(file)]
    assert rows == [("id", "mia_li_3668", "", "book.user_id"), ("text", "Economy", "asked", "book.cabin")]
    told = asked[0].body["messages"][1]["content"]
    assert told == "You are mia_li_3668. You want economy."
    found = checked(call(capsys, "user", "items", log, "--goals", sheet, "-f", "json", "-q"), "user-items")
    assert found["counts"]["items"] == 2


def test_unreadable_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, sheet = log_file(tmp_path, "Hello. ###STOP###"), tmp_path / "goals.csv"
    with chat_server(lambda *_: saying("no idea")) as (url, _):
        made = make(capsys, log, sheet, "--endpoint", url, "--model", "tiny")
    assert made.code == 0
    assert "1 tasks have no items, because an answer cannot be read: task 0: no JSON with items: 'no idea'" in made.err
    assert sheet.read_text().splitlines()[1].startswith("0,,,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--make-sheet", "x.csv", "--endpoint", "http://127.0.0.1:9/v1"], "need --endpoint URL and --model NAME"),
        (["--make-sheet", "x.csv", "--model", "tiny"], "need --endpoint URL and --model NAME"),
        (["--model", "tiny"], "--endpoint and --model need --make-sheet"),
    ],
)
def test_incompatible_options(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "user", "goals", log_file(tmp_path, "Hello."), *words)
    assert (done.code, message in done.complaint) == (2, True)


@pytest.mark.parametrize("value", ["(", "²", "9" * 5000, "2"])
def test_any_text_as_count(value: str) -> None:
    assert form_of("count", value).search(f"with {value} checked bags")
    assert bool(form_of("count", value).search("two bags")) == (value == "2")
