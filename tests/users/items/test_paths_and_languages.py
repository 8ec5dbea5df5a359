"""Tests of blame for values in words: arguments of several calls with the same name, and users who speak another language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.model import SYSTEM, USER, ExpectedAction, Step, TaskGoal, Trajectory
from dialmeter.users.items.goal_items import outcomes_of
from dialmeter.users.items.log_items import item_rows, read_items
from dialmeter.users.items.text_events import LogWords

from ...cli.invoke import call

TWO_CALLS = (
    ExpectedAction("ship_order", {"address": {"street": "5 Elm Street"}}),
    ExpectedAction("send_invoice", {"payer": {"street": "9 Oak Road"}}),
)
STREETS = "Your order goes to 5 Elm Street. The invoice is for your firm at 9 Oak Road."


def make_conversation(
    instruction: str, actions: tuple[ExpectedAction, ...], *said: str, ending: Any = "transfer"
) -> Trajectory:
    steps = tuple(Step(place, (USER, SYSTEM)[place % 2], text) for place, text in enumerate(said))
    return Trajectory(id="1:0", task="1", steps=steps, goal=TaskGoal(instruction, actions), ending=ending)


def test_items_name_their_paths() -> None:
    items = [each.item for each in outcomes_of(make_conversation(STREETS, TWO_CALLS, "Hello."))]
    assert [item.keys for item in items] == [("ship_order.address.street",), ("send_invoice.payer.street",)]


def test_list_words_of_call() -> None:
    """The paint of one call is no list for the cover of another call, although both arguments are called colour."""
    paint = [ExpectedAction("paint", {"colour": colour}) for colour in ("green", "white")]
    cover = [ExpectedAction("wrap", {"colour": colour}) for colour in ("silver", "gold")]
    log = [make_conversation("You want green.", (action,), "Hi.") for action in (*paint, *cover)]
    slots = LogWords.of(log).slots
    assert {path: sorted(words) for path, words in slots.items()} == {
        "paint.colour": ["green", "white"],
        "wrap.colour": ["gold", "silver"],
    }
    found = make_conversation("You want it in green.", (paint[0],), "I want it in green, it is for my silver wedding.")
    (items,) = [each for each in item_rows([*log, found]) if each.trajectory is found]
    assert items.events == ()


SPANISH = (
    "Quieres volar en clase turista el 20 de mayo con tu hijo, y tu usuario es mia_li_3668. Si te preguntan por el color de la "
    "maleta, es azul. No te gusta hablar de más."
)
ENGLISH = "I want to fly on May 20 with my son, and the suitcase is blue. Can you book it for me in economy, please?"
COLOURS = tuple(ExpectedAction("book", {"colour": colour, "user_id": "mia_li_3668"}) for colour in ("azul", "blue"))


@pytest.mark.parametrize(
    "instruction", [SPANISH, "你想在五月二十日和儿子一起坐经济舱。你的用户是 mia_li_3668。行李箱是 azul 色的。"]
)
def test_translation_is_not_wrong(instruction: str) -> None:
    log = [
        make_conversation(
            instruction, COLOURS[:1], ENGLISH, "What colour is it, please?", "It is blue, as I said to you."
        ),
        make_conversation("The suitcase is blue.", COLOURS[1:], "It is blue."),
    ]
    (items, _) = item_rows(log)
    assert {each.item.value: each.verdict for each in items.outcomes} == {
        "azul": "unchecked",
        "mia_li_3668": "not_asked",
    }
    assert items.events == ()


def test_same_words_one_language() -> None:
    english = "You want to fly on May 20 with your son, and the suitcase is azul. If they ask for it, tell them. You are mia_li_3668."
    log = [
        make_conversation(english, COLOURS[:1], ENGLISH, "What colour is it, please?", "It is blue, as I said to you."),
        make_conversation("The suitcase is blue.", COLOURS[1:], "It is blue."),
    ]
    (items, _) = item_rows(log)
    assert {each.item.value: each.verdict for each in items.outcomes}["azul"] == "missed"
    assert "wrong" in {each.name for each in items.events}


def test_ids_in_every_language() -> None:
    found = make_conversation(SPANISH, COLOURS[:1], f"{ENGLISH} I am mia_li_3669.")
    (items,) = item_rows([found])
    assert [(each.name, each.said) for each in items.events] == [("wrong", "mia_li_3669")]


def test_other_languages_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = make_conversation(SPANISH, COLOURS[:1], ENGLISH)
    (notice,) = [each for each in read_items([found]).notices if each.code == "other-language"]
    assert notice.count == 1
    task = {"instruction": SPANISH, "actions": [{"name": "book", "kwargs": {"colour": "azul"}}]}
    entry = {"task_id": 1, "reward": 0.0, "info": {"task": task}, "traj": [{"role": "user", "content": ENGLISH}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps([entry]))
    done = call(capsys, "score", path, "--subject", "user", "-f", "json", "-q")
    assert done.json["verdicts"]["unchecked"] == {"text": 1}
    assert "other-language" in {each["code"] for each in done.json["warnings"]}


def test_goals_are_in_signature() -> None:
    """The same task ids with another instruction or another expected value have another signature."""
    first = make_conversation(STREETS, TWO_CALLS, "To 5 Elm Street.", ending="user_stop")
    one = read_items([first]).scores[0]
    action = ExpectedAction("ship_order", {"address": {"street": "5 Elm Street"}})
    other = read_items([make_conversation(STREETS, (action,), "To 5 Elm Street.", ending="user_stop")]).scores[0]
    assert (one.value, other.value) == (0.5, 1.0)
    assert one.signature != other.signature
    assert read_items([first]).scores[0].signature == one.signature
