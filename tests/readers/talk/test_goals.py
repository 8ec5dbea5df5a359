"""A file of goals together with dialogues of any format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.model import DomainGoal
from dialmeter.readers.conversations import open_conversations

from .samples import LAYOUTS, write

WANTED = {"hotel": {"info": {"area": "east"}, "reqt": ["phone"]}}
GOAL = {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}


def goals(folder: Path, thing: object) -> Path:
    path = folder / "goals.json"
    path.write_text(json.dumps(thing))
    return path


@pytest.mark.parametrize("label", LAYOUTS)
def test_goals_for_every_layout(label: str, tmp_path: Path) -> None:
    path = write(tmp_path, label)
    names = [talk.id for talk in open_conversations(path)]
    file = open_conversations(path, goals=goals(tmp_path, {f"{names[0].removesuffix('.json')}.json".upper(): WANTED}))
    first, second = file
    assert first.goal == GOAL
    assert second.goal in (None, {}, {"hotel": DomainGoal()})
    assert [(notice.code, notice.count, notice.where) for notice in file.notices] == [("no-goal", 1, (names[1],))]


def test_a_goal_takes_the_place_of_the_one_in_the_dialogue(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    line = {"dialogue_id": "d1", "goal": {"taxi": {"info": {"leaveat": "9"}}}, "talk": [{"speaker": "user"}]}
    path.write_text("\n".join(json.dumps({**line, "dialogue_id": name}) for name in ("d1", "d2")))
    first, second = open_conversations(path, goals=goals(tmp_path, {"d1": WANTED}))
    assert first.goal == GOAL
    assert second.goal == {"taxi": DomainGoal(info={"leaveat": "9"})}


def test_ids_that_only_one_of_the_two_has_are_counted_and_listed(tmp_path: Path) -> None:
    names = [f"g{place}" for place in range(12)]
    file = open_conversations(write(tmp_path, "native"), goals=goals(tmp_path, dict.fromkeys(["d1", *names], WANTED)))
    list(file)
    assert [(notice.code, notice.count, notice.where) for notice in file.notices] == [
        ("no-goal", 1, ("d2",)),
        ("goal-alone", 12, tuple(names[:10])),
    ]


def test_multiwoz_serves_as_a_file_of_goals(tmp_path: Path) -> None:
    path = goals(tmp_path, {"d1.json": {"goal": WANTED, "log": []}})
    first, _ = open_conversations(write(tmp_path, "sgd"), goals=path)
    assert first.goal == GOAL


def test_a_bad_goal_refuses_its_dialogue_alone(tmp_path: Path) -> None:
    path = goals(tmp_path, {"d1": {"hotel": "cheap"}, "d2": WANTED})
    file = open_conversations(write(tmp_path, "native"), goals=path)
    assert [talk.goal for talk in file] == [GOAL]
    assert [str(error) for error in file.refused] == [
        f"{path}: dialogue d1: the goal in hotel must be an object, found a string"
    ]


def test_a_bad_file_of_goals(tmp_path: Path) -> None:
    talk = write(tmp_path, "native")
    with pytest.raises(InputError, match="the file of goals must be an object, found a list"):
        open_conversations(talk, goals=goals(tmp_path, [WANTED]))
    with pytest.raises(InputError, match="no such file"):
        open_conversations(talk, goals=tmp_path / "nothing.json")
