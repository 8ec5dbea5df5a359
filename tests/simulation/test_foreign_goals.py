"""Goals of another world: values that the town does not have are named before the first dialogue is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.goals import foreign_values, read_goals, sample_goals
from dialmeter.simulation.outcome import outcome
from dialmeter.simulation.world import town

from ..cli.invoke import call
from ..shared_data import shared

OWN = {"hotel": {"info": {"area": "harbour"}}}
FOREIGN = {"train": {"info": {"destination": "cambridge", "day": "monday", "leaveAt": "03:17"}}}


def test_sampled_goals_at_home() -> None:
    assert foreign_values({str(index): goal for index, goal in enumerate(sample_goals(town(), 300, seed=3))}) is None


def test_foreign_values_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "goals.json", tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"g1": OWN, "g2": FOREIGN}))
    message = (
        "1 of 3 values of the goals (33.33 %) are not in the database of the town; at most 1 of 2 goals can be reached"
    )
    for command in (("play", "--out", out), ("cross",)):
        done = call(capsys, "user", *command, "--goals", path, "--workers", "1", "--json")
        assert done.code == 0
        # The warning comes first, and only once.
        warnings = [line for line in done.err.splitlines() if "database of the town" in line]
        assert warnings == [f"warning: {message} [train-destination: 1, such as cambridge]"]
        assert done.err.startswith("warning: ")
        assert [each["message"] for each in done.json["warnings"]] == [message]
    text = call(capsys, "user", "play", "--out", out, "--force", "--goals", path, "--workers", "1", "-q")
    assert message in text.out.splitlines()
    assert text.err == ""


def test_unreachable_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "goals.json", tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"g2": FOREIGN}))
    done = call(capsys, "user", "play", "--out", out, "--goals", path)
    assert done.code == 2
    assert done.complaint == (
        "no goal can be reached: 1 of 2 values of the goals (50.00 %) are not in the database of the town "
        "(train-destination: 1, such as cambridge); draw goals of the town with --goals 200"
    )
    assert not out.exists()
    with pytest.raises(DialmeterError, match="no goal can be reached"):
        foreign_values(read_goals(path)[0])


def test_published_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No goal is reached that is said to be out of reach."""
    path, out = shared("data", "world", "multiwoz", "goals.json.gz"), tmp_path / "talk.jsonl"
    notice = foreign_values(read_goals(path)[0])
    assert notice is not None
    assert notice.count == 948
    assert "(38.03 %)" in notice.message
    assert "at most 67 of 500 goals" in notice.message
    assert notice.where[0] == "train-departure: 249, such as cambridge"
    assert call(capsys, "user", "play", "--out", out, "--goals", path, "--workers", "1", "-q").code == 0
    reached = {
        conversation.id: {"goal": conversation.goal}
        for conversation in open_conversations(out)
        if conversation.goal and outcome(conversation, town()).complete
    }
    at_home = foreign_values({name: each["goal"] for name, each in reached.items()})
    limit = len(reached)
    assert at_home is None or f"at most {limit} of {limit} goals" in at_home.message
