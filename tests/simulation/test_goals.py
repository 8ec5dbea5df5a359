"""Goals from files, and goals of another world: values that the town does not have are named before the first dialogue is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.goals import foreign_values, read_goals, sample_goals
from dialmeter.simulation.outcome import outcome
from dialmeter.simulation.world import town

from ..cli.invoke import Cli
from ..shared_data import shared

GOAL = {
    "hotel": {
        "info": {"area": "North", "book day": "friday"},
        "book": {"people": "2", "invalid": False},
        "reqt": ["phone"],
    },
    "taxi": {},
}


@pytest.mark.parametrize(
    "layout",
    [
        {"MUL1.json": GOAL},
        {"MUL1.json": {"goal": GOAL}},
        {"MUL1.json": {"goal": GOAL, "log": [{"text": "hello", "metadata": {}}]}},
    ],
)
def test_layouts(tmp_path: Path, layout: object) -> None:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps(layout))
    goals, notices = read_goals(path)
    assert list(goals) == ["MUL1.json"]
    assert goals["MUL1.json"]["hotel"].info == {"area": "north", "day": "friday"}
    assert goals["MUL1.json"]["hotel"].requests == ("phone",)
    assert not notices


def test_goals_of_native_lines(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    goal = {"train": {"info": {"day": "monday"}, "requests": ["price"]}}
    lines = [{"dialogue_id": "d1", "goal": goal, "talk": []}, {"dialogue_id": "d2", "talk": []}]
    path.write_text("\n".join(map(json.dumps, lines)))
    goals, notices = read_goals(path)
    assert goals["d1"]["train"].requests == ("price",)
    assert [(notice.code, notice.where) for notice in notices] == [("no-goal", ("d2",))]


def test_a_line_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    goal = {"train": {"info": {"day": "monday"}, "requests": ["price"]}}
    path.write_text(
        json.dumps({"dialogue_id": "d1", "goal": goal, "talk": []}) + '\n{"dialogue_id": "d2", "talk": 5}\n'
    )
    goals, notices = read_goals(path)
    assert list(goals) == ["d1"]
    assert [notice.code for notice in notices] == ["unread"]
    assert "dialogue d2" in notices[0].where[0]


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"police": {"reqt": ["phone"]}}, "no goal that can be played"),
        ({"hotel": {"wishes": {}}}, r"goals\.json: dialogue g1: .*found 'wishes'"),
        (None, "no such file"),
    ],
    ids=["of another town", "no goal", "no file"],
)
def test_bad_goals(goal: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    if goal:
        path.write_text(json.dumps({"g1": goal}))
    with pytest.raises(InputError, match=message):
        read_goals(path)


OWN = {"hotel": {"info": {"area": "harbour"}}}
FOREIGN = {"train": {"info": {"destination": "cambridge", "day": "monday", "leaveAt": "03:17"}}}


def test_sampled_goals_are_at_home() -> None:
    assert foreign_values({str(index): goal for index, goal in enumerate(sample_goals(town(), 300, seed=3))}) is None


def test_foreign_values_are_named(tmp_path: Path, cli: Cli) -> None:
    path, out = tmp_path / "goals.json", tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"g1": OWN, "g2": FOREIGN}))
    message = (
        "1 of 3 values of the goals (33.33 %) are not in the database of the town; at most 1 of 2 goals can be reached"
    )
    for command in (("play", "--out", out), ("cross",)):
        done = cli("user", *command, "--goals", path, "--workers", "1", "--json")
        # The warning comes first, and only once.
        warnings = [line for line in done.err.splitlines() if "database of the town" in line]
        assert warnings == [f"warning: {message} [train-destination: 1, such as cambridge]"]
        assert done.err.startswith("warning: ")
        assert [each["message"] for each in done.json["warnings"]] == [message]
    text = cli("user", "play", "--out", out, "--force", "--goals", path, "--workers", "1", "-q")
    assert message in text.out.splitlines()
    assert text.err == ""


def test_goals_that_cannot_be_reached_are_refused(tmp_path: Path, cli: Cli) -> None:
    path, out = tmp_path / "goals.json", tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"g2": FOREIGN}))
    complaint = cli.refused("user", "play", "--out", out, "--goals", path)
    assert complaint == (
        "no goal can be reached: 1 of 2 values of the goals (50.00 %) are not in the database of the town "
        "(train-destination: 1, such as cambridge); draw goals of the town with --goals 200"
    )
    assert not out.exists()
    with pytest.raises(DialmeterError, match="no goal can be reached"):
        foreign_values(read_goals(path)[0])


def test_published_goals(tmp_path: Path, cli: Cli) -> None:
    """No goal is reached that is said to be out of reach."""
    path, out = shared("data", "world", "multiwoz", "goals.json.gz"), tmp_path / "talk.jsonl"
    notice = foreign_values(read_goals(path)[0])
    assert notice is not None
    assert notice.count == 948
    assert "(38.03 %)" in notice.message
    assert "at most 67 of 500 goals" in notice.message
    assert notice.where[0] == "train-departure: 249, such as cambridge"
    cli("user", "play", "--out", out, "--goals", path, "--workers", "1", "-q")
    reached = {
        talk.id: {"goal": talk.goal} for talk in open_conversations(out) if talk.goal and outcome(talk, town()).complete
    }
    at_home = foreign_values({name: each["goal"] for name, each in reached.items()})
    limit = len(reached)
    assert at_home is None or f"at most {limit} of {limit} goals" in at_home.message
