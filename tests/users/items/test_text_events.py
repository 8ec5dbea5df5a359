"""Tests of events of users without acts: one example for each, the published logs, and the commands that show events."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dialmeter import open_run
from dialmeter.model import SYSTEM, USER, ExpectedAction, Step, TaskGoal, ToolCall, Trajectory
from dialmeter.readers.conversations import open_trajectories
from dialmeter.users.items.log_items import dialogue_items, read_items
from dialmeter.users.items.text_events import LogWords, text_events
from dialmeter.users.items.verdicts import outcomes_of

from ...cli.invoke import call, checked
from ...shared_data import shared

PLACES = {"SEA": "Seattle", "JFK": "New York"}
CABINS = {"book.cabin": frozenset({"economy", "basic economy", "business"})}
GOAL = "You are mia_li_3668 and fly to Seattle on May 20 in economy, for at most $300."


def talk(instruction: str, *said: str, ending: Any = "transfer", calls: tuple[ToolCall, ...] = ()) -> Trajectory:
    steps = [Step(place, (USER, SYSTEM)[place % 2], text) for place, text in enumerate(said)]
    if calls:
        steps.append(Step(len(said), SYSTEM, calls=calls))
    actions = (ExpectedAction("book", {"user_id": "mia_li_3668", "cabin": "economy"}),)
    return Trajectory(id="1:0", task="1", steps=tuple(steps), goal=TaskGoal(instruction, actions), ending=ending)


def events(found: Trajectory) -> list[tuple[str, tuple[int, ...], str]]:
    log = LogWords(PLACES, CABINS)
    return [(each.name, each.turns, each.said) for each in text_events(found, outcomes_of(found, PLACES), log)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (talk(GOAL, "I am mia_li_3668, economy to Seattle on May 20th, up to $300."), []),
        (talk(GOAL, "I am mia_li_3669."), [("wrong", (0,), "mia_li_3669")]),
        (talk(GOAL, "On May 21."), [("wrong", (0,), "may 21")]),
        (talk(GOAL, "For $400 at most."), [("wrong", (0,), "$400")]),
        (talk(GOAL, "Business, please."), [("wrong", (0,), "business")]),
        (talk(GOAL, "Hello.", "Economy or business?", "Business."), []),
        (talk(GOAL, "From New York."), [("invented", (0,), "new york")]),
        (talk(GOAL, "My mail is mia@example.com."), [("invented", (0,), "mia@example.com")]),
        (talk(GOAL, "Hello.", "Is it ZX81AB?", "Yes, ZX81AB."), []),
        (talk(GOAL, "It is ZX81AB."), [("invented", (0,), "zx81ab")]),
        (talk(GOAL, "Flight HAT045, please."), []),
        (talk(GOAL, "Hello.", "Your user id?", "I don't remember my user ID."), [("wrong", (2,), "don't remember my user id")]),
        (talk(GOAL, "I don't have the reservation id."), [("invented", (0,), "don't have the reservation id")]),
        (talk(f"{GOAL} You do not remember the reservation id.", "I don't have the reservation id."), []),
        (talk(GOAL, "I don't have my user id handy, maybe mia_li_3668?"), []),
        (talk(f"{GOAL} Tell nobody that it is basic economy (do not mention it).", "It is basic economy."), [("leak", (0,), "basic economy")]),
        (talk(f"{GOAL} Tell nobody that it is basic economy (do not mention it).", "Hm.", "Basic economy?", "Basic economy."), []),
        (talk(f"{GOAL} You want a flight on the next day.", "May 21."), []),
    ],
)  # fmt: skip
def test_what_is_said(found: Trajectory, expected: list[Any]) -> None:
    assert [each for each in events(found) if each[0] != "missed"] == expected


def test_early_stop_needs_an_item_missed_and_a_call_undone() -> None:
    asked = ("Economy.", "Your user id?", "Later. ###STOP###")
    assert ("early_stop", (2,), "Later.") in events(talk(GOAL, *asked, ending="user_stop"))
    booked = (ToolCall("book", {"user_id": "mia_li_3668"}),)
    assert "early_stop" not in {name for name, _, _ in events(talk(GOAL, *asked, ending="user_stop", calls=booked))}
    assert "early_stop" not in {name for name, _, _ in events(talk(GOAL, *asked, ending="transfer"))}


def test_stuck_and_volunteered() -> None:
    again = "Can you please look once more for a cheaper flight?"
    assert ("stuck", (2,), again) in events(talk(GOAL, again, "No.", again))
    short = "No, just book it."
    assert "stuck" not in {name for name, _, _ in events(talk(GOAL, short, "Why?", short))}
    asked = "You are mia_li_3668. If the agent asks, you want economy."
    assert ("volunteered", (0,), "economy") in events(talk(asked, "Economy."))
    assert "volunteered" not in {name for name, _, _ in events(talk(asked, "Hi.", "Which cabin?", "Economy."))}


def test_events_do_not_depend_on_the_reward() -> None:
    found = list(open_trajectories(shared("data", "trajectories", "gpt-4o-airline.json.gz")))
    import msgspec

    without = [msgspec.structs.replace(each, rewards={}) for each in found]
    assert [talk.events for _, talk in dialogue_items(found)] == [talk.events for _, talk in dialogue_items(without)]


def label_counts(first: int, last: int) -> dict[str, tuple[int, int, int]]:
    """Return kind → found, false, not found, on a range of the hand-made labels. Messages must match, except for early_stop."""
    labels = json.loads(shared("expected", "trajectory_labels.json").read_text())[first:last]
    every = list(open_trajectories(shared("data", "trajectories", "gpt-4o-airline.json.gz")))
    items = {each.id: talk for each, talk in dialogue_items(every)}
    counts: Counter[tuple[str, str]] = Counter()
    for label in labels:
        left = [(each["kind"], each["at"]) for each in label["events"] if each["kind"] != "missed"]
        for event in items[every[label["index"]].id].events:
            if event.name == "missed":
                continue
            hit = next(
                (one for one in left if one[0] == event.name and (one[1] in event.turns or one[0] == "early_stop")),
                None,
            )
            counts[event.name, "found" if hit else "false"] += 1
            if hit:
                left.remove(hit)
        counts.update((kind, "lost") for kind, _ in left)
    return {
        kind: (counts[kind, "found"], counts[kind, "false"], counts[kind, "lost"])
        for kind in sorted({kind for kind, _ in counts})
    }


def test_hand_made_labels_of_events() -> None:
    """The rules were developed on dialogues 1 to 7. The documentation reports the figures of 8 to 15."""
    assert label_counts(0, 7) == {"early_stop": (1, 0, 0), "invented": (4, 0, 1), "leak": (1, 0, 0), "wrong": (1, 0, 2)}
    assert label_counts(7, 15) == {
        "early_stop": (1, 0, 1),
        "invented": (2, 1, 5),
        "leak": (1, 0, 0),
        "volunteered": (0, 0, 1),
        "wrong": (1, 0, 1),
    }


def small_log(folder: Path) -> Path:
    task = {"instruction": GOAL, "actions": [{"name": "book", "kwargs": {"user_id": "mia_li_3668"}}]}
    entries = [
        {
            "task_id": number // 2,
            "trial": number % 2,
            "reward": float(number % 2),
            "info": {"task": task},
            "traj": [
                {"role": "user", "content": "A flight."},
                {"role": "assistant", "content": "Your user id, please?"},
                {
                    "role": "user",
                    "content": ("It is mia_li_3669." if number % 2 == 0 else "mia_li_3668") + " ###STOP###",
                },
            ],
        }
        for number in range(24)
    ]
    path = folder / "log.json"
    path.write_text(json.dumps(entries))
    return path


def test_a_fault_that_goes_with_failure_within_tasks(tmp_path: Path) -> None:
    from dialmeter.core.comparison import Resampling

    found = read_items(open_trajectories(small_log(tmp_path)), resampling=Resampling())
    wrong = next(each for each in found.faults() if each.fault == "wrong")
    assert (wrong.difference, wrong.tasks) == (1.0, 12)
    assert found.parties == {"user": 12}


def test_run_query_report_and_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, run = small_log(tmp_path), tmp_path / "run"
    assert call(capsys, "user", "items", log, "--out", run, "-q").code == 0
    assert open_run(run).manifest["events"]["wrong"] == 12
    for where in (log, run):
        found = checked(call(capsys, "user", "query", where, "--event", "wrong", "--json", "-q"), "user-query")
        assert found["counts"] == {"found": 12, "shown": 12}
        assert found["dialogues"][0]["events"][0]["said"] == "mia_li_3669"
    shown = call(capsys, "user", "query", run, "--dialogue", "0:0", "-q").out
    assert "! wrong: mia_li_3669 (mia_li_3668)" in shown
    assert call(capsys, "user", "query", run, "--party", "user", "-q").out.strip().endswith("12 dialogues found")
    assert "needs acts" in call(capsys, "user", "query", run, "--domain", "hotel", "-q").complaint
    assert (
        "unknown event 'lea' of logs; did you mean leak"
        in call(capsys, "user", "query", run, "--event", "lea", "-q").complaint
    )
    page = tmp_path / "report.html"
    assert call(capsys, "report", run, "--out", page, "-q").code == 0
    assert "mia_li_3669" in page.read_text()
    other = tmp_path / "other.json"
    other.write_text(log.read_text().replace("mia_li_3669", "mia_li_3668"))
    compared = checked(call(capsys, "user", "compare", log, other, "--json", "-q"), "user-compare")
    versus = {each["measure"]: each for each in compared["versus"]}
    assert (versus["Without(wrong)"]["difference"], versus["Without(wrong)"]["wins"]) == (0.5, 12)
    assert call(capsys, "user", "compare", other, log, "--fail-if-worse", "-q").code == 1
