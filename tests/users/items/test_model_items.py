"""Tests of items that a language model proposes, with a fake endpoint. They test the integration, not the quality."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
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


@pytest.fixture
def make(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that writes a sheet with the values that the model at a URL proposes."""

    def made(log: Path, sheet: Path, url: str, *words: object) -> Any:
        monkeypatch.setenv("DIALMETER_ENDPOINT", url)
        monkeypatch.setenv("DIALMETER_MODEL", "tiny")
        monkeypatch.setenv("DIALMETER_CACHE", str(sheet.parent / "answers"))
        return call(capsys, "convert", log, sheet, "--to", "items", "--set", "items=model", *words)

    return made


def test_values_of_instruction_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make: Callable[..., Any]
) -> None:
    log, sheet = log_file(tmp_path, "I am mia_li_3668. ###STOP###"), tmp_path / "goals.csv"
    with chat_server(lambda *_: saying(json.dumps({"items": PROPOSED}))) as (url, asked):
        made = make(log, sheet, url)
        again = make(log, sheet, url, "--force")
    assert (made.code, again.code, len(asked)) == (0, 0, 1)
    assert "2 rows; proposed by tiny, quality not measured" in made.err
    assert (
        "7 goal values of the model were rejected, for example task 0: 'business' (not in the instruction)" in made.err
    )
    with sheet.open(newline="") as file:
        rows = [(row["kind"], row["value"], row["condition"], row["keys"]) for row in csv.DictReader(file)]
    assert rows == [("id", "mia_li_3668", "", "book.user_id"), ("text", "Economy", "asked", "book.cabin")]
    told = asked[0].body["messages"][1]["content"]
    assert told == "You are mia_li_3668. You want economy."
    found = checked(call(capsys, "score", log, "--subject", "user", "--gold", sheet, "-f", "json", "-q"), "score-items")
    assert found["counts"]["goal_values"] == 2


def test_unreadable_answers(tmp_path: Path, make: Callable[..., Any]) -> None:
    log, sheet = log_file(tmp_path, "Hello. ###STOP###"), tmp_path / "goals.csv"
    with chat_server(lambda *_: saying("no idea")) as (url, _):
        made = make(log, sheet, url)
    assert made.code == 0
    assert (
        "1 tasks have no goal values, because an answer cannot be read: task 0: no JSON with items: 'no idea'"
        in made.err
    )
    assert sheet.read_text().splitlines()[1].startswith("0,,,")


def test_model_needs_endpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = log_file(tmp_path, "Hello.")
    done = call(capsys, "convert", log, "-", "--to", "items", "--set", "items=model")
    assert (done.code, done.complaint) == (
        2,
        "items=model needs the environment variables DIALMETER_ENDPOINT and DIALMETER_MODEL",
    )


@pytest.mark.parametrize("value", ["(", "²", "9" * 5000, "2"])
def test_any_text_as_count(value: str) -> None:
    assert form_of("count", value).search(f"with {value} checked bags")
    assert bool(form_of("count", value).search("two bags")) == (value == "2")
