"""Tests of items of goals in words: published counts, hand-made labels, and examples of verdicts and events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dialmeter.model import SYSTEM, USER, ExpectedAction, Step, TaskGoal, ToolCall, Trajectory
from dialmeter.readers.conversations import open_trajectories
from dialmeter.users.items.goal_items import condition_of, form_of, items_of, outcomes_of, places_in
from dialmeter.users.items.log_items import LogItems, read_items
from dialmeter.users.items.text_events import LogWords, text_events

from ...cli.invoke import call, checked
from ...shared_data import shared
from ..conversations import read_examples


@cache
def read(name: str) -> list[Trajectory]:
    return list(open_trajectories(shared("data", "trajectories", f"{name}.gz")))


def test_counts_of_published_logs() -> None:
    expected = json.loads(shared("expected", "trajectories.json").read_text())
    for kind in ("tau", "tau2"):
        for name, figures in expected[kind].items():
            known, found = figures["goal_rule_R1"], read(name)
            places = places_in(found)
            said: list[tuple[str, bool]] = []
            for each in found:
                words = [step.text.lower() for step in each.steps if step.speaker == USER]
                for item in items_of(each.goal, places) if each.goal else ():
                    form = form_of(item.kind, item.value, places)
                    said.append((item.kind, any(form.search(text) for text in words)))
            assert (len(said), sum(hit for _, hit in said)) == (known["items"], known["conveyed"])
            for item_kind, counts in known.get("by_kind", {}).items():
                hits = [hit for each, hit in said if each == item_kind]
                assert [len(hits), sum(hits)] == counts


def test_airline_log_faults() -> None:
    known = json.loads(shared("expected", "trajectories.json").read_text())["tau"]["gpt-4o-airline.json"][
        "goal_rule_R1"
    ]
    unsaid = read_items(read("gpt-4o-airline.json")).faults()[0]
    within = known["within tasks with both outcomes"]
    assert list(unsaid.failed) == known["dialogues with a missed item, failed"]
    assert list(unsaid.successful) == known["dialogues with a missed item, ok"]
    assert unsaid.tasks == within["tasks"]
    assert list(unsaid.failed_within) == within["failed: missed, all"]
    assert list(unsaid.successful_within) == within["ok: missed, all"]
    wanted = within["mean difference of miss rate (failed - ok), tasks weighted equally"]
    assert unsaid.difference == pytest.approx(wanted, abs=1e-9)


def equal_verdicts(labels: list[Any]) -> tuple[int, int]:
    found = read("gpt-4o-airline.json")
    places = places_in(found)
    pairs = [
        (
            item["verdict"],
            {(each.item.kind, each.item.value): each.verdict for each in outcomes}[item["kind"], item["value"]],
        )
        for label in labels
        for outcomes in [outcomes_of(found[label["index"]], places)]
        for item in label["items"]
    ]
    return sum(one == other for one, other in pairs), len(pairs)


def test_hand_made_labels() -> None:
    labels = json.loads(shared("expected", "trajectory_labels.json").read_text())
    assert equal_verdicts(labels[:7]) == (19, 19)
    equal, count = equal_verdicts(labels[7:])
    assert (equal, count) == (33, 35)


PLAIN = "You are mia_li_3668. You want economy."
EXAMPLES = read_examples("items.jsonl")


def example_dialogue(example: Mapping[str, Any]) -> Trajectory:
    """Return the dialogue of an example: user and agent take turns, then the agent makes its calls."""
    steps = [Step(place, (USER, SYSTEM)[place % 2], text) for place, text in enumerate(example["messages"])]
    if "calls" in example:
        steps.append(Step(len(steps), SYSTEM, calls=tuple(ToolCall(*call) for call in example["calls"])))
    goal = TaskGoal(example["instruction"], tuple(ExpectedAction(*action) for action in example["expected"]))
    return Trajectory(id="1:0", task="1", steps=tuple(steps), goal=goal, ending=example["ending"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_verdicts_and_events(example: Mapping[str, Any]) -> None:
    """The examples are JSON lines with all verdicts and events, each with its message, words and value."""
    dialogue, places = example_dialogue(example), example.get("places", {})
    outcomes = outcomes_of(dialogue, places)
    verdicts = [f"{each.verdict} {each.item.value}" + ("" if each.at is None else f" @{each.at}") for each in outcomes]
    assert verdicts == example["verdicts"]
    words = {path: frozenset(each) for path, each in example.get("words", {}).items()}
    events = [
        " ".join(
            filter(None, (each.name, *(f"@{at}" for at in each.turns), each.said, each.about and f"({each.about})"))
        )
        for each in text_events(dialogue, outcomes, LogWords(places, words))
    ]
    assert events == example["events"]


def test_recall_counts_three_verdicts() -> None:
    conversations = read_items(map(example_dialogue, EXAMPLES))
    counts = {verdict: sum(kinds.values()) for verdict, kinds in conversations.verdicts.items()}
    met = counts["conveyed"] + counts["confirmed"]
    recall = conversations.scores[0]
    assert recall.value == pytest.approx(met / (met + counts["missed"]))
    assert (recall.n, recall.unscored) == (met + counts["missed"], conversations.items - met - counts["missed"])
    assert LogItems([]).scores[0].value is None


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = [f"I am mia_li_3668{', economy' * (number > 1)}. ###STOP###" for number in range(4)]
    path = log_file(tmp_path, *said)
    entries = json.loads(path.read_text())
    path.write_text(json.dumps([*entries, {"task_id": 9, "reward": 0.0, "info": {"error": "x"}, "traj": []}]))
    found = checked(call(capsys, "score", path, "--subject", "user", "-f", "json", "-q"), "score-items")
    assert found["scores"][0]["value"] == 0.75
    assert found["account"]["reasons"] == [{"reason": "without goal values", "count": 1, "where": ""}]
    assert "GoalRecall" in call(capsys, "score", path, "--subject", "user", "-q").out
    path.write_text(json.dumps([*entries, entries[0]]))
    twice = call(capsys, "score", path, "--subject", "user", "-q")
    assert (twice.code, "dialogue 0:0: duplicate dialogue id" in twice.err) == (2, True)
    assert call(capsys, "score", path, "--subject", "user", "-q", "--set", "missing=skip").code == 0
    path.write_text(json.dumps([{**entries[0], "info": {}}]))
    assert (
        "no goal in words has a value that can be checked"
        in call(capsys, "score", path, "--subject", "user", "-q").complaint
    )


def test_city_before_address() -> None:
    form = form_of("text", "New York")
    hidden = "Change it to your New York address (you do not want to reveal it but it is in your orders)."
    assert condition_of(form, hidden) == ""
    assert condition_of(form, hidden.replace("New York address", "address in New York")) == "secret"


def test_sheet_round_trip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = log_file(tmp_path, "I am mia_li_3668, coach. ###STOP###")
    sheet = tmp_path / "goals.csv"
    assert call(capsys, "convert", log, sheet, "--to", "items", "-q").code == 0
    by_rule = checked(call(capsys, "score", log, "--subject", "user", "-f", "json", "-q"), "score-items")
    by_hand = checked(
        call(capsys, "score", log, "--subject", "user", "--gold", sheet, "-f", "json", "-q"), "score-items"
    )
    assert by_rule["verdicts"] == by_hand["verdicts"]
    assert "values:sheet@" in by_hand["scores"][0]["signature"]
    sheet.write_text(sheet.read_text().replace("text,economy,,,", "text,economy,,coach|second class,"))
    edited = checked(
        call(capsys, "score", log, "--subject", "user", "--gold", sheet, "-f", "json", "-q"), "score-items"
    )
    assert (by_hand["scores"][0]["value"], edited["scores"][0]["value"]) == (0.5, 1.0)
    again = call(capsys, "convert", log, sheet, "--to", "items", "-q")
    assert (again.code, "--force" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,value\n1,economy\n", "no column 'kind'; task, kind and value are needed"),
        (
            "task,kind,value\n1,colour,red\n",
            "line 2: kind must be one of date, airport, count, number, id, text, not 'colour'",
        ),
        (
            "task,kind,value,condition\n1,text,red,never\n",
            "line 2: condition must be one of empty, asked, fallback, secret",
        ),
        ("task,kind,value\n,text,red\n", "line 2: the row has no task"),
        ("task,kind,value\n1,text,red\n1,text,red\n", "line 3: duplicate goal value 'red' of task 1"),
        ("task,kind,value\n1,,\n", "the sheet has no goal values; a row needs a task, a kind and a value"),
    ],
)
def test_bad_sheets(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "goals.csv"
    sheet.write_text(text)
    done = call(capsys, "score", log_file(tmp_path, "Hello. ###STOP###"), "--subject", "user", "--gold", sheet, "-q")
    assert done.code == 2
    assert message in done.complaint
    assert "goals.csv" in done.complaint


def log_file(folder: Path, *said: str) -> Path:
    """Return a log with one dialogue per text. The text is the only message of its user."""
    task = {
        "instruction": PLAIN,
        "actions": [{"name": "book", "kwargs": {"user_id": "mia_li_3668", "cabin": "economy"}}],
    }
    entries = [
        {"task_id": number, "reward": 0.0, "info": {"task": task}, "traj": [{"role": "user", "content": text}]}
        for number, text in enumerate(said)
    ]
    path = folder / "log.json"
    path.write_text(json.dumps(entries))
    return path
