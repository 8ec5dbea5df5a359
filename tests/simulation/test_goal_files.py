"""Goals from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.simulation.goals import read_goals

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


def test_unreadable_line(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    goal = {"train": {"info": {"day": "monday"}, "requests": ["price"]}}
    path.write_text(
        json.dumps({"dialogue_id": "d1", "goal": goal, "talk": []}) + '\n{"dialogue_id": "d2", "talk": 5}\n'
    )
    goals, notices = read_goals(path)
    assert list(goals) == ["d1"]
    assert [notice.code for notice in notices] == ["unread"]
    assert "dialogue d2" in notices[0].where[0]


def test_no_goal_for_town(tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps({"g1": {"police": {"reqt": ["phone"]}}}))
    with pytest.raises(InputError, match="no goal that can be played"):
        read_goals(path)


def test_invalid_goal_place(tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps({"g1": {"hotel": {"wishes": {}}}}))
    with pytest.raises(InputError, match=r"goals\.json: dialogue g1: .*found 'wishes'"):
        read_goals(path)


def test_no_file() -> None:
    with pytest.raises(InputError, match="no such file"):
        read_goals("no-such-file.json")
